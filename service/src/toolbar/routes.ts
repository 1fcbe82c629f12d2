import type { FlagDefinitions } from '../flags/definitions.ts'
import type { ProjectByToken } from '../http/request.ts'
import type { RunEndpoint } from '../endpoints/run.ts'
import { type Static, Type } from '@sinclair/typebox'
import { TOOLBAR_FLAGS, toToolbarFlags } from './flags.ts'
import { type FoundToolbarSession, MAX_AGE_MS, type ToolbarSessions } from './sessions.ts'
import { TOOLBAR_VITALS, toToolbarVitals, vitalsQuery } from './vitals.ts'
import { clientOf } from '../lib/clientOf.ts'
import { required } from '../http/query.ts'
import { CLOSED } from '../http/request.ts'
import { type Handler, type RouteRequest, routesWith, sharedReadsWith } from '../http/route.ts'
import { orNull, TIME } from '../http/schemas.ts'
import {
  isSameOrigin,
  originOf,
  requireToolbarSession,
  toolbarCookie,
  toolbarHeaders,
  TOKEN,
  toolbarRead,
} from '../http/toolbar.ts'

/** What the routes use. */
export interface ToolbarParts {
  readonly toolbar: ToolbarSessions
  /** Returns the URL of the console. `undefined`: it answers on no known host. */
  readonly consoleUrl: () => Promise<string | undefined>
  readonly projectByToken: ProjectByToken
  readonly flags: Pick<FlagDefinitions, 'byKey'>
  readonly run: RunEndpoint
}

const route = routesWith<ToolbarParts>()
const read = sharedReadsWith<ToolbarParts>()

const NEW_CODE = Type.Object(
  {
    origin: Type.String({ maxLength: 300, description: 'One of the "toolbar_origins" of the project' }),
    path: Type.Optional(Type.String({ maxLength: 2_000, description: 'Path of a page. Default: /' })),
  },
  CLOSED,
)

const CODE = Type.Object({
  code: Type.String({ description: 'Opens the toolbar once, within 60 seconds' }),
  url: Type.String({ description: 'URL of the page with the code in its fragment' }),
  expires_at: TIME,
})

const EXCHANGE = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 300, description: 'Public token of the project' }),
    code: Type.String({ minLength: 1, maxLength: 300 }),
    storage: Type.Optional(
      Type.Literal('memory', {
        description:
          'The browser refused the cookie of the first exchange: respond with the secret, and end that session',
      }),
    ),
  },
  CLOSED,
)

const SESSION_FIELDS = {
  expires_at: Type.String({ format: 'date-time', description: 'When the session ends if it is not used' }),
  max_expires_at: Type.String({ format: 'date-time', description: 'When the session ends in any case' }),
  project: Type.Object({ id: Type.Integer(), name: Type.String() }),
  console_url: orNull(Type.String()),
}
const SESSION = Type.Object(SESSION_FIELDS)
const NEW_SESSION = Type.Object({
  ...SESSION_FIELDS,
  secret: Type.Optional(
    Type.String({ description: 'With "storage": "memory". The page sends it as "Authorization: Bearer"' }),
  ),
})

const toBody = async ({ consoleUrl }: ToolbarParts, { expiresAt, maxExpiresAt, project }: FoundToolbarSession) => ({
  expires_at: expiresAt,
  max_expires_at: maxExpiresAt,
  project: { id: project.id, name: project.name },
  console_url: (await consoleUrl()) ?? null,
})

const start: Handler<ToolbarParts, Static<typeof EXCHANGE>> = async (parts, { body, headers, ip }) => {
  const { projectByToken, toolbar } = parts
  const isInMemory = body.storage === 'memory'
  const { secret, session } = await toolbar.start({
    code: body.code,
    project: await projectByToken(body.token),
    origin: originOf(headers),
    isSameOrigin: isSameOrigin(headers),
    isInMemory,
    client: clientOf(ip),
  })
  const view = await toBody(parts, session)
  if (isInMemory) return { body: { ...view, secret } }
  const cookie = toolbarCookie(session.project.id, { secret, seconds: MAX_AGE_MS / 1_000 })
  return { headers: { 'set-cookie': cookie }, body: view }
}

const sessionOf = (parts: ToolbarParts, { headers, query }: RouteRequest) =>
  requireToolbarSession(parts, { headers, token: query.token })

const SESSIONS = '/toolbar/session'

/** The toolbar: codes that open it, its sessions on pages of sites, and what it reads. */
export const TOOLBAR_ROUTES = [
  route({
    method: 'POST',
    path: '/api/projects/:projectId/toolbar/codes',
    access: 'project:read',
    hasSecret: true,
    summary: 'Create a link that opens the toolbar on a site, once. The toolbar gets the rights of the key, read-only',
    body: NEW_CODE,
    response: CODE,
    handler: async ({ toolbar }, { projectId, key, body }) => ({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: await toolbar.createCode(projectId, key, body),
    }),
  }),
  route({
    method: 'POST',
    path: SESSIONS,
    access: 'toolbar',
    hasSecret: true,
    summary: 'Exchange a code for a session of the toolbar, on the site that the code was created for',
    body: EXCHANGE,
    response: NEW_SESSION,
    handler: start,
  }),
  route({
    method: 'GET',
    path: SESSIONS,
    access: 'toolbar',
    summary: "Read the toolbar session of the request's origin",
    query: TOKEN,
    response: SESSION,
    async handler(parts, request) {
      const { session } = await sessionOf(parts, request)
      return { headers: toolbarHeaders(session.origin), body: await toBody(parts, session) }
    },
  }),
  route({
    method: 'DELETE',
    path: SESSIONS,
    access: 'toolbar',
    summary: "End the toolbar session of the request's origin",
    query: TOKEN,
    async handler(parts, request) {
      const { secret, session } = await sessionOf(parts, request)
      await parts.toolbar.end(secret)
      return { status: 204, headers: { 'set-cookie': toolbarCookie(session.project.id, { secret: '', seconds: 0 }) } }
    },
  }),
  toolbarRead(
    'flags',
    'feature_flag:read',
    read({
      query: {},
      method: 'GET',
      summary: 'List the feature flags with their variants and payloads, without their conditions',
      response: TOOLBAR_FLAGS,
      handler: async ({ flags }, { projectId }) => ({ body: toToolbarFlags((await flags.byKey(projectId)).values()) }),
    }),
  ),
  toolbarRead(
    'vitals',
    'query:read',
    read({
      method: 'GET',
      summary: 'Get the web vitals of a path, of the last 7 days',
      query: {
        path: required(
          Type.String({ maxLength: 2_000, description: 'Path of the page, such as /products' }),
          'Pass "path", the path of a page such as /products.',
        ),
      },
      response: TOOLBAR_VITALS,
      async handler({ run }, request) {
        const { projectId, key, values, signal } = request
        const { results } = await run({ projectId, key, signal, variables: {}, query: vitalsQuery(values.path) })
        return { body: toToolbarVitals(results) }
      },
    }),
  ),
]
