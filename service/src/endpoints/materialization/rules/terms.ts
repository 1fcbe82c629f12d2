import type { InfixOperator, Sql } from '../../../sql/catalog/physical.ts'
import type { Expression } from '../../../sql/parse/ast.ts'
import type { Candidate } from './candidate.ts'
import type { Names } from '../names.ts'
import { instabilityOf } from './stability.ts'
import { isClock, isColumn, isQuery, some } from '../tree.ts'
import { find, OPERATORS } from './whereRules.ts'

/** A condition whose bound is known only at the run: a column compared with an expression that reads no row. */
export interface RunTerm {
  readonly column: Sql
  readonly operator: InfixOperator
  readonly bound: Sql
  readonly isColumnLeft: boolean
}

// A bound of another type would be converted by the engine, with unknown results.
const isTimestamp = (sql: Sql): boolean => {
  if (sql.kind === 'parameter') return sql.type === 'Date' || sql.type.startsWith('DateTime64')
  if (sql.kind === 'call')
    return (
      isClock(sql) ||
      (/^(?:toDate|toDateTime64|toStartOf\w+|toMonday|add\w+s|subtract\w+s)$/.test(sql.name) &&
        sql.args.length > 0 &&
        isTimestamp(sql.args[0]!))
    )
  return (
    sql.kind === 'infix' &&
    isTimestamp(sql.first) &&
    sql.rest.every(
      ({ operator, right }) =>
        (operator === '+' || operator === '-') && right.kind === 'call' && right.name.startsWith('toInterval'),
    )
  )
}

/** Returns a select's conditions, each with its node in the query. Both have the same structure as far as AND joins them. */
const conditionsOf = (node: Expression, sql: Sql): readonly (readonly [Expression, Sql])[] => {
  if (node.kind !== 'logic' || node.operator !== 'and') return [[node, sql]]
  if (sql.kind !== 'infix') throw new Error('Compiler bug: AND was not compiled to AND')
  const operands = [sql.first, ...sql.rest.map(({ right }) => right)]
  return node.terms.flatMap((term, at) => conditionsOf(term, operands[at]!))
}

const runTermOf = (node: Expression, sql: Sql): RunTerm | undefined => {
  if (node.kind !== 'compare' || !OPERATORS.has(node.operator) || sql.kind !== 'infix' || sql.rest.length !== 1)
    return undefined
  const [left, right] = [sql.first, sql.rest[0]!.right]
  const isColumnLeft = some(left, isColumn)
  const [column, bound] = isColumnLeft ? [left, right] : [right, left]
  if (!some(column, isColumn) || some(bound, isColumn) || some(bound, isQuery)) return undefined
  if (instabilityOf(column) || instabilityOf(bound, true)) return undefined
  return { column, operator: sql.rest[0]!.operator, bound, isColumnLeft }
}

/** The conditions of a select, by when and where they are evaluated. */
export interface Conditions {
  /** Conditions on the events' own columns that are the same in each run. */
  readonly fixed: readonly Sql[]
  readonly runTerms: readonly RunTerm[]
  /** Conditions that read a joined column, evaluated at each run. */
  readonly joinedTerms: readonly Sql[]
}

export const sortConditions = ({ node, sql, names, reject }: Candidate): Conditions => {
  const fixed: Sql[] = []
  const runTerms: RunTerm[] = []
  const joinedTerms: Sql[] = []
  for (const [written, compiled] of node.where && sql.where ? conditionsOf(node.where, sql.where) : []) {
    const condition = names.expand(compiled)
    const hasVariable = find(written).variables.length > 0
    const isForRun = hasVariable || some(condition, isClock)
    const term = isForRun ? runTermOf(written, condition) : undefined
    if (hasVariable && !term)
      reject(
        'invalid_where_usage',
        'The table cannot store the expression that the variable is compared with',
        written,
        `Compare a column with one of ${[...OPERATORS].join(', ')}`,
      )
    else if (names.readsJoined(condition)) joinedTerms.push(condition)
    else if (term) runTerms.push(term)
    else fixed.push(condition)
  }
  return { fixed, runTerms, joinedTerms }
}

const TIMESTAMP = JSON.stringify({ kind: 'name', path: ['timestamp'] })
/** Whether a run term is a time range. */
export const isRange = ({ column, bound }: RunTerm, { keyOf }: Names): boolean =>
  keyOf(column) === TIMESTAMP && isTimestamp(bound)
