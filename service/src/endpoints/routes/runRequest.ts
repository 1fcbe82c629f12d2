import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { RunEndpoint, RunRequest } from '../run.ts'
import type { StreamEndpoint } from '../stream.ts'
import { booleanParam, integerParam, invalidInput } from '../../http/request.ts'
import type { RouteRequest, RouteResponse } from '../../http/route.ts'

/** Use of the cache by a run, by the values of "refresh". The last two are older names. */
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

/** The fields of every run's body. */
export const RUN_FIELDS = {
  variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  refresh: Type.Optional(Type.Unsafe<Refresh>({ type: 'string', enum: Object.keys(REFRESH) })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
  debug: Type.Optional(Type.Boolean()),
  format: Type.Optional(Type.Unsafe<Format>({ type: 'string', enum: Object.keys(MEDIA_TYPES) })),
  client_query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
}
type RunFields = Static<TObject<typeof RUN_FIELDS>>

const variablesParam = ({ query }: Pick<RouteRequest, 'query'>): Record<string, unknown> => {
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

/** Returns the format that a request names, or accepts by its header. Throws `ApiError`. */
export const formatOf = ({ query, headers, body }: RouteRequest<RunFields | undefined>): Format => {
  const format = body?.format ?? query.format
  if (format !== undefined) {
    if (!isKeyOf(MEDIA_TYPES, format)) throw invalidInput('format', '"format" must be json, ndjson or csv.')
    return format
  }
  const accepted = headers.accept ?? ''
  return /^text\/csv\b/.test(accepted) ? 'csv' : /^application\/(x-)?ndjson\b/.test(accepted) ? 'ndjson' : 'json'
}

/** Returns the options of a run, from the body of a POST or the query parameters of a GET. Throws `ApiError`. */
export const runOptions = (request: RouteRequest<RunFields | undefined>) => {
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
    variables: variables ?? variablesParam(request),
    limit: body.limit ?? integerParam(request, 'limit', { min: 1 }),
    offset: body.offset ?? integerParam(request, 'offset', { min: 0 }),
    cursor: body.cursor ?? query.cursor,
    refresh: REFRESH[refresh],
    isDebug: body.debug ?? booleanParam(request, 'debug') ?? false,
  }
}

/** Functions that run a request. */
export interface Runners {
  readonly run: RunEndpoint
  readonly stream: StreamEndpoint
}

/** Runs a request and returns the response in a format. Rejects with `ApiError`. */
export const runInFormat = async (
  { run, stream }: Runners,
  request: RunRequest,
  format: Format,
): Promise<RouteResponse> => {
  if (format === 'json') return { body: await run(request), headers: { 'cache-control': 'no-store' } }
  const body = await stream(request, format)
  return { body, headers: { 'content-type': MEDIA_TYPES[format], 'cache-control': 'no-store' } }
}
