import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { RunAnswer } from '../run.ts'
import { toLargeJson } from '../../lib/largeJson.ts'
import { narrowRun, withoutQuery } from '../tokens/narrow.ts'
import { unlessKnown } from '../../http/etag.ts'
import { CLOSED, integerParam } from '../../http/request.ts'
import { type Handler, type RouteRequest, type RouteResponse, routesWith } from '../../http/route.ts'
import { formatOf, RUN_FIELDS, runInFormat, runOptions, type Runners } from './runRequest.ts'
import { RUN_RESULT } from './endpointSchemas.ts'

/** What the routes use. */
type RunParts = Runners

const route = routesWith<RunParts>()

const RUN = Type.Object({ ...RUN_FIELDS, version: Type.Optional(Type.Integer({ minimum: 1 })) }, CLOSED)

/** The body of a POST. A GET has query parameters instead. */
type RunBody = Static<typeof RUN> | undefined

const run = async (parts: RunParts, request: RouteRequest<RunBody>): Promise<RouteResponse> => {
  const runRequest = {
    ...runOptions(request),
    endpoint: request.params.name!,
    version: request.body?.version ?? integerParam(request, 'version', { min: 1 }),
  }
  const format = formatOf(request)
  if (!request.grant) return runInFormat(parts, runRequest, format)
  const { request: narrowed, days } = narrowRun(runRequest, request.grant)
  try {
    const response = await runInFormat(parts, narrowed, format)
    return days && format === 'json' ? { ...response, body: { ...(response.body as RunAnswer), days } } : response
  } catch (error) {
    throw withoutQuery(error)
  }
}

/** Returns an ETag that depends on the rows, not on how and when they were computed. */
const etagOf = async ({
  execution_id: _id,
  is_cached: _isCached,
  last_refresh: _lastRefresh,
  cache_target_age: _cacheTargetAge,
  timings: _timings,
  endpoint_materialized: _materialized,
  endpoint_materialized_at: _materializedAt,
  clickhouse: _clickhouse,
  ...stable
}: RunAnswer): Promise<string> => {
  const hash = createHash('sha256')
  for (const chunk of await toLargeJson(stable)) hash.update(chunk)
  return `W/"${hash.digest('base64url')}"`
}

// Caches must revalidate, so that a request with another key, or without one, never gets the response.
const REVALIDATE = { 'cache-control': 'private, no-cache', vary: 'authorization, accept' }

const runByGet: Handler<RunParts, undefined> = async (parts, request) => {
  const response = await run(parts, request)
  if (response.headers?.['content-type']) return response
  return unlessKnown(request, await etagOf(response.body as RunAnswer), { ...response, headers: REVALIDATE })
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
    readsQuery: true,
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
]
