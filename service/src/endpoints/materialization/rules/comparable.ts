import type { SelectSql } from '../../../sql/catalog/physical.ts'
import { COMBINATORS } from '../../../sql/catalog/functions/aggregates.ts'
import type { CompileOptions, ParsedQuery } from '../../../sql/compile.ts'
import { UNDETERMINED } from '../aggregates.ts'

/** Runs with more rows are not compared. */
export const MAX_COMPARED_ROWS = 10_000

/** Whether a function may return different values for the same events. */
const isUndetermined = (name: string): boolean => {
  const lower = name.toLowerCase()
  const endings = Object.keys(COMBINATORS).map((each) => each.toLowerCase())
  const stem = endings.reduce(
    (rest, ending) => (rest.endsWith(ending) && rest !== ending ? rest.slice(0, -ending.length) : rest),
    lower,
  )
  return (
    /^(?:now|today|yesterday|rand|generateuuid|current_timestamp|arrayshuffle)/.test(lower) ||
    UNDETERMINED.some((each) => each.toLowerCase() === stem) ||
    stem === 'array_agg'
  )
}

/** Whether the events alone determine a query's rows, apart from its outermost order and limit. */
export const isComparable = ({ query }: ParsedQuery): boolean => {
  const isDetermined = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return true
    const { kind, name, over, limit, limitBy } = node as {
      kind?: string
      name?: { text?: string }
      over?: unknown
      limit?: unknown
      limitBy?: unknown
    }
    if (kind === 'call' && (over !== undefined || isUndetermined(name?.text ?? ''))) return false
    if (kind === 'select' && node !== query && (limit !== undefined || limitBy !== undefined)) return false
    return Object.values(node).every(isDetermined)
  }
  return query.kind === 'select' && isDetermined(query)
}

/** Removes the outermost order and limit of a query while it is compiled. */
export const unordered =
  ({ query }: ParsedQuery): NonNullable<CompileOptions['replace']> =>
  (node, sql): SelectSql =>
    node === query ? { ...sql, orderBy: undefined, limitBy: undefined, limit: undefined, offset: undefined } : sql
