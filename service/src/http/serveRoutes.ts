import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_BODY_BYTES } from '../ingest/decode.ts'
import { parseBounded } from '../ingest/split.ts'
import type { Log } from '../lib/log.ts'
import {
  admitToConsole,
  admitToShare,
  authenticate,
  authenticateAgent,
  authenticateToolbar,
  type Authentication,
} from './authenticate.ts'
import type { BodyReader } from './bodyReader.ts'
import type { Respond } from './respond.ts'
import type { ServedRoute } from './route.ts'
import { assertToolbarHeader, originOf, toolbarHeaders, toolbarPreflightHeaders } from './toolbar.ts'

/** Maximum bytes of a body of the API. */
export const MAX_API_BYTES = 1024 * 1024

export type Bodies = Pick<BodyReader, 'read'>

/** Dependencies that serve routes: authentication, and reading bodies and sending responses. */
export interface Serving {
  readonly routes: readonly ServedRoute[]
  readonly auth: Authentication
  readonly bodies: Bodies
  readonly respond: Respond
  readonly log: Log
}

const readJson = async (bodies: Bodies, request: FastifyRequest, stream: Readable): Promise<unknown> => {
  const bytes = await bodies.read(request, stream, MAX_API_BYTES)
  return bytes.length ? parseBounded(bytes) : undefined
}

// A preflight does not carry the token with its origins, so the run checks them. Responses to personal API keys are
// never readable by a page on another origin.
const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '86400',
}

// Any page may send events and read its configuration, because the token is public and there are no cookies.
const publicHeaders = ({ headers }: FastifyRequest) => ({
  'access-control-allow-origin': headers.origin ?? '*',
  ...(headers.origin ? { 'access-control-allow-credentials': 'true' } : {}),
  'access-control-expose-headers': 'etag, retry-after, x-request-id',
  vary: 'origin',
})

const publicPreflight = (request: FastifyRequest, reply: FastifyReply) =>
  reply
    .status(204)
    .headers({
      ...publicHeaders(request),
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'content-type',
      'access-control-max-age': '86400',
      vary: 'origin, access-control-request-headers',
    })
    .send()

/** Serves the routes that pages on any origin may call. */
export const servePublicRoutes = (open: FastifyInstance, { routes, bodies, respond }: Serving) => {
  // Set before the handler, so that error responses have the headers and a page can read them.
  open.addHook('onRequest', (request, reply, done) => {
    reply.headers(publicHeaders(request))
    done()
  })
  // Accepts any content type: beacons send text/plain to avoid a preflight.
  open.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) =>
    bodies.read(request, stream, (request.routeOptions.config as { maxBytes?: number }).maxBytes ?? MAX_BODY_BYTES),
  )
  const publicRoutes = routes.filter(({ access }) => access === 'public')
  for (const route of publicRoutes) {
    const { maxBytes, isRecording } = route
    const config = { ...(maxBytes === undefined ? {} : { maxBytes }), ...(isRecording ? { isRecording } : {}) }
    open.route({ method: route.method, url: route.path, config, handler: respond(route) })
  }
  for (const path of new Set(publicRoutes.map(({ path }) => path))) open.options(path, publicPreflight)
}

/** Serves the routes for keys, run tokens and the console. */
export const serveApiRoutes = (api: FastifyInstance, { routes, auth, bodies, respond, log }: Serving): void => {
  api.addContentTypeParser('application/json', (request: FastifyRequest, stream: Readable) =>
    readJson(bodies, request, stream),
  )
  api.addContentTypeParser('application/gzip', (request: FastifyRequest, stream: Readable) =>
    bodies.read(request, stream, (request.routeOptions.config as { maxBytes?: number }).maxBytes ?? 0),
  )
  for (const route of routes) {
    const { access } = route
    if (access === 'public' || access === 'toolbar') continue
    api.route({
      method: route.method,
      url: route.path,
      config: { access, hasSecret: route.hasSecret, maxBytes: route.maxBytes },
      async onRequest(request, reply) {
        if (access === 'viewer') admitToShare(request, reply)
        else if (access === 'agent') await authenticateAgent(auth, log, request, reply)
        else if (access === 'console' || access === 'console_page') admitToConsole(access, auth.console, request, reply)
        else await authenticate(route, access, auth, request, reply)
      },
      // A missing body is an empty one.
      preValidation: async (request) => {
        if (typeof route.body === 'object') request.body ??= {}
      },
      ...(typeof route.body === 'object' ? { schema: { body: route.body } } : {}),
      handler: respond(route),
    })
    if (route.takesRunTokens) api.options(route.path, (_request, reply) => reply.status(204).headers(PREFLIGHT).send())
  }
}

/** Serves the routes for the toolbar on pages of sites. */
export const serveToolbarRoutes = (toolbar: FastifyInstance, { routes, auth, bodies, respond }: Serving): void => {
  // Set before the handler, so that error responses have the headers and the toolbar can read them.
  toolbar.addHook('onRequest', (request, reply, done) => {
    reply.headers(toolbarHeaders(originOf(request.headers)))
    done()
  })
  toolbar.addContentTypeParser('application/json', (request: FastifyRequest, stream: Readable) =>
    readJson(bodies, request, stream),
  )
  const toolbarRoutes = routes.filter(({ access }) => access === 'toolbar')
  for (const route of toolbarRoutes) {
    const { toolbarScope } = route
    toolbar.route({
      method: route.method,
      url: route.path,
      config: { hasSecret: route.hasSecret },
      async onRequest(request, reply) {
        assertToolbarHeader(request.headers)
        if (toolbarScope) await authenticateToolbar(toolbarScope, auth, request, reply)
      },
      ...(typeof route.body === 'object' ? { schema: { body: route.body } } : {}),
      handler: respond(route),
    })
  }
  for (const path of new Set(toolbarRoutes.map(({ path }) => path)))
    toolbar.options(path, (request, reply) =>
      reply
        .status(204)
        .headers(toolbarPreflightHeaders(originOf(request.headers)))
        .send(),
    )
}
