import { answerFlags } from '../flags/flags.ts'
import { remoteConfig, remoteConfigScript } from '../flags/remoteConfig.ts'
import { decodeJson } from '../ingest/decode.ts'
import { Refusal } from '../lib/refusal.ts'
import { apiDocument } from './apiDocument.ts'
import { ENDPOINT_ROUTES } from './endpointRoutes.ts'
import type { Answer, Call, Rooms, Route } from './route.ts'
import { staticFile } from './statics.ts'

const requireProject = async ({ projectByToken }: Rooms, token: unknown) => {
  const project = typeof token === 'string' && token ? await projectByToken(token) : undefined
  if (!project) throw new Refusal('invalid_token')
  return project
}

const requireConfigured = async (rooms: Rooms, { params }: Call) => {
  const project = await rooms.projectByToken(params.token!)
  if (!project) throw new Refusal('not_found', { detail: 'No project has this token.' })
  return project.token
}

const capture: Route['handler'] = async ({ ingest }, { body, query, receivedAt }) => {
  const refused = await ingest({ body: body as Buffer, compression: query.compression, token: query.token ?? query.api_key, receivedAt })
  // Exactly 200: the SDKs take any other 2xx for a failure and send again.
  return { body: { status: 1, ...(refused.length ? { refused } : {}) } }
}

const flags: Route['handler'] = async (rooms, { body, query, receivedAt }) => {
  const question = (await decodeJson(body as Buffer, query.compression)) as { token?: unknown; api_key?: unknown } | null
  const { token } = await requireProject(rooms, question?.token ?? question?.api_key ?? query.token)
  return { body: answerFlags({ token, withConfig: query.config === 'true' || query.config === '1', version: Number(query.v ?? 1), askedAt: receivedAt }) }
}

// A page asks again soon enough to see what was turned on, and not with every visit.
const BRIEFLY = 'public, max-age=60'

const sendStatic = (path: string): Answer => {
  const file = staticFile(path)
  if (!file) throw new Refusal('not_found')
  return { file, headers: { 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' } }
}

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
    handler: async (rooms, call) => ({ body: remoteConfig(await requireConfigured(rooms, call)), headers: { 'cache-control': BRIEFLY } }),
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

  ...ENDPOINT_ROUTES,
  { method: 'GET', path: '/api/openapi.json', access: 'public', summary: 'This document', handler: () => ({ body: apiDocument(ROUTES) }) },
]
