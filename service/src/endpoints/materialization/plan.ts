import type { Variable } from '../../storage/metadata/metadata.ts'
import type { Statement } from '../../storage/storage.ts'
import { triesOf } from '../definitions/describe.ts'
import { type CompileOptions, compileQuery, type ParsedQuery, QueryError } from '../../sql/compile.ts'
import { nameLiteral } from '../../sql/print/literal.ts'
import type { SelectSql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import type { InsightQuery } from '../insights/insights.ts'
import { countInsight, fillInsight, shapeOfInsight, sortingOfInsight } from './insightRows.ts'
import type { Violation } from './violation.ts'
import { countSql, fillSql, readSql, sortingOf } from './rollup.ts'
import { checkRules } from './rules.ts'
import { type Shape, shapeOf } from './shape.ts'
import type { Stored } from './words.ts'

/** What would be stored, for a query of either kind. Two plans of one `signature` have the same table. */
export interface TablePlan {
  readonly signature: string
  readonly kind: 'states' | 'rows' | 'buckets'
  /** What fills the table: every event that came before the watermark. */
  readonly fill: (stored: Stored) => SelectSql
  /** How many events it should hold. */
  readonly count: (stored: Stored) => SelectSql
  /** The columns by which its rows are sorted. */
  readonly sorting: readonly string[]
  /** The columns that hold states of aggregates. */
  readonly states: readonly string[]
}

/** What would be stored for a query, or everything that is in the way. */
export type Plan = { readonly table: TablePlan } | { readonly violations: readonly Violation[] }

const isViolations = <Found extends object>(found: Found | readonly Violation[]): found is readonly Violation[] =>
  Array.isArray(found)

const tableOf = (shape: Shape): TablePlan => ({
  signature: shape.signature,
  kind: shape.kind,
  fill: (stored) => fillSql(shape, stored),
  count: (stored) => countSql(shape, stored),
  sorting: sortingOf(shape),
  states: shape.states.map(({ name }) => name),
})

/** Plans what to store for an insight. */
export const planOfInsight = (query: InsightQuery): Plan => {
  const shape = shapeOfInsight(query)
  if (isViolations(shape)) return { violations: shape }
  const { signature, kind } = shape
  return {
    table: {
      signature,
      kind,
      fill: (stored) => fillInsight(shape, stored),
      count: (stored) => countInsight(shape, stored),
      sorting: sortingOfInsight(shape),
      states: [],
    },
  }
}

/** Plans what to store for a query, with samples in the place of its variables. Throws `QueryError` for a query that cannot be compiled. */
export const planOf = (parsed: ParsedQuery, definitions: readonly Variable[]): Plan => {
  const { violations, target } = checkRules(parsed)
  if (!target) return { violations }
  let first: unknown
  for (const variables of triesOf(parsed, definitions)) {
    let found: Shape | readonly Violation[] | undefined
    const options: CompileOptions = {
      projectId: 0,
      variables,
      replace: (node, sql) => (node === target && (found ??= shapeOf(parsed, node, sql)), sql),
    }
    try {
      compileQuery(parsed, options)
    } catch (error) {
      // A sample may be no date where the query wants one.
      if (!(error instanceof QueryError)) throw error
      first ??= error
      continue
    }
    if (!found) throw new QueryError('not_supported', 'The SELECT with the variables is not used by the query')
    return isViolations(found) ? { violations: found } : { table: tableOf(found) }
  }
  throw first
}

/** The statements around a table. */
export const buildStatements = (
  { fill: fillOf, count, sorting, states }: TablePlan,
  projectId: number,
  stored: Stored,
) => {
  const { text, params } = print(fillOf(stored), projectId)
  const table = `db.${stored.table}`
  return {
    create: {
      text: `CREATE TABLE ${table} ENGINE = MergeTree ORDER BY (${sorting.map(nameLiteral).join(', ')}) SETTINGS allow_nullable_key = 1, index_granularity = 1024 EMPTY AS ${text} SETTINGS allow_suspicious_low_cardinality_types = 1`,
      params,
    },
    fill: { text: `INSERT INTO ${table} ${text}`, params },
    /** Rows of the table, and the events they were made of. */
    held: { text: `SELECT count() AS rows, sum(__count) AS events FROM ${table}` },
    /** The events that they should have been made of. */
    events: print(count(stored), projectId),
    /** How many rows there would be, of how many events, and how long each is, by some of them. */
    estimate: {
      text: `SELECT count() AS rows, sum(__count) AS events, avg(length(toString(tuple(* EXCEPT (__count ${states.map((name) => `, ${name}`).join('')})))) ${states.map((name) => `+ length(CAST(${name}, 'String'))`).join(' ')}) AS bytes FROM (${text})`,
      params,
    },
  } satisfies Record<string, Statement>
}

/** Answers the query's materialized select from what is stored, if that is of the run's own shape. `isUsed` says after compiling whether it was. */
export const readingFrom = (parsed: ParsedQuery, stored: Stored & { signature: string }, now = new Date()) => {
  const { target } = checkRules(parsed)
  let isUsed = false
  const replace: CompileOptions['replace'] = (node, sql) => {
    if (node !== target) return sql
    const shape = shapeOf(parsed, node, sql)
    if (isViolations(shape) || shape.signature !== stored.signature) return sql
    isUsed = true
    return readSql(shape, sql, stored, now)
  }
  return { replace, isUsed: () => isUsed }
}
