import { Type } from '@sinclair/typebox'
import type { FlagInput } from '../flags/definitions.ts'
import { FILTERS } from '../flags/filters.ts'
import type { FlagsQuestion } from '../flags/flags.ts'
import { REMOTE_CONFIG, remoteConfigScript, type RemoteSettings } from '../flags/remoteConfig.ts'
import { decodeJson } from '../ingest/decode.ts'
import { Refusal } from '../lib/refusal.ts'
import { apiDocument } from './apiDocument.ts'
import { EARLY_ACCESS_ROUTES } from './earlyAccessRoutes.ts'
import { ENDPOINT_ROUTES } from './endpointRoutes.ts'
import { PERSON_ROUTES } from './personRoutes.ts'
import { PROJECT_ROUTES } from './projectRoutes.ts'
import { REFUSED_ROUTES } from './refusedRoutes.ts'
import type { Answer, Call, Rooms, Route } from './route.ts'
import { staticFile } from './statics.ts'

const closed = { additionalProperties: false } as const

const FLAG_FIELDS = {
  name: Type.Optional(Type.String({ maxLength: 10_000 })),
  active: Type.Optional(Type.Boolean()),
  filters: Type.Optional(FILTERS),
  evaluation_contexts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { maxItems: 100 })),
}
const CREATE_FLAG = Type.Object({ key: Type.String(), ...FLAG_FIELDS }, closed)
const CHANGE_FLAG = Type.Object({ key: Type.Optional(Type.String()), ...FLAG_FIELDS }, closed)

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

const page = (results: readonly unknown[]): Answer => ({
  body: { count: results.length, next: null, previous: null, results },
})

const capture: Route['handler'] = async ({ ingest }, { body, query, receivedAt, address }) => {
  const refused = await ingest({
    body: body as Buffer,
    compression: query.compression,
    token: query.token ?? query.api_key,
    receivedAt,
    address,
  })
  // Exactly 200: the SDKs take any other 2xx for a failure and send again.
  return { body: { status: 1, ...(refused.length ? { refused } : {}) } }
}

const flags: Route['handler'] = async (rooms, { body, query, receivedAt }) => {
  const question = ((await decodeJson(body as Buffer, query.compression)) ?? {}) as FlagsQuestion
  const project = await requireProject(rooms, question.token ?? question.api_key ?? query.token)
  return {
    body: await rooms.answerFlags({
      project,
      question,
      withConfig: query.config === 'true' || query.config === '1',
      version: Number(query.v ?? 1),
      askedAt: receivedAt,
    }),
  }
}

// A page asks again soon enough to see what was turned on, and not with every visit.
const BRIEFLY = 'public, max-age=60'

const sendStatic = (path: string): Answer => {
  const file = staticFile(path)
  if (!file) throw new Refusal('not_found')
  return { file, headers: { 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' } }
}

const flagId = ({ params }: Call): number => {
  if (!/^\d{1,15}$/.test(params.id!))
    throw new Refusal('not_found', { detail: 'This project has no feature flag of this id.' })
  return Number(params.id)
}

const changeFlag: Route['handler'] = async ({ flags }, call) => ({
  body: await flags.update(call.projectId, flagId(call), call.body as FlagInput),
})

/** The project that an address without a number is about: with a key of all projects, `?token=` says which. */
const projectOfKey = async (rooms: Rooms, { query, key }: Call): Promise<number> => {
  const projectId =
    query.token === undefined && key.projectId !== undefined
      ? key.projectId
      : (await requireProject(rooms, query.token)).id
  // A project of someone else answers like one that is not there.
  if (key.projectId !== undefined && key.projectId !== projectId) throw new Refusal('invalid_token')
  return projectId
}

const LOCAL = 'Flags with their conditions, for server SDKs that evaluate them on their own'
const localEvaluation: Route['handler'] = async (rooms, call) => ({
  body: await rooms.localEvaluation(await projectOfKey(rooms, call)),
})

const FLAGS = '/api/projects/:projectId/feature_flags'
const REMOTE = '/api/projects/:projectId/remote_config'

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

  {
    method: 'GET',
    path: '/metrics',
    access: 'metrics:read',
    summary: 'Counts for Prometheus, by a key of all projects',
    handler: async ({ metrics }, { key }) => {
      if (key.projectId !== undefined)
        throw new Refusal('permission_denied', {
          detail:
            'These counts are of all projects, this key is of one: make one with "trailmark key create <label> --scopes metrics:read --all-projects".',
        })
      return {
        body: await metrics(),
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
      }
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
    handler: async (rooms, call) => ({
      body: await requireConfigured(rooms, call),
      headers: { 'cache-control': BRIEFLY },
    }),
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
  {
    method: 'GET',
    path: '/api/early_access_features',
    summary: 'What visitors are offered: features of each "stage", which is beta if there is none',
    access: 'public',
    handler: async (rooms, { query, queryAll }) => {
      const { id } = await requireProject(rooms, query.token)
      const stages = queryAll('stage')
      return { body: { earlyAccessFeatures: await rooms.earlyAccess.offered(id, stages.length ? stages : ['beta']) } }
    },
  },

  // Server SDKs ask at the first address; older ones, and those of other languages, at the second.
  { method: 'GET', path: '/flags/definitions', summary: LOCAL, access: 'feature_flag:read', handler: localEvaluation },
  {
    method: 'GET',
    path: '/api/feature_flag/local_evaluation',
    summary: LOCAL,
    access: 'feature_flag:read',
    handler: localEvaluation,
  },
  {
    method: 'GET',
    path: '/api/projects/@current/feature_flags/:key/remote_config',
    summary: "A flag's payload, for server SDKs that keep configuration in flags",
    access: 'feature_flag:read',
    // Written here: a payload that is a text or null is JSON too.
    handler: async (rooms, call) => ({
      body: JSON.stringify(await rooms.flags.payload(await projectOfKey(rooms, call), call.params.key!)),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }),
  },
  {
    method: 'GET',
    path: FLAGS,
    access: 'feature_flag:read',
    handler: async ({ flags }, { projectId }) => page(await flags.list(projectId)),
  },
  {
    method: 'POST',
    path: FLAGS,
    access: 'feature_flag:write',
    body: CREATE_FLAG,
    handler: async ({ flags }, { projectId, body }) => ({
      status: 201,
      body: await flags.create(projectId, body as FlagInput & { key: string }),
    }),
  },
  {
    method: 'GET',
    path: `${FLAGS}/:id`,
    access: 'feature_flag:read',
    handler: async ({ flags }, call) => ({ body: await flags.get(call.projectId, flagId(call)) }),
  },
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

  {
    method: 'GET',
    path: REMOTE,
    access: 'project:read',
    handler: async ({ remoteConfigs }, { projectId }) => ({ body: await remoteConfigs.settings(projectId) }),
  },
  {
    method: 'PATCH',
    path: REMOTE,
    access: 'project:write',
    body: REMOTE_CONFIG,
    handler: async ({ remoteConfigs }, { projectId, body }) => ({
      body: await remoteConfigs.change(projectId, body as RemoteSettings),
    }),
  },

  ...EARLY_ACCESS_ROUTES,
  ...PERSON_ROUTES,
  ...PROJECT_ROUTES,
  ...REFUSED_ROUTES,
  ...ENDPOINT_ROUTES,
  {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This document',
    handler: () => ({ body: apiDocument(ROUTES) }),
  },
]
