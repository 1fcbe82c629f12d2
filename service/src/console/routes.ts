import type { Console } from './console.ts'
import type { ProjectByToken } from '../http/request.ts'
import { Type } from '@sinclair/typebox'
import { type Credential, MAX_AGE_MS } from './sessions.ts'
import { ApiError } from '../lib/apiError.ts'
import { clientOf } from '../lib/clientOf.ts'
import { sessionCookie, sessionSecret } from '../http/console.ts'
import { CONSOLE_PATH } from './files.ts'
import { CLOSED, invalidInput } from '../http/request.ts'
import { type Handler, routesWith } from '../http/route.ts'

/** What the routes use. */
export interface ConsoleParts {
  readonly console: Console
  readonly projectByToken: ProjectByToken
}

const route = routesWith<ConsoleParts>()

const SECRET = Type.String({ minLength: 1, maxLength: 300 })

const SIGN_IN = Type.Object({ token: Type.Optional(SECRET), key: Type.Optional(SECRET) }, CLOSED)

const SESSION = Type.Object({
  key: Type.Object({
    id: Type.String(),
    label: Type.String(),
    scopes: Type.Array(Type.String()),
    scoped_teams: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
  }),
  expires_at: Type.String({ format: 'date-time' }),
  instance: Type.String(),
})

const credentialOf = ({ token, key }: { token?: string; key?: string }): Credential => {
  if (token !== undefined && key === undefined) return { token }
  if (key !== undefined && token === undefined) return { key }
  throw invalidInput('token', 'Sign in with either "token", from a link, or "key", a personal API key.')
}

/** Where `analytics.get_session_replay_url()` leads: to the player in the console. `t`: seconds since the session's start. */
const replay: Handler<ConsoleParts> = async ({ console: { address }, projectByToken }, { params, query }) => {
  const project = await projectByToken(params.token!)
  if (!project) throw new ApiError('not_found')
  const seconds = Number(query.t)
  const moment = seconds > 0 ? `?t=${Math.round(seconds * 1_000)}` : ''
  const path = `projects/${project.id}/recordings/${encodeURIComponent(params.sessionId!)}${moment}`
  return {
    status: 302,
    headers: { location: `${address.base}${CONSOLE_PATH}${path}`, 'cache-control': 'no-store' },
  }
}

/** Redirects a toolbar without a session to its tab in the console: that of the token's project, otherwise of the first one. */
const settings: Handler<ConsoleParts> = async ({ console: { address }, projectByToken }, { query }) => {
  const project = query.token ? await projectByToken(query.token) : undefined
  const path = `${project ? `projects/${project.id}/` : ''}settings?tab=toolbar`
  return { status: 302, headers: { location: `${address.base}${CONSOLE_PATH}${path}`, 'cache-control': 'no-store' } }
}

const page: Handler<ConsoleParts> = ({ console }, { params }) => console.files.respond(params['*'] ?? '')

/** The console's page, and its sessions. */
export const CONSOLE_ROUTES = [
  route({ method: 'GET', path: '/project/:token/replay/:sessionId', access: 'console_page', handler: replay }),
  route({ method: 'GET', path: '/settings', access: 'console_page', handler: settings }),
  route({ method: 'GET', path: '/console', access: 'console_page', handler: page }),
  route({ method: 'GET', path: '/console/*', access: 'console_page', handler: page }),
  route({
    method: 'POST',
    path: '/api/console/session',
    access: 'console',
    hasSecret: true,
    summary: 'Sign in to the console with the token of a one-time link, or with a personal API key',
    body: SIGN_IN,
    response: SESSION,
    handler: async ({ console: { sessions, address } }, request) => {
      const { secret, view } = await sessions.start(credentialOf(request.body), clientOf(request.ip))
      const previous = sessionSecret(address, request)
      if (previous) await sessions.end(previous)
      const cookie = sessionCookie(address, request, { secret, seconds: MAX_AGE_MS / 1_000 })
      return { status: 201, headers: { 'set-cookie': cookie }, body: view }
    },
  }),
  route({
    method: 'GET',
    path: '/api/console/session',
    access: 'console',
    summary: 'Read the session of the request, with the rights of its key',
    response: SESSION,
    handler: async ({ console: { sessions, address } }, request) => {
      const secret = sessionSecret(address, request)
      const session = secret && (await sessions.find(secret))
      if (!session) throw new ApiError('not_signed_in')
      return { body: session.view }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/console/session',
    access: 'console',
    summary: 'Sign out of the console',
    handler: async ({ console: { sessions, address } }, request) => {
      const secret = sessionSecret(address, request)
      if (secret) await sessions.end(secret)
      return { status: 204, headers: { 'set-cookie': sessionCookie(address, request, { secret: '', seconds: 0 }) } }
    },
  }),
]
