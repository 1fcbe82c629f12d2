import { type Static, Type } from '@sinclair/typebox'
import { TOOLBAR_FLAGS, toToolbarFlags } from '../../toolbar/flags.ts'
import { type FoundToolbarSession, MAX_AGE_MS } from '../../toolbar/sessions.ts'
import { TOOLBAR_VITALS, toToolbarVitals, vitalsQuery } from '../../toolbar/vitals.ts'
import type { Scope } from '../auth.ts'
import { clientOf } from '../../lib/clientOf.ts'
import { CLOSED, invalidInput, textParam } from '../request.ts'
import { type Dependencies, type Handler, type RouteRequest, type SharedRead, route } from '../route.ts'
import { orNull, TIME } from '../schemas.ts'
import { isSameOrigin, originOf, requireToolbarSession, toolbarCookie, toolbarHeaders } from '../toolbar.ts'
import { HEATMAP_READS } from './heatmaps.ts'

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

const TOKEN = { token: Type.String({ description: 'Public token of the project' }) }

const toBody = async ({ consoleUrl }: Dependencies, { expiresAt, maxExpiresAt, project }: FoundToolbarSession) => ({
  expires_at: expiresAt,
  max_expires_at: maxExpiresAt,
  project: { id: project.id, name: project.name },
  console_url: (await consoleUrl()) ?? null,
})

const start: Handler<Static<typeof EXCHANGE>> = async (dependencies, { body, headers, ip }) => {
  const { projectByToken, toolbar } = dependencies
  const isInMemory = body.storage === 'memory'
  const { secret, session } = await toolbar.start({
    code: body.code,
    project: await projectByToken(body.token),
    origin: originOf(headers),
    isSameOrigin: isSameOrigin(headers),
    isInMemory,
    client: clientOf(ip),
  })
  const view = await toBody(dependencies, session)
  if (isInMemory) return { body: { ...view, secret } }
  const cookie = toolbarCookie(session.project.id, { secret, seconds: MAX_AGE_MS / 1_000 })
  return { headers: { 'set-cookie': cookie }, body: view }
}

const sessionOf = (dependencies: Dependencies, { headers, query }: RouteRequest) =>
  requireToolbarSession(dependencies, { headers, token: query.token })

const SESSIONS = '/toolbar/session'
const READS = '/toolbar/api'

/** Lets the toolbar call a read with its session, if the key of the session has the scope. */
const read = (path: string, toolbarScope: Scope, definition: SharedRead) =>
  route({
    ...definition,
    path: `${READS}/${path}`,
    access: 'toolbar',
    toolbarScope,
    query: { ...TOKEN, ...definition.query },
  })

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
    async handler(dependencies, request) {
      const { session } = await sessionOf(dependencies, request)
      return { headers: toolbarHeaders(session.origin), body: await toBody(dependencies, session) }
    },
  }),
  route({
    method: 'DELETE',
    path: SESSIONS,
    access: 'toolbar',
    summary: "End the toolbar session of the request's origin",
    query: TOKEN,
    async handler(dependencies, request) {
      const { secret, session } = await sessionOf(dependencies, request)
      await dependencies.toolbar.end(secret)
      return { status: 204, headers: { 'set-cookie': toolbarCookie(session.project.id, { secret: '', seconds: 0 }) } }
    },
  }),
  read('heatmap', 'query:read', HEATMAP_READS.map),
  read('heatmap/elements', 'query:read', HEATMAP_READS.elements),
  read('heatmap/scroll', 'query:read', HEATMAP_READS.scroll),
  read('flags', 'feature_flag:read', {
    method: 'GET',
    summary: 'List the feature flags with their variants and payloads, without their conditions',
    response: TOOLBAR_FLAGS,
    handler: async ({ flags }, { projectId }) => ({ body: toToolbarFlags((await flags.byKey(projectId)).values()) }),
  }),
  read('vitals', 'query:read', {
    method: 'GET',
    summary: 'Get the web vitals of a path, of the last 7 days',
    query: { path: Type.String({ description: 'Path of the page, such as /products' }) },
    response: TOOLBAR_VITALS,
    async handler({ run }, request) {
      const path = textParam(request, 'path', 2_000)
      if (path === undefined) throw invalidInput('path', 'Pass "path", the path of a page such as /products.')
      const { projectId, key, signal } = request
      const { results } = await run({ projectId, key, signal, variables: {}, query: vitalsQuery(path) })
      return { body: toToolbarVitals(results) }
    },
  }),
]
