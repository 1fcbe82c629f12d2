import { randomUUID } from 'node:crypto'
import { Refusal } from '../lib/refusal.ts'
import type { Records, Variable } from '../storage/records.ts'
import { type Result, type RunLimits, type Storage, StorageError, type StorageErrorKind } from '../storage/storage.ts'
import { parse, type SqlQuery, toRefusal } from './definitions/check.ts'
import { findEndpoint, findVersion } from './definitions/endpoint.ts'
import type { Plan } from './insights/insight.ts'
import { isInsight, planInsight, UTC } from './insights/insights.ts'
import { type BoundValue, type Compiled, compileQuery, type ParsedQuery } from './sql/compile.ts'
import { bindVariables } from './variables/bind.ts'

export interface RunRequest {
  readonly projectId: number
  readonly endpoint: string
  readonly variables: Readonly<Record<string, unknown>>
  /** Absent: the current version. */
  readonly version?: number
  readonly limit?: number
  readonly offset?: number
  readonly refresh?: 'cache' | 'force' | 'direct'
}

export interface RunAnswer {
  /** Rows, or what an insight of its kind is made of. */
  readonly results: readonly unknown[]
  /** Of SQL only, as `types`. */
  readonly columns?: readonly string[]
  /** Pairs of name and engine type. */
  readonly types?: readonly (readonly [string, string])[]
  /** Whether there are rows after these; of an insight, whether values were put together as "Other". */
  readonly hasMore: boolean
  readonly limit?: number
  readonly offset?: number
  readonly name: string
  readonly execution_id: string
  readonly endpoint_version: number
  readonly endpoint_version_created_at: string
  readonly is_cached: boolean
  readonly last_refresh: string
  readonly timezone: 'UTC'
}

export type RunEndpoint = (request: RunRequest) => Promise<RunAnswer>

export interface RunRooms {
  readonly records: Pick<Records, 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'run'>
}

/** Most rows of one answer. */
export const MAX_ROWS = 50_000
const MAX_SECONDS = 10
const MAX_MEMORY_BYTES = 1_000_000_000

// Too slow, too large or too heavy is the query's fault and stays so: 4xx, because asking again would not help.
const RUN_REFUSALS: Readonly<Record<StorageErrorKind, (error: StorageError) => Refusal>> = {
  unavailable: () => new Refusal('engine_unavailable', { retryAfterSeconds: 2 }),
  timeout: () => new Refusal('query_timeout', { detail: `The query took longer than ${MAX_SECONDS} s.` }),
  memory: () => new Refusal('query_memory_limit'),
  size: () => new Refusal('query_too_large'),
  query: ({ engineCode }) => new Refusal('query_failed', { ...(engineCode ? { code: engineCode.toLowerCase(), detail: `The engine refused the query: ${engineCode}.` } : {}) }),
  data: () => new Refusal('query_failed'),
}

const findNeeded = (parsed: ParsedQuery, definitions: readonly Variable[]) =>
  parsed.variables.map((name) => {
    const definition = definitions.find(({ codeName }) => codeName === name)
    if (!definition) throw new Refusal('undefined_variables', { detail: `Query references undefined variable(s): ${name}`, attr: 'query' })
    return definition
  })

const compile = (parsed: ParsedQuery, options: { projectId: number; variables: Record<string, BoundValue>; limit: number; offset?: number }): Compiled => {
  try {
    return compileQuery(parsed, options)
  } catch (error) {
    throw toRefusal(error)
  }
}

/**
 * Runs a stored endpoint: find → bind → compile → execute → shape. Values are checked before anything is executed, whatever
 * would serve the run.
 */
export const createRun = ({ records, storage }: RunRooms): RunEndpoint => {
  const execute = async (statement: Compiled, limits: RunLimits) => {
    try {
      return await storage.run(statement, limits)
    } catch (error) {
      throw error instanceof StorageError ? RUN_REFUSALS[error.kind](error) : error
    }
  }

  const limits = (projectId: number): RunLimits => ({ projectId, maxSeconds: MAX_SECONDS, maxMemoryBytes: MAX_MEMORY_BYTES, maxRows: MAX_ROWS + 1 })

  const runSql = async (parsed: ParsedQuery, values: Record<string, BoundValue>, { projectId, limit, offset }: RunRequest) => {
    if (offset !== undefined && limit === undefined) throw new Refusal('invalid_input', { detail: '"offset" needs "limit".', attr: 'offset' })
    const rows = Math.min(limit ?? MAX_ROWS, MAX_ROWS)
    // One row more than is answered says whether there are more.
    const compiled = compile(parsed, { projectId, variables: values, limit: rows + 1, ...(offset === undefined ? {} : { offset }) })
    const result = await execute(compiled, limits(projectId))
    return {
      results: result.rows.slice(0, rows),
      columns: result.columns.map((column) => column.name),
      types: result.columns.map((column) => [column.name, column.type] as const),
      hasMore: result.rows.length > rows,
      ...(limit === undefined ? {} : { limit: rows }),
      ...(offset === undefined ? {} : { offset }),
    }
  }

  const runInsight = async ({ statements, shape }: Plan, { projectId }: RunRequest) => {
    const answers: Result['rows'][] = []
    // One after another: a run takes one of the engine's places, whatever its query.
    for (const statement of statements) answers.push((await execute(statement, limits(projectId))).rows)
    return shape(answers)
  }

  /** Checks everything that a run was sent; what it gives executes the run. */
  const prepare = async (query: unknown, request: RunRequest) => {
    const { projectId, variables, limit, offset } = request
    if (!isInsight(query)) {
      const parsed = parse((query as SqlQuery).query)
      const values = bindVariables(findNeeded(parsed, await records.variables.list(projectId)), variables)
      return () => runSql(parsed, values, request)
    }
    const paging = limit !== undefined ? 'limit' : offset !== undefined ? 'offset' : undefined
    if (paging) throw new Refusal('invalid_input', { detail: `An insight has no pages: leave out "${paging}".`, attr: paging })
    const plan = planInsight(query, { projectId, variables, zone: UTC, now: Date.now() })
    return () => runInsight(plan, request)
  }

  return async (request) => {
    const { projectId, endpoint: name, version: wanted, refresh } = request
    const endpoint = await findEndpoint(records, projectId, name)
    if (!endpoint.isActive) throw new Refusal('not_found', { detail: 'This endpoint is not active.' })
    const version = await findVersion(records, endpoint, wanted)
    const runPrepared = await prepare(version.query, request)
    if (!version.isActive) throw new Refusal('version_inactive', { detail: `Version ${version.version} of this endpoint is not active.`, attr: 'version' })
    if (refresh === 'direct') throw new Refusal('not_materialized', { attr: 'refresh' })

    const answer = await runPrepared()
    const executedAt = new Date().toISOString()
    await records.endpoints.touch(endpoint.id, executedAt)
    return {
      ...answer,
      name: endpoint.name,
      execution_id: randomUUID(),
      endpoint_version: version.version,
      endpoint_version_created_at: version.createdAt,
      is_cached: false,
      last_refresh: executedAt,
      timezone: 'UTC',
    }
  }
}
