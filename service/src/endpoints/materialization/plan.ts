import type { Variable } from '../../storage/metadata/metadata.ts'
import type { Statement } from '../../storage/storage.ts'
import { triesOf } from '../definitions/describe.ts'
import { type CompileOptions, compileQuery, pageOf, type ParsedQuery, QueryError } from '../../sql/compile.ts'
import { nameLiteral } from '../../sql/print/literal.ts'
import type { SelectSql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import type { InsightQuery } from '../insights/insights.ts'
import { countInsight, fillInsight, shapeOfInsight, sortingOfInsight } from './insightRows.ts'
import { type CellRun, cellRunOf } from './cells.ts'
import { type FoundShape, shapeOfRun } from './knownShapes.ts'
import type { Violation } from './violation.ts'
import { countSql, fillSql, readSql, sortingOf } from './rollup.ts'
import { checkRules } from './rules.ts'
import { type Shape, shapeOf } from './shape.ts'
import type { Stored } from './words.ts'

/** What to store for a query of either kind. Plans with the same `signature` have the same table. */
export interface TablePlan {
  readonly signature: string
  readonly kind: 'states' | 'rows' | 'buckets'
  /** Returns the select that fills the table: every event that arrived before the watermark. */
  readonly fill: (stored: Stored) => SelectSql
  /** Returns a select of the number of events that the table should hold. */
  readonly count: (stored: Stored) => SelectSql
  /** The columns by which the rows are sorted. */
  readonly sorting: readonly string[]
  /** The columns with states of aggregates. */
  readonly states: readonly string[]
}

/** What to store for a query, or everything that prevents it. */
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

/** Plans what to store for a query, using samples of its variables. Throws `QueryError` if the query does not compile. */
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
      // A sample may not be a date where the query requires one.
      if (!(error instanceof QueryError)) throw error
      first ??= error
      continue
    }
    if (!found) throw new QueryError('not_supported', 'The SELECT with the variables is not used by the query')
    return isViolations(found) ? { violations: found } : { table: tableOf(found) }
  }
  throw first
}

/** Returns the statements that create, fill and check a table. */
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
    /** The number of rows in the table, and of events that they were built from. */
    held: { text: `SELECT count() AS rows, sum(__count) AS events FROM ${table}` },
    /** The number of events that they should have been built from. */
    events: print(count(stored), projectId),
    /** The number of rows and events that the table would have, and the average size of a row. */
    estimate: {
      text: `SELECT count() AS rows, sum(__count) AS events, avg(length(toString(tuple(* EXCEPT (__count ${states.map((name) => `, ${name}`).join('')})))) ${states.map((name) => `+ length(CAST(${name}, 'String'))`).join(' ')}) AS bytes FROM (${text})`,
      params,
    },
  } satisfies Record<string, Statement>
}

type Page = Pick<CompileOptions, 'projectId' | 'limit' | 'offset'>

/** Returns how the service can finish a run, or `undefined` if only the engine can. */
const cellsOf = (
  { shape, sql, isWhole }: FoundShape,
  stored: Stored,
  { projectId, limit, offset }: Page,
  now: Date,
): CellRun | undefined => {
  if (!isWhole) return undefined
  const { skip, count = Infinity } = pageOf(sql, limit, offset)
  return cellRunOf({ shape, sql, stored, projectId, now, skip, count })
}

/**
 * Returns how a run can read the table without compiling its statement, or `undefined` if the table does not have the shape of the run.
 * Throws `QueryError`.
 */
export const tableReading = (
  parsed: ParsedQuery,
  variables: CompileOptions['variables'],
  stored: Stored & { signature: string },
  now = new Date(),
) => {
  const found = shapeOfRun(parsed, variables)
  if (found?.shape.signature !== stored.signature) return undefined
  return { cells: (page: Page) => cellsOf(found, stored, page, now), replace: readingFrom(parsed, stored, now).replace }
}

/**
 * Returns a `replace` that makes the query's materialized select read the table, if the table has the shape of the run. After compiling,
 * `isUsed` returns whether it did, and `cells` how the service can finish the run instead. `now`: the time that the run's clock
 * functions return.
 */
export const readingFrom = (parsed: ParsedQuery, stored: Stored & { signature: string }, now = new Date()) => {
  const { target } = checkRules(parsed)
  let isUsed = false
  let cells: ((page: Page) => CellRun | undefined) | undefined
  const replace: CompileOptions['replace'] = (node, sql) => {
    if (node !== target) return sql
    const shape = shapeOf(parsed, node, sql)
    if (isViolations(shape) || shape.signature !== stored.signature) return sql
    isUsed = true
    cells = (page) => cellsOf({ shape, sql, isWhole: node === parsed.query }, stored, page, now)
    return readSql(shape, sql, stored, now)
  }
  return { replace, isUsed: () => isUsed, cells: (page: Page) => cells?.(page) }
}
