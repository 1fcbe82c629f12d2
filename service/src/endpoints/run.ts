import { randomUUID } from 'node:crypto'
import { Refusal } from '../lib/refusal.ts'
import type { EndpointVersion, Records, Variable } from '../storage/records.ts'
import { type Result, type RunLimits, type Storage, StorageError, type StorageErrorKind } from '../storage/storage.ts'
import { parse, type SqlQuery, toRefusal } from './definitions/check.ts'
import { findEndpoint, findVersion } from './definitions/endpoint.ts'
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
  readonly results: Result['rows']
  readonly columns: readonly string[]
  /** Pairs of name and engine type. */
  readonly types: readonly (readonly [string, string])[]
  /** Whether there are rows after these. */
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

const textOf = ({ query }: EndpointVersion) => (query as SqlQuery).query

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

  return async ({ projectId, endpoint: name, variables, version: wanted, limit, offset, refresh }) => {
    const endpoint = await findEndpoint(records, projectId, name)
    if (!endpoint.isActive) throw new Refusal('not_found', { detail: 'This endpoint is not active.' })
    const version = await findVersion(records, endpoint, wanted)
    const parsed = parse(textOf(version))
    const values = bindVariables(findNeeded(parsed, await records.variables.list(projectId)), variables)
    if (!version.isActive) throw new Refusal('version_inactive', { detail: `Version ${version.version} of this endpoint is not active.`, attr: 'version' })
    if (offset !== undefined && limit === undefined) throw new Refusal('invalid_input', { detail: '"offset" needs "limit".', attr: 'offset' })
    if (refresh === 'direct') throw new Refusal('not_materialized', { attr: 'refresh' })

    const rows = Math.min(limit ?? MAX_ROWS, MAX_ROWS)
    // One row more than is answered says whether there are more.
    const compiled = compile(parsed, { projectId, variables: values, limit: rows + 1, ...(offset === undefined ? {} : { offset }) })
    const result = await execute(compiled, { projectId, maxSeconds: MAX_SECONDS, maxMemoryBytes: MAX_MEMORY_BYTES, maxRows: MAX_ROWS + 1 })
    const executedAt = new Date().toISOString()
    await records.endpoints.touch(endpoint.id, executedAt)
    return {
      results: result.rows.slice(0, rows),
      columns: result.columns.map((column) => column.name),
      types: result.columns.map((column) => [column.name, column.type] as const),
      hasMore: result.rows.length > rows,
      ...(limit === undefined ? {} : { limit: rows }),
      ...(offset === undefined ? {} : { offset }),
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
