import { createHash } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import { type Compiled, type CompileOptions, compileQuery, type ParsedQuery } from '../sql/compile.ts'
import type { ReadLimits, Result, Statement } from '../storage/storage.ts'
import type { CacheRequest } from './cache.ts'
import { cursorOwner, nextCursor, readCursor } from './cursor.ts'
import { toApiError } from './definitions/check.ts'
import type { InsightResults } from './insights/insight.ts'
import { planInsight as planLive } from './insights/insights.ts'
import { MAX_RESULT_BYTES, type RunAllowance } from './limits.ts'
import type { MemoryRun } from './materialization/memory/cellStore.ts'
import { isComparable, MAX_COMPARED_ROWS, unordered } from './materialization/rules/comparable.ts'
import { planFromStored } from './materialization/insightRows.ts'
import type { Materializations } from './materialization/materializations.ts'
import { tableReading } from './materialization/plan.ts'
import type { MaterializedTable } from './materialization/tables/state.ts'
import { statementPrefix } from './running.ts'
import type { Choice, Speeds } from './speeds.ts'
import type { InsightWork, PreparedRun, RunRequest, SqlWork } from './prepareRun.ts'

/** The cached part of a run's response, which depends only on the rows. */
export interface Outcome {
  /** Rows, or the chart data of an insight. */
  readonly results: InsightResults
  /** Column names. SQL only, as are `types`. */
  readonly columns?: readonly string[]
  /** Pairs of column name and engine type. */
  readonly types?: readonly (readonly [string, string])[]
  /** Whether more rows follow. For an insight: whether values were combined as "Other". */
  readonly hasMore: boolean
  readonly limit?: number
  readonly offset?: number
  /** For a run with a cursor: the cursor of the next page, null after the last. */
  readonly next_cursor?: string | null
  /**
   * Present if the rows are from a materialized table. `endpoint_materialized_at`: when it was built. Later events were
   * read live.
   */
  readonly endpoint_materialized?: true
  readonly endpoint_materialized_at?: string
}

/** The statements that return a run's rows. */
export interface RunSources<Text extends Statement = Statement> {
  /** Returns statements that read the events. Compiles on the first call. Throws `ApiError`. */
  readonly live: () => readonly Text[]
  /**
   * Statements that read a table, plus the events that arrived after the table was filled, if any did. Absent: no table fits the
   * run.
   */
  readonly stored?: {
    readonly table: MaterializedTable
    /** Compiles on the first call. Throws `ApiError`. */
    readonly statements: () => readonly Text[]
    /** Alternative in which the service finishes the run from memory. Absent: it cannot. */
    readonly cells?: MemoryRun | undefined
  }
}

/**
 * Where a run gets its result: from the cache if a result there fits `cache`, otherwise from the table if `sources` has
 * one, otherwise live.
 */
export interface RunPlan {
  /** Conditions for a cached result. `isForced`: no cached result is returned. */
  readonly cache: Pick<CacheRequest<Outcome>, 'key' | 'terms' | 'maxAgeMs' | 'isForced'> & {
    /** Whether results are returned although events have arrived since. */
    readonly toleratesNewEvents: boolean
  }
  /** Compiles on the first call, because a cached result needs no SQL. Throws `ApiError`. */
  readonly sources: () => RunSources
  /** Source of the run, as far as it is known before the statements are. */
  readonly choice: SourceChoice
  readonly limits: ReadLimits
  readonly allowance: RunAllowance
  /** The SQL query. Absent for an insight. */
  readonly parsed?: ParsedQuery
  /** Shapes the results of one source's statements, in their order. */
  readonly toOutcome: (results: readonly Result[]) => Outcome
  /**
   * Returns the sources without order and limit, so that their rows can be compared at any later time. `undefined`: two
   * correct results may differ.
   */
  readonly comparison: () => RunSources | undefined
}

export interface PlanOptions {
  readonly materializations: Pick<Materializations, 'stored' | 'isEnabled'>
  /** Whether a table contains every event. Absent: events are read beside each table. */
  readonly isComplete?: (table: MaterializedTable) => boolean
  /** Chooses the faster source of a version. Absent: each run reads the table that fits it. */
  readonly choose?: Speeds['choose']
  readonly allowance: RunAllowance
  /** Whether all rows are returned as one stream, rather than one page of them. */
  readonly isStream?: boolean
}

/** Source that a run should read, and the reason. */
export type SourceChoice = Omit<Choice, 'reason'> & {
  readonly reason: Choice['reason'] | 'not_materialized' | 'no_table' | 'requested'
}

/** Decisions that differ between SQL and insights. */
type KindPlan = Pick<RunPlan, 'sources' | 'parsed' | 'toOutcome' | 'comparison'> & {
  /** Everything that determines the outcome, except the project and the version. */
  readonly cacheKey: unknown
  readonly maxRows: number
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const orApiError = <Value>(make: () => Value): Value => {
  try {
    return make()
  } catch (error) {
    throw toApiError(error)
  }
}

const compile = (...args: Parameters<typeof compileQuery>): Compiled => orApiError(() => compileQuery(...args))

/** Compiles a query against the events and, if the table has the query's shape, against the table. */
const sqlSources = (
  { parsed, values: variables, assumed: { isUnmerged, isPlain } }: SqlWork,
  options: Omit<CompileOptions, 'variables'>,
  table: MaterializedTable | undefined,
  isComplete = false,
): RunSources<Compiled> => {
  const live = once(() => {
    const plain = isPlain ? parsed.properties.filter(isPlain) : []
    return [compile(parsed, { ...options, variables, isUnmerged, plain })]
  })
  if (!table) return { live }
  const reading = orApiError(() => tableReading(parsed, variables, { ...table, isComplete }))
  if (!reading) return { live }
  const statements = once(() => [compile(parsed, { ...options, variables, replace: reading.replace })])
  const cells = options.keyset ? undefined : reading.cells(options)
  return { live, stored: { table, statements, cells } }
}

/** Compiles statements that return the same rows in any order: live, and from the table if it has the query's shape. */
const comparedSources = (
  { parsed, values: variables }: SqlWork,
  options: { readonly projectId: number; readonly limit: number },
  table: MaterializedTable | undefined,
): RunSources<Compiled> => {
  const replace = unordered(parsed)
  const live = once(() => [compile(parsed, { ...options, variables, replace })])
  if (!table) return { live }
  const reading = orApiError(() => tableReading(parsed, variables, table))
  if (!reading) return { live }
  const cells = reading.cells(options)
  const statements = once(() => [
    compile(parsed, { ...options, variables, replace: (node, sql) => reading.replace(node, replace(node, sql)) }),
  ])
  return { live, stored: { table, statements, cells: cells && { ...cells, order: [], skip: 0, count: options.limit } } }
}

/** Returns the maximum rows of a SQL run: `page` in the response, `requested` in the statement, `max` before the engine rejects it. */
const rowBounds = (limit: number | undefined, { allowance, isStream }: PlanOptions) => {
  const allowed = isStream ? allowance.streamRows : allowance.rows
  const page = Math.min(limit ?? allowed, allowed)
  return isStream
    ? { page, requested: Math.min(limit ?? Infinity, allowed + 1), max: allowed }
    : // One extra row shows whether more rows follow.
      { page, requested: page + 1, max: page + 1 }
}

const pageOf = (cursor: string, owner: string) => ({ owner, after: readCursor(cursor, owner) })

const planSql = (
  work: SqlWork,
  request: RunRequest,
  queryId: string,
  table: MaterializedTable | undefined,
  options: PlanOptions,
): KindPlan => {
  const { parsed, values } = work
  const { projectId, limit, offset, cursor } = request
  const rows = rowBounds(limit, options)
  const page = cursor === undefined ? undefined : pageOf(cursor, cursorOwner(queryId, values))
  const sources = once(() =>
    sqlSources(
      work,
      {
        projectId,
        limit: rows.requested,
        ...(offset === undefined ? {} : { offset }),
        ...(page && { keyset: { after: page.after } }),
      },
      table,
      table && options.isComplete?.(table),
    ),
  )
  return {
    cacheKey: [values, rows.page, limit ?? null, offset ?? null, cursor ?? null],
    maxRows: rows.max,
    parsed,
    sources,
    toOutcome([result]) {
      const { live, stored } = sources()
      // Only pages that follow a cursor have key columns.
      const keyCount = page ? (stored?.statements ?? live)()[0]!.keyCount : 0
      const kept = result!.rows.slice(0, rows.page)
      const columns = result!.columns.slice(0, result!.columns.length - keyCount)
      const hasMore = result!.rows.length > rows.page
      return {
        results: keyCount ? kept.map((row) => row.slice(0, columns.length)) : kept,
        columns: columns.map(({ name }) => name),
        types: columns.map(({ name, type }) => [name, type] as const),
        hasMore,
        ...(limit === undefined ? {} : { limit: rows.page }),
        ...(offset === undefined ? {} : { offset }),
        ...(page && { next_cursor: hasMore ? nextCursor(kept, keyCount, page.owner, page.after) : null }),
      }
    },
    comparison: () =>
      isComparable(parsed) ? comparedSources(work, { projectId, limit: MAX_COMPARED_ROWS + 1 }, table) : undefined,
  }
}

const planInsight = (
  { query, run, plan, timezone, variables, assumed }: InsightWork,
  table: MaterializedTable | undefined,
  { allowance, isComplete }: PlanOptions,
): KindPlan => {
  const sourcesOf = (isTableComplete: boolean, isUnmerged?: boolean): RunSources => {
    const stored = table && planFromStored(query, run, { ...table, isComplete: isTableComplete }, isUnmerged)
    return {
      live: () => plan.statements,
      ...(stored ? { stored: { table, statements: () => stored.plan.statements, cells: stored.intervals } } : {}),
    }
  }
  return {
    cacheKey: [timezone, variables],
    maxRows: allowance.rows + 1,
    sources: once(() => sourcesOf(Boolean(table && isComplete?.(table)), assumed.isUnmerged)),
    toOutcome: (results) => plan.shape(results.map(({ rows }) => rows)),
    comparison: () => ({ ...sourcesOf(false), live: () => planLive(query, run).statements }),
  }
}

const choiceOf = (
  stored: PreparedRun['stored'],
  isDirect: boolean,
  { materializations, choose }: PlanOptions,
): SourceChoice => {
  if (isDirect) return { source: 'live', reason: 'requested' }
  if (!stored || !materializations.isEnabled(stored.version)) return { source: 'live', reason: 'not_materialized' }
  if (!materializations.stored(stored.version)) return { source: 'live', reason: 'no_table' }
  return choose?.(stored.version.id) ?? { source: 'table', reason: 'not_measured' }
}

/** Decides where a prepared run gets its result. Executes nothing. Throws `ApiError`. */
export const planRun = (prepared: PreparedRun, request: RunRequest, options: PlanOptions): RunPlan => {
  const { queryId, stored, work, maxAgeSeconds, toleratesNewEvents } = prepared
  const { materializations, allowance } = options
  const { projectId, refresh, clientQueryId, cacheScope = null } = request
  const isDirect = refresh === 'direct'
  if (isDirect && !(stored && materializations.isEnabled(stored.version)))
    throw new ApiError('not_materialized', { attr: 'refresh' })
  const choice = choiceOf(stored, isDirect, options)
  const table = choice.source === 'table' ? materializations.stored(stored!.version) : undefined
  const { cacheKey, maxRows, ...plan } =
    work.kind === 'sql' ? planSql(work, request, queryId, table, options) : planInsight(work, table, options)
  return {
    ...plan,
    choice,
    allowance,
    limits: {
      projectId,
      maxSeconds: allowance.seconds,
      maxMemoryBytes: allowance.memoryBytes,
      maxRows,
      maxBytes: MAX_RESULT_BYTES,
      ...(clientQueryId === undefined ? {} : { idPrefix: statementPrefix(projectId, clientQueryId) }),
    },
    cache: {
      // The key contains the table's name, and its layers, so that a result from a retired table is not returned again.
      key: createHash('sha256')
        .update(
          JSON.stringify([
            projectId,
            queryId,
            work.kind,
            cacheKey,
            cacheScope,
            table ? [table.table, table.layers.map(({ id }) => id)] : null,
          ]),
        )
        .digest('hex'),
      terms: JSON.stringify([allowance.seconds, allowance.memoryBytes, allowance.rows]),
      maxAgeMs: maxAgeSeconds * 1_000,
      toleratesNewEvents,
      isForced: refresh === 'force' || isDirect,
    },
  }
}
