import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { type EndpointDefinitions, type EndpointInput, FRESHNESS_SECONDS } from '../endpoints/definitions/endpoint.ts'
import type { RunAnswer, RunRequest } from '../endpoints/run.ts'
import { narrowRun, withoutQuery } from '../endpoints/tokens/narrow.ts'
import { MAX_TTL_SECONDS, type RunTokenInput } from '../endpoints/tokens/runTokens.ts'
import type { VariableInput } from '../endpoints/variables/definitions.ts'
import { SCHEMA_TYPES, type SchemaTypeName } from '../endpoints/variables/schema.ts'
import { VARIABLE_TYPES, type VariableTypeName } from '../endpoints/variables/types.ts'
import { Refusal } from '../lib/refusal.ts'
import type { StreamFormat } from '../storage/storage.ts'
import type { Answer, Call, Rooms, Route } from './route.ts'

const closed = { additionalProperties: false } as const

const NAME = Type.String({ minLength: 1, maxLength: 400 })
const SCALARS = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { maxItems: 1_000 })
const VARIABLE_TYPE = Type.Unsafe<VariableTypeName>({ type: 'string', enum: Object.keys(VARIABLE_TYPES) })

const LIMIT = Type.Union([Type.Number(), Type.String({ maxLength: 40 })])
const COUNT = Type.Integer({ minimum: 0 })
const VARIABLE_SCHEMA = Type.Object(
  {
    type: Type.Unsafe<SchemaTypeName>({ type: 'string', enum: Object.keys(SCHEMA_TYPES) }),
    minimum: Type.Optional(LIMIT),
    maximum: Type.Optional(LIMIT),
    minLength: Type.Optional(COUNT),
    maxLength: Type.Optional(COUNT),
    pattern: Type.Optional(Type.String({ maxLength: 500 })),
    enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]), { minItems: 1, maxItems: 1_000 })),
    minItems: Type.Optional(COUNT),
    maxItems: Type.Optional(COUNT),
  },
  closed,
)

const CREATE_VARIABLE = Type.Object(
  {
    name: NAME,
    code_name: Type.Optional(Type.String()),
    type: VARIABLE_TYPE,
    default_value: Type.Optional(Type.Unknown()),
    values: Type.Optional(Type.Union([SCALARS, Type.Null()])),
    schema: Type.Optional(Type.Union([VARIABLE_SCHEMA, Type.Null()])),
  },
  closed,
)
const CHANGE_VARIABLE = Type.Partial(CREATE_VARIABLE, closed)

const QUERY = Type.Object({ kind: Type.String() })
const ENDPOINT_FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  is_active: Type.Optional(Type.Boolean()),
  is_materialized: Type.Optional(Type.Boolean()),
  date_variables: Type.Optional(Type.Boolean()),
  data_freshness_seconds: Type.Optional(Type.Unsafe<number>({ type: 'integer', enum: [...FRESHNESS_SECONDS] })),
}
const CREATE_ENDPOINT = Type.Object({ name: Type.String(), query: QUERY, ...ENDPOINT_FIELDS }, closed)
const CHANGE_ENDPOINT = Type.Object(
  {
    name: Type.Optional(Type.String()),
    query: Type.Optional(QUERY),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    ...ENDPOINT_FIELDS,
  },
  closed,
)

// So that a body meant for something else does no harm.
const NOTHING = Type.Object({}, closed)
const PREVIEW = Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1 })) }, closed)

const RUN = Type.Object(
  {
    variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    refresh: Type.Optional(
      Type.Unsafe<string>({ type: 'string', enum: ['cache', 'force', 'direct', 'blocking', 'force_blocking'] }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
    debug: Type.Optional(Type.Boolean()),
    format: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['json', 'ndjson', 'csv'] })),
    client_query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
)

const NAMES = (minItems: number, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { minItems, maxItems, uniqueItems: true })
const RUN_TOKEN = Type.Object(
  {
    endpoints: NAMES(1, 50),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    allowed_variables: Type.Optional(NAMES(0, 100)),
    ttl_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TTL_SECONDS })),
    expires_at: Type.Optional(Type.String({ maxLength: 40 })),
    runs_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    origins: Type.Optional(NAMES(1, 20)),
  },
  closed,
)

// Older names that clients still send.
const REFRESH: Readonly<Record<string, 'cache' | 'force' | 'direct'>> = {
  cache: 'cache',
  force: 'force',
  direct: 'direct',
  blocking: 'cache',
  force_blocking: 'force',
}

interface RunBody {
  readonly variables?: Record<string, unknown> | null
  readonly refresh?: string
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
  readonly debug?: boolean
  readonly format?: string
  readonly client_query_id?: string
  readonly version?: number
}

const integer = ({ query }: Call, name: string, least: number): number | undefined => {
  const text = query[name]
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text) || value < least)
    throw new Refusal('invalid_input', { detail: `"${name}" is a whole number, ${least} or more.`, attr: name })
  return value
}

const flag = ({ query }: Call, name: string): boolean | undefined => {
  const text = query[name]
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false')
    throw new Refusal('invalid_input', { detail: `"${name}" is true or false.`, attr: name })
  return text === 'true'
}

const page = (results: readonly unknown[]): Answer => ({
  body: { count: results.length, next: null, previous: null, results },
})

const variablesOf = ({ query }: Call): Record<string, unknown> => {
  if (query.variables === undefined) return {}
  let given: unknown
  try {
    given = JSON.parse(query.variables)
  } catch {
    given = undefined
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Refusal('invalid_input', {
      detail: '"variables" in the address is a JSON object, such as {"plan":"pro"}, percent-encoded.',
      attr: 'variables',
    })
  }
  return given as Record<string, unknown>
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

const formatOf = ({ query, headers }: Call, given: string | undefined): string => {
  const asked = given ?? query.format
  if (asked !== undefined) {
    if (!Object.hasOwn(MEDIA_TYPES, asked))
      throw new Refusal('invalid_input', { detail: '"format" is json, ndjson or csv.', attr: 'format' })
    return asked
  }
  const accepted = headers.accept ?? ''
  return /^text\/csv\b/.test(accepted) ? 'csv' : /^application\/(x-)?ndjson\b/.test(accepted) ? 'ndjson' : 'json'
}

/** The same for the same rows, whenever and however they were come by. */
const etagOf = ({
  execution_id: _id,
  is_cached: _how,
  last_refresh: _from,
  cache_target_age: _to,
  timings: _took,
  endpoint_materialized: _stored,
  endpoint_materialized_at: _at,
  clickhouse: _sql,
  ...stable
}: RunAnswer): string => `W/"${createHash('sha256').update(JSON.stringify(stable)).digest('base64url')}"`

const isAmong = (etag: string, header: string | undefined) =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((each) => each.trim() === etag))

// Kept by nobody without asking again: another key, or none, must not see it.
const REVALIDATE = { 'cache-control': 'private, no-cache', vary: 'authorization, accept' }

const requestOf = (call: Call): RunRequest & { format: string } => {
  const { variables, refresh = call.query.refresh ?? 'cache', ...body } = (call.body ?? {}) as RunBody
  if (!Object.hasOwn(REFRESH, refresh))
    throw new Refusal('invalid_input', {
      detail: `"refresh" is one of ${Object.keys(REFRESH).join(', ')}.`,
      attr: 'refresh',
    })
  return {
    projectId: call.projectId,
    key: call.key,
    signal: call.signal,
    clientQueryId: body.client_query_id ?? call.query.client_query_id,
    endpoint: call.params.name!,
    variables: variables ?? variablesOf(call),
    version: body.version ?? integer(call, 'version', 1),
    limit: body.limit ?? integer(call, 'limit', 1),
    offset: body.offset ?? integer(call, 'offset', 0),
    cursor: body.cursor ?? call.query.cursor,
    refresh: REFRESH[refresh],
    isDebug: body.debug ?? flag(call, 'debug') ?? false,
    format: formatOf(call, body.format),
  }
}

const execute = async (rooms: Rooms, { format, ...request }: RunRequest & { format: string }): Promise<Answer> => {
  if (format !== 'json') {
    const body = await rooms.stream(request, format as StreamFormat)
    return { body, headers: { 'content-type': MEDIA_TYPES[format]!, 'cache-control': 'no-store' } }
  }
  return { body: await rooms.run(request), headers: { 'cache-control': 'no-store' } }
}

const run = async (rooms: Rooms, call: Call): Promise<Answer> => {
  const request = requestOf(call)
  if (!call.grant) return execute(rooms, request)
  const narrowed = { ...narrowRun(request, call.grant.claims), format: request.format }
  return execute(rooms, narrowed).catch((error) => {
    throw withoutQuery(error)
  })
}

const runByAddress: Route['handler'] = async (rooms, call) => {
  const answer = await run(rooms, call)
  if (answer.headers?.['content-type']) return answer
  const etag = etagOf(answer.body as RunAnswer)
  const headers = { etag, ...REVALIDATE }
  return isAmong(etag, call.headers['if-none-match']) ? { status: 304, headers } : { ...answer, headers }
}

const changeEndpoint: Route['handler'] = async ({ endpoints }, call) => {
  const changes = call.body as EndpointInput
  return {
    body: await endpoints.update(call.projectId, call.params.name!, {
      ...changes,
      version: changes.version ?? integer(call, 'version', 1),
    }),
  }
}

const changeVariable: Route['handler'] = async ({ variables }, { projectId, params, body }) => ({
  body: await variables.update(projectId, params.id!, withoutNullValues(body as Partial<VariableInput>)),
})

const withoutNullValues = <Input extends { values?: unknown }>({ values, ...rest }: Input) => ({
  ...rest,
  ...(values ? { values: values as string[] } : {}),
})

const VARIABLES = '/api/projects/:projectId/insight_variables'
const ENDPOINTS = '/api/projects/:projectId/endpoints'

/** Variables, endpoints and their runs. */
export const ENDPOINT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: VARIABLES,
    summary: 'List the variables',
    access: 'insight_variable:read',
    handler: async ({ variables }, { projectId }) => page(await variables.list(projectId)),
  },
  {
    method: 'POST',
    path: VARIABLES,
    summary: 'Define a variable',
    access: 'insight_variable:write',
    body: CREATE_VARIABLE,
    handler: async ({ variables }, { projectId, body }) => ({
      status: 201,
      body: await variables.create(projectId, withoutNullValues(body as VariableInput)),
    }),
  },
  {
    method: 'GET',
    path: `${VARIABLES}/:id`,
    summary: 'Read a variable',
    access: 'insight_variable:read',
    handler: async ({ variables }, { projectId, params }) => ({ body: await variables.get(projectId, params.id!) }),
  },
  {
    method: 'PATCH',
    path: `${VARIABLES}/:id`,
    summary: 'Change a variable',
    access: 'insight_variable:write',
    body: CHANGE_VARIABLE,
    handler: changeVariable,
  },
  {
    method: 'PUT',
    path: `${VARIABLES}/:id`,
    summary: 'Change a variable',
    access: 'insight_variable:write',
    body: CHANGE_VARIABLE,
    handler: changeVariable,
  },
  {
    method: 'DELETE',
    path: `${VARIABLES}/:id`,
    summary: 'Delete a variable that no endpoint uses',
    access: 'insight_variable:write',
    handler: async ({ variables }, { projectId, params }) => {
      await variables.remove(projectId, params.id!)
      return { status: 204 }
    },
  },

  {
    method: 'GET',
    path: ENDPOINTS,
    summary: 'List the endpoints',
    access: 'endpoint:read',
    handler: async ({ endpoints }, call) =>
      page(await endpoints.list(call.projectId, { isActive: flag(call, 'is_active') })),
  },
  {
    method: 'POST',
    path: ENDPOINTS,
    summary: 'Create an endpoint',
    access: 'endpoint:write',
    body: CREATE_ENDPOINT,
    handler: async ({ endpoints }, { projectId, body }) => ({
      status: 201,
      body: await endpoints.create(projectId, body as Parameters<EndpointDefinitions['create']>[1]),
    }),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name`,
    summary: 'Read an endpoint, or with ?version= one of its versions',
    access: 'endpoint:read',
    handler: async ({ endpoints }, call) => ({
      body: await endpoints.get(call.projectId, call.params.name!, integer(call, 'version', 1)),
    }),
  },
  {
    method: 'PATCH',
    path: `${ENDPOINTS}/:name`,
    summary: 'Change an endpoint; a changed query is its next version',
    access: 'endpoint:write',
    body: CHANGE_ENDPOINT,
    handler: changeEndpoint,
  },
  {
    method: 'PUT',
    path: `${ENDPOINTS}/:name`,
    summary: 'Change an endpoint; a changed query is its next version',
    access: 'endpoint:write',
    body: CHANGE_ENDPOINT,
    handler: changeEndpoint,
  },
  {
    method: 'DELETE',
    path: `${ENDPOINTS}/:name`,
    summary: 'Delete an endpoint',
    access: 'endpoint:write',
    handler: async ({ endpoints }, { projectId, params }) => {
      await endpoints.remove(projectId, params.name!)
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name/versions`,
    summary: 'List the versions of an endpoint, newest first',
    access: 'endpoint:read',
    handler: async ({ endpoints }, { projectId, params }) => page(await endpoints.versions(projectId, params.name!)),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name/materialization_status`,
    summary: 'Whether an endpoint is materialized, how far that is, or why it cannot be',
    access: 'endpoint:read',
    handler: async ({ endpoints }, call) => ({
      body: await endpoints.materialization(call.projectId, call.params.name!, integer(call, 'version', 1)),
    }),
  },
  {
    method: 'POST',
    path: `${ENDPOINTS}/:name/materialization_preview`,
    summary: 'What materializing an endpoint would store; stores nothing',
    access: 'endpoint:read',
    body: PREVIEW,
    handler: async ({ endpoints }, call) => {
      const { version } = (call.body ?? {}) as { version?: number }
      return {
        body: await endpoints.materializationPreview(
          call.projectId,
          call.params.name!,
          version ?? integer(call, 'version', 1),
        ),
      }
    },
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/openapi.json`,
    summary: 'The OpenAPI document of the runs of all active endpoints',
    access: 'endpoint:read',
    handler: async ({ openApi }, { projectId }) => ({ body: await openApi.document(projectId) }),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/types.ts`,
    summary: 'TypeScript types of the runs of all active endpoints, for trailmark/endpoints',
    access: 'endpoint:read',
    handler: async ({ openApi }, { projectId }) => ({
      body: await openApi.types(projectId),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    }),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name/openapi.json`,
    summary: 'The OpenAPI document of the runs of one endpoint',
    access: 'endpoint:read',
    handler: async ({ openApi }, call) => ({
      body: await openApi.document(call.projectId, call.params.name!, integer(call, 'version', 1)),
    }),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name/run`,
    summary: 'Run an endpoint; answers may be kept and asked for again by their ETag',
    access: 'endpoint:read',
    handler: runByAddress,
  },
  {
    method: 'POST',
    path: `${ENDPOINTS}/:name/run`,
    summary: 'Run an endpoint, by key or by run token',
    access: 'endpoint:read',
    takesRunTokens: true,
    body: RUN,
    handler: run,
  },
  {
    method: 'POST',
    path: `${ENDPOINTS}/run_tokens`,
    summary:
      'Make a token that runs some endpoints with some variables pinned, for a page; the key also needs endpoint:read',
    access: 'run_token:write',
    body: RUN_TOKEN,
    handler: async ({ runTokens }, { projectId, key, body }) => ({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: await runTokens.create(projectId, key, body as RunTokenInput),
    }),
  },
  {
    method: 'POST',
    path: `${ENDPOINTS}/run_tokens/revoke_all`,
    summary: 'Revoke all run tokens of the project',
    access: 'run_token:write',
    body: NOTHING,
    handler: async ({ runTokens }, { projectId }) => {
      await runTokens.revokeAll(projectId)
      return { status: 204 }
    },
  },
  {
    method: 'DELETE',
    path: `${ENDPOINTS}/run_tokens/:id`,
    summary: 'Revoke a run token by its id',
    access: 'run_token:write',
    handler: async ({ runTokens }, { projectId, params }) => {
      await runTokens.revoke(projectId, params.id!)
      return { status: 204 }
    },
  },
  {
    method: 'DELETE',
    path: '/api/projects/:projectId/query/:id',
    summary: 'Cancel a run by its client_query_id',
    access: 'endpoint:read',
    handler: ({ running }, { projectId, params }) => {
      if (!running.cancel(projectId, params.id!))
        throw new Refusal('not_found', { detail: 'No run with this client_query_id is under way.' })
      return { status: 204 }
    },
  },
]
