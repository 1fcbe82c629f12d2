import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { RunAnswer, RunRequest } from '../../endpoints/run.ts'
import { narrowRun, withoutQuery } from '../../endpoints/tokens/narrow.ts'
import { ApiError } from '../../lib/apiError.ts'
import { booleanParam, CLOSED, integerParam, invalidInput } from '../request.ts'
import { type Dependencies, type Handler, type RouteRequest, type RouteResponse, route } from '../route.ts'
import { RUN_RESULT } from './endpointSchemas.ts'

/** How a run uses the cache, by the values of "refresh". The last two are older names. */
const REFRESH = {
  cache: 'cache',
  force: 'force',
  direct: 'direct',
  blocking: 'cache',
  force_blocking: 'force',
} as const
type Refresh = keyof typeof REFRESH

const MEDIA_TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const
type Format = keyof typeof MEDIA_TYPES

const RUN = Type.Object(
  {
    variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    refresh: Type.Optional(Type.Unsafe<Refresh>({ type: 'string', enum: Object.keys(REFRESH) })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
    debug: Type.Optional(Type.Boolean()),
    format: Type.Optional(Type.Unsafe<Format>({ type: 'string', enum: Object.keys(MEDIA_TYPES) })),
    client_query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  CLOSED,
)

/** The body of a POST. A GET has query parameters instead. */
type RunBody = Static<typeof RUN> | undefined

const variablesParam = ({ query }: RouteRequest): Record<string, unknown> => {
  if (query.variables === undefined) return {}
  let input: unknown
  try {
    input = JSON.parse(query.variables)
  } catch {
    input = undefined
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidInput(
      'variables',
      'The query parameter "variables" must be a percent-encoded JSON object, such as {"plan":"pro"}.',
    )
  return input as Record<string, unknown>
}

const isKeyOf = <Keys extends string>(table: Readonly<Record<Keys, unknown>>, key: string): key is Keys =>
  Object.hasOwn(table, key)

const formatOf = ({ query, headers, body }: RouteRequest<RunBody>): Format => {
  const format = body?.format ?? query.format
  if (format !== undefined) {
    if (!isKeyOf(MEDIA_TYPES, format)) throw invalidInput('format', '"format" must be json, ndjson or csv.')
    return format
  }
  const accepted = headers.accept ?? ''
  return /^text\/csv\b/.test(accepted) ? 'csv' : /^application\/(x-)?ndjson\b/.test(accepted) ? 'ndjson' : 'json'
}

const toRunRequest = (request: RouteRequest<RunBody>): RunRequest => {
  const { query } = request
  const { variables, ...body } = request.body ?? {}
  const refresh = body.refresh ?? query.refresh ?? 'cache'
  if (!isKeyOf(REFRESH, refresh))
    throw invalidInput('refresh', `"refresh" must be one of ${Object.keys(REFRESH).join(', ')}.`)
  return {
    projectId: request.projectId,
    key: request.key,
    signal: request.signal,
    clientQueryId: body.client_query_id ?? query.client_query_id,
    endpoint: request.params.name!,
    variables: variables ?? variablesParam(request),
    version: body.version ?? integerParam(request, 'version', { min: 1 }),
    limit: body.limit ?? integerParam(request, 'limit', { min: 1 }),
    offset: body.offset ?? integerParam(request, 'offset', { min: 0 }),
    cursor: body.cursor ?? query.cursor,
    refresh: REFRESH[refresh],
    isDebug: body.debug ?? booleanParam(request, 'debug') ?? false,
  }
}

const execute = async (dependencies: Dependencies, request: RunRequest, format: Format): Promise<RouteResponse> => {
  if (format === 'json') return { body: await dependencies.run(request), headers: { 'cache-control': 'no-store' } }
  const body = await dependencies.stream(request, format)
  return { body, headers: { 'content-type': MEDIA_TYPES[format], 'cache-control': 'no-store' } }
}

const run = async (dependencies: Dependencies, request: RouteRequest<RunBody>): Promise<RouteResponse> => {
  const runRequest = toRunRequest(request)
  const format = formatOf(request)
  if (!request.grant) return execute(dependencies, runRequest, format)
  const narrowed = narrowRun(runRequest, request.grant.claims)
  try {
    return await execute(dependencies, narrowed, format)
  } catch (error) {
    throw withoutQuery(error)
  }
}

/** Returns an ETag that depends on the rows, not on how and when they were computed. */
const etagOf = ({
  execution_id: _id,
  is_cached: _isCached,
  last_refresh: _lastRefresh,
  cache_target_age: _cacheTargetAge,
  timings: _timings,
  endpoint_materialized: _materialized,
  endpoint_materialized_at: _materializedAt,
  clickhouse: _clickhouse,
  ...stable
}: RunAnswer): string => `W/"${createHash('sha256').update(JSON.stringify(stable)).digest('base64url')}"`

const matches = (etag: string, header: string | undefined) =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((each) => each.trim() === etag))

// Caches must revalidate, so that a request with another key, or without one, never gets the response.
const REVALIDATE = { 'cache-control': 'private, no-cache', vary: 'authorization, accept' }

const runByGet: Handler<undefined> = async (dependencies, request) => {
  const response = await run(dependencies, request)
  if (response.headers?.['content-type']) return response
  const etag = etagOf(response.body as RunAnswer)
  const headers = { etag, ...REVALIDATE }
  return matches(etag, request.headers['if-none-match']) ? { status: 304, headers } : { ...response, headers }
}

const RUN_PATH = '/api/projects/:projectId/endpoints/:name/run'

/** Runs of endpoints. */
export const RUN_ROUTES = [
  route({
    method: 'GET',
    path: RUN_PATH,
    summary: 'Run an endpoint. Responses may be cached and revalidated by their ETag',
    access: 'endpoint:read',
    query: { ...RUN.properties, variables: Type.String() },
    response: RUN_RESULT,
    handler: runByGet,
  }),
  route({
    method: 'POST',
    path: RUN_PATH,
    summary: 'Run an endpoint, by key or by run token',
    access: 'endpoint:read',
    takesRunTokens: true,
    body: RUN,
    response: RUN_RESULT,
    handler: run,
  }),
  route({
    method: 'DELETE',
    path: '/api/projects/:projectId/query/:id',
    summary: 'Cancel a run by its client_query_id',
    access: 'endpoint:read',
    handler: ({ running }, { projectId, params }) => {
      if (!running.cancel(projectId, params.id!))
        throw new ApiError('not_found', { detail: 'No run with this client_query_id is in progress.' })
      return { status: 204 }
    },
  }),
]
