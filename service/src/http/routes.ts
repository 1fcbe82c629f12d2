import { type TSchema, Type } from '@sinclair/typebox'
import type { EndpointDefinitions, EndpointInput } from '../endpoints/definitions/endpoint.ts'
import type { RunEndpoint } from '../endpoints/run.ts'
import type { VariableDefinitions, VariableInput } from '../endpoints/variables/definitions.ts'
import { VARIABLE_TYPES, type VariableTypeName } from '../endpoints/variables/types.ts'
import type { FlagDefinitions, FlagInput } from '../flags/definitions.ts'
import { FILTERS } from '../flags/filters.ts'
import type { AnswerFlags, FlagsQuestion } from '../flags/flags.ts'
import { REMOTE_CONFIG, remoteConfigScript, type RemoteConfigs, type RemoteSettings } from '../flags/remoteConfig.ts'
import { decodeJson } from '../ingest/decode.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Project } from '../storage/records.ts'
import type { Scope } from './auth.ts'
import { staticFile } from './statics.ts'

/** What the routes call; `service.ts` brings them together. */
export interface Rooms {
  readonly ingest: Ingest
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly variables: VariableDefinitions
  readonly endpoints: EndpointDefinitions
  readonly run: RunEndpoint
  readonly flags: FlagDefinitions
  readonly answerFlags: AnswerFlags
  readonly remoteConfigs: RemoteConfigs
  readonly isReady: () => Promise<boolean>
}

/** A request as a handler sees it. */
export interface Call {
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Of the address; the first value of a repeated name. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** Bytes of a `raw` route, a checked value of one with a schema. */
  readonly body: unknown
  /** Of a route under `/api/projects/`. */
  readonly projectId: number
  /** ms since the epoch. */
  readonly receivedAt: number
}

/** What to answer, beyond a JSON body with status 200. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A file of the SDK to send instead of a body. */
  readonly file?: string
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Also answers with a final slash. */
  readonly path: string
  /** Who may ask: any page of any origin, or a personal API key with this scope. */
  readonly access: 'public' | Scope
  /** The body: `raw` bytes of whatever encoding, JSON of this schema, or none. */
  readonly body?: 'raw' | TSchema
  readonly handler: (rooms: Rooms, call: Call) => Promise<Answer> | Answer
}

const closed = { additionalProperties: false } as const

const NAME = Type.String({ minLength: 1, maxLength: 400 })
const SCALARS = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { maxItems: 1_000 })
const VARIABLE_TYPE = Type.Unsafe<VariableTypeName>({ type: 'string', enum: Object.keys(VARIABLE_TYPES) })

const CREATE_VARIABLE = Type.Object(
  { name: NAME, code_name: Type.Optional(Type.String()), type: VARIABLE_TYPE, default_value: Type.Optional(Type.Unknown()), values: Type.Optional(Type.Union([SCALARS, Type.Null()])) },
  closed,
)
const CHANGE_VARIABLE = Type.Partial(CREATE_VARIABLE, closed)

const QUERY = Type.Object({ kind: Type.String() })
const ENDPOINT_FIELDS = { description: Type.Optional(Type.String({ maxLength: 10_000 })), is_active: Type.Optional(Type.Boolean()) }
const CREATE_ENDPOINT = Type.Object({ name: Type.String(), query: QUERY, ...ENDPOINT_FIELDS }, closed)
const CHANGE_ENDPOINT = Type.Object({ name: Type.Optional(Type.String()), query: Type.Optional(QUERY), version: Type.Optional(Type.Integer({ minimum: 1 })), ...ENDPOINT_FIELDS }, closed)

const FLAG_FIELDS = {
  name: Type.Optional(Type.String({ maxLength: 10_000 })),
  active: Type.Optional(Type.Boolean()),
  filters: Type.Optional(FILTERS),
  evaluation_contexts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { maxItems: 100 })),
}
const CREATE_FLAG = Type.Object({ key: Type.String(), ...FLAG_FIELDS }, closed)
const CHANGE_FLAG = Type.Object({ key: Type.Optional(Type.String()), ...FLAG_FIELDS }, closed)

const RUN = Type.Object(
  {
    variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    refresh: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['cache', 'force', 'direct', 'blocking', 'force_blocking'] })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    client_query_id: Type.Optional(Type.String({ maxLength: 200 })),
  },
  closed,
)

// Older names that clients still send.
const REFRESH: Readonly<Record<string, 'cache' | 'force' | 'direct'>> = { cache: 'cache', force: 'force', direct: 'direct', blocking: 'cache', force_blocking: 'force' }

interface RunBody {
  readonly variables?: Record<string, unknown> | null
  readonly refresh?: string
  readonly limit?: number
  readonly offset?: number
  readonly version?: number
}

const integer = ({ query }: Call, name: string, least: number): number | undefined => {
  const text = query[name]
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text) || value < least) throw new Refusal('invalid_input', { detail: `"${name}" is a whole number, ${least} or more.`, attr: name })
  return value
}

const flag = ({ query }: Call, name: string): boolean | undefined => {
  const text = query[name]
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw new Refusal('invalid_input', { detail: `"${name}" is true or false.`, attr: name })
  return text === 'true'
}

const requireProject = async ({ projectByToken }: Rooms, token: unknown) => {
  const project = typeof token === 'string' && token ? await projectByToken(token) : undefined
  if (!project) throw new Refusal('invalid_token')
  return project
}

const requireConfigured = async (rooms: Rooms, { params }: Call) => {
  const project = await rooms.projectByToken(params.token!)
  if (!project) throw new Refusal('not_found', { detail: 'No project has this token.' })
  return rooms.remoteConfigs.of(project)
}

const page = (results: readonly unknown[]): Answer => ({ body: { count: results.length, next: null, previous: null, results } })

const capture: Route['handler'] = async ({ ingest }, { body, query, receivedAt }) => {
  const refused = await ingest({ body: body as Buffer, compression: query.compression, token: query.token ?? query.api_key, receivedAt })
  // Exactly 200: the SDKs take any other 2xx for a failure and send again.
  return { body: { status: 1, ...(refused.length ? { refused } : {}) } }
}

const flags: Route['handler'] = async (rooms, { body, query, receivedAt }) => {
  const question = ((await decodeJson(body as Buffer, query.compression)) ?? {}) as FlagsQuestion
  const project = await requireProject(rooms, question.token ?? question.api_key ?? query.token)
  return { body: await rooms.answerFlags({ project, question, withConfig: query.config === 'true' || query.config === '1', version: Number(query.v ?? 1), askedAt: receivedAt }) }
}

const run: Route['handler'] = async (rooms, call) => {
  const { variables, refresh = 'cache', ...body } = (call.body ?? {}) as RunBody
  const answer = await rooms.run({
    projectId: call.projectId,
    endpoint: call.params.name!,
    variables: variables ?? {},
    version: body.version ?? integer(call, 'version', 1),
    limit: body.limit ?? integer(call, 'limit', 1),
    offset: body.offset ?? integer(call, 'offset', 0),
    refresh: REFRESH[refresh],
  })
  return { body: answer, headers: { 'cache-control': 'no-store' } }
}

const changeEndpoint: Route['handler'] = async ({ endpoints }, call) => {
  const changes = call.body as EndpointInput
  return { body: await endpoints.update(call.projectId, call.params.name!, { ...changes, version: changes.version ?? integer(call, 'version', 1) }) }
}

const changeVariable: Route['handler'] = async ({ variables }, { projectId, params, body }) => ({
  body: await variables.update(projectId, params.id!, withoutNullValues(body as Partial<VariableInput>)),
})

const withoutNullValues = <Input extends { values?: unknown }>({ values, ...rest }: Input) => ({ ...rest, ...(values ? { values: values as string[] } : {}) })

// A page asks again soon enough to see what was turned on, and not with every visit.
const BRIEFLY = 'public, max-age=60'

const sendStatic = (path: string): Answer => {
  const file = staticFile(path)
  if (!file) throw new Refusal('not_found')
  return { file, headers: { 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' } }
}

const flagId = ({ params }: Call): number => {
  if (!/^\d{1,15}$/.test(params.id!)) throw new Refusal('not_found', { detail: 'This project has no feature flag of this id.' })
  return Number(params.id)
}

const changeFlag: Route['handler'] = async ({ flags }, call) => ({ body: await flags.update(call.projectId, flagId(call), call.body as FlagInput) })

const FLAGS = '/api/projects/:projectId/feature_flags'
const REMOTE = '/api/projects/:projectId/remote_config'
const VARIABLES = '/api/projects/:projectId/insight_variables'
const ENDPOINTS = '/api/projects/:projectId/endpoints'

/** Everything that the service answers to. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/_health', access: 'public', handler: () => ({ body: { status: 'ok' } }) },
  {
    method: 'GET',
    path: '/_readiness',
    access: 'public',
    handler: async ({ isReady }) => {
      if (!(await isReady())) throw new Refusal('engine_unavailable', { retryAfterSeconds: 1 })
      return { body: { status: 'ready' } }
    },
  },

  { method: 'POST', path: '/e', access: 'public', body: 'raw', handler: capture },
  { method: 'POST', path: '/i/v0/e', access: 'public', body: 'raw', handler: capture },
  { method: 'POST', path: '/batch', access: 'public', body: 'raw', handler: capture },
  { method: 'POST', path: '/capture', access: 'public', body: 'raw', handler: capture },
  { method: 'POST', path: '/flags', access: 'public', body: 'raw', handler: flags },
  {
    method: 'GET',
    path: '/array/:token/config',
    access: 'public',
    handler: async (rooms, call) => ({ body: await requireConfigured(rooms, call), headers: { 'cache-control': BRIEFLY } }),
  },
  {
    method: 'GET',
    path: '/array/:token/config.js',
    access: 'public',
    handler: async (rooms, call) => ({
      body: remoteConfigScript(await requireConfigured(rooms, call)),
      headers: { 'content-type': 'application/javascript; charset=utf-8', 'cache-control': BRIEFLY },
    }),
  },
  { method: 'GET', path: '/array/:token/array.js', access: 'public', handler: () => sendStatic('array.js') },
  { method: 'GET', path: '/static/*', access: 'public', handler: (_, { params }) => sendStatic(params['*']!) },
  { method: 'GET', path: '/api/surveys', access: 'public', handler: () => ({ body: { surveys: [] } }) },

  { method: 'GET', path: FLAGS, access: 'feature_flag:read', handler: async ({ flags }, { projectId }) => page(await flags.list(projectId)) },
  {
    method: 'POST',
    path: FLAGS,
    access: 'feature_flag:write',
    body: CREATE_FLAG,
    handler: async ({ flags }, { projectId, body }) => ({ status: 201, body: await flags.create(projectId, body as FlagInput & { key: string }) }),
  },
  { method: 'GET', path: `${FLAGS}/:id`, access: 'feature_flag:read', handler: async ({ flags }, call) => ({ body: await flags.get(call.projectId, flagId(call)) }) },
  { method: 'PATCH', path: `${FLAGS}/:id`, access: 'feature_flag:write', body: CHANGE_FLAG, handler: changeFlag },
  { method: 'PUT', path: `${FLAGS}/:id`, access: 'feature_flag:write', body: CHANGE_FLAG, handler: changeFlag },
  {
    method: 'DELETE',
    path: `${FLAGS}/:id`,
    access: 'feature_flag:write',
    handler: async ({ flags }, call) => {
      await flags.remove(call.projectId, flagId(call))
      return { status: 204 }
    },
  },

  { method: 'GET', path: REMOTE, access: 'project:read', handler: async ({ remoteConfigs }, { projectId }) => ({ body: await remoteConfigs.settings(projectId) }) },
  {
    method: 'PATCH',
    path: REMOTE,
    access: 'project:write',
    body: REMOTE_CONFIG,
    handler: async ({ remoteConfigs }, { projectId, body }) => ({ body: await remoteConfigs.change(projectId, body as RemoteSettings) }),
  },

  { method: 'GET', path: VARIABLES, access: 'insight_variable:read', handler: async ({ variables }, { projectId }) => page(await variables.list(projectId)) },
  {
    method: 'POST',
    path: VARIABLES,
    access: 'insight_variable:write',
    body: CREATE_VARIABLE,
    handler: async ({ variables }, { projectId, body }) => ({ status: 201, body: await variables.create(projectId, withoutNullValues(body as VariableInput)) }),
  },
  { method: 'GET', path: `${VARIABLES}/:id`, access: 'insight_variable:read', handler: async ({ variables }, { projectId, params }) => ({ body: await variables.get(projectId, params.id!) }) },
  { method: 'PATCH', path: `${VARIABLES}/:id`, access: 'insight_variable:write', body: CHANGE_VARIABLE, handler: changeVariable },
  { method: 'PUT', path: `${VARIABLES}/:id`, access: 'insight_variable:write', body: CHANGE_VARIABLE, handler: changeVariable },
  {
    method: 'DELETE',
    path: `${VARIABLES}/:id`,
    access: 'insight_variable:write',
    handler: async ({ variables }, { projectId, params }) => {
      await variables.remove(projectId, params.id!)
      return { status: 204 }
    },
  },

  {
    method: 'GET',
    path: ENDPOINTS,
    access: 'endpoint:read',
    handler: async ({ endpoints }, call) => page(await endpoints.list(call.projectId, { isActive: flag(call, 'is_active') })),
  },
  {
    method: 'POST',
    path: ENDPOINTS,
    access: 'endpoint:write',
    body: CREATE_ENDPOINT,
    handler: async ({ endpoints }, { projectId, body }) => ({ status: 201, body: await endpoints.create(projectId, body as Parameters<EndpointDefinitions['create']>[1]) }),
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name`,
    access: 'endpoint:read',
    handler: async ({ endpoints }, call) => ({ body: await endpoints.get(call.projectId, call.params.name!, integer(call, 'version', 1)) }),
  },
  { method: 'PATCH', path: `${ENDPOINTS}/:name`, access: 'endpoint:write', body: CHANGE_ENDPOINT, handler: changeEndpoint },
  { method: 'PUT', path: `${ENDPOINTS}/:name`, access: 'endpoint:write', body: CHANGE_ENDPOINT, handler: changeEndpoint },
  {
    method: 'DELETE',
    path: `${ENDPOINTS}/:name`,
    access: 'endpoint:write',
    handler: async ({ endpoints }, { projectId, params }) => {
      await endpoints.remove(projectId, params.name!)
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: `${ENDPOINTS}/:name/versions`,
    access: 'endpoint:read',
    handler: async ({ endpoints }, { projectId, params }) => page(await endpoints.versions(projectId, params.name!)),
  },
  { method: 'GET', path: `${ENDPOINTS}/:name/run`, access: 'endpoint:read', handler: run },
  { method: 'POST', path: `${ENDPOINTS}/:name/run`, access: 'endpoint:read', body: RUN, handler: run },
]
