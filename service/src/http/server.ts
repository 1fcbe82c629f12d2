import { randomUUID } from 'node:crypto'
import staticFiles from '@fastify/static'
import createFastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { ApiError } from '../lib/apiError.ts'
import type { Log, LogLevel } from '../lib/log.ts'
import type { Count } from '../lib/metrics.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { type Authentication, identityOf } from './authenticate.ts'
import { BODY_LIMITS } from './bodyMemory.ts'
import { createBodyReader } from './bodyReader.ts'
import { compressAnswer } from './compression.ts'
import { repeatedHeader } from './headers.ts'
import { createLazyValidators } from './lazyValidators.ts'
import { createRespond } from './respond.ts'
import type { Route, ServedRoute } from './route.ts'
import { createSendError } from './sendError.ts'
import { type Bodies, serveApiRoutes, servePublicRoutes, serveToolbarRoutes, type Serving } from './serveRoutes.ts'

export interface ServerOptions {
  readonly routes: readonly ServedRoute[]
  readonly auth: Authentication
  /** Folder of the SDK's built files. */
  readonly staticDir: string
  /** Memory for large request bodies, in bytes. Small ones have half as much in addition. */
  readonly ingestBytes: number
  readonly slices: TimeSlices
  readonly log: Log
  readonly count: Count
}

/** Maximum time for the headers of a request, in ms. */
export const MAX_HEADERS_MS = 15_000
// Longer than the slowest body may take. The body reader responds first, then this closes the connection.
const MAX_REQUEST_MS = BODY_LIMITS.maxMs + 10_000
const CHECK_CONNECTIONS_MS = 5_000

/** Memory for bodies of recordings, as a part of that for large bodies. */
const RECORDING_SHARE = 4

// Longer than the writer waits for the engine, so that every response is still sent.
const LAST_ANSWERS_MS = 16_000

/** Alias of `/api/projects`, which SDKs and tools of this protocol also use. */
const PROJECT_ALIAS = /^\/api\/environments(?=[/?]|$)/

export interface Server {
  /** Resolves with the URL. Rejects with Node's error if the port cannot be used. */
  listen(at: { port: number; host: string }): Promise<string>
  /** Accepts no more requests. Resolves when all responses are sent. */
  close(): Promise<void>
  /** Bytes that the bodies of requests hold. */
  heldBytes(): number
}

// Successful changes are logged at the default level, everything else at debug.
const levelOf = (access: Route['access'] | undefined, status: number): LogLevel =>
  access?.endsWith(':write') && status < 300 ? 'info' : 'debug'

/** Gives each request an id, and counts and logs its end. */
const observeRequests = (server: FastifyInstance, { log, count }: Pick<ServerOptions, 'log' | 'count'>) => {
  // Synchronous hooks call `done`: a promise for each of them would be most of their cost.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done(repeatedHeader(request.raw.rawHeaders))
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id } = request
    const route = request.routeOptions?.url ?? 'none'
    const { statusCode: status } = reply
    count('trailmark_requests_total', { method, route, status })
    const { key, grant } = identityOf(request) ?? {}
    // The pattern of the path, never the URL, which may carry a token.
    log('Request', {
      level: levelOf((request.routeOptions.config as { access?: Route['access'] }).access, status),
      request_id: id,
      method,
      route,
      status,
      ms: Math.round(reply.elapsedTime),
      ...(key ? { key: key.id, label: key.label } : {}),
      ...(grant ? { run_token: grant.claims.jti } : {}),
    })
    done()
  })
}

const closeConnectionsAtEnd = (server: FastifyInstance) => {
  // A connection whose last response comes later would stay open, and the server with it, until it times out.
  let closing = false
  server.addHook('preClose', async () => {
    closing = true
  })
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Creates the HTTP server, ready to listen. It handles requests and statuses. The routes provide the data. */
export const createServer = async ({
  routes,
  auth,
  staticDir,
  ingestBytes,
  slices,
  log,
  count,
}: ServerOptions): Promise<Server> => {
  const sendError = createSendError({ log, count })
  const basePath = new RegExp(`^${auth.console.address.base}(?=/|$)`)
  const server = createFastify({
    logger: false as unknown as FastifyBaseLogger,
    genReqId: () => randomUUID(),
    // A proxy may leave the console's base path in the URL, or remove it.
    rewriteUrl: ({ url = '/' }) => url.replace(basePath, '').replace(PROJECT_ALIAS, '/api/projects') || '/',
    // Only proxies in private networks are trusted to name the client.
    trustProxy: ['loopback', 'linklocal', 'uniquelocal'],
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    requestTimeout: MAX_REQUEST_MS,
    http: { headersTimeout: MAX_HEADERS_MS, connectionsCheckingInterval: CHECK_CONNECTIONS_MS },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        allowUnionTypes: true,
      },
    },
    schemaController: {
      // Without a serializer, Fastify loads its serializer compiler, which takes longer than compiling many schemas.
      compilersFactory: { buildValidator: createLazyValidators(), buildSerializer: () => () => JSON.stringify },
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply as unknown as FastifyReply),
  })

  server.setErrorHandler<FastifyError | ApiError>(sendError)
  server.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply))
  observeRequests(server, { log, count })
  closeConnectionsAtEnd(server)
  server.addHook('onSend', compressAnswer)
  const events = createBodyReader(ingestBytes, { count, slices })
  // Recordings have a separate memory limit, so they never take the memory of event bodies.
  const recordings = createBodyReader(ingestBytes / RECORDING_SHARE, { count, slices })
  const readerOf = (request: FastifyRequest) =>
    (request.routeOptions.config as { isRecording?: boolean }).isRecording ? recordings : events
  const bodies: Bodies = {
    read: (request, stream, maxBytes) => readerOf(request).read(request, stream, maxBytes),
  }
  server.addHook('onClose', async () => [events, recordings].forEach((each) => each.close()))
  server.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET') readerOf(request).watch(request, reply)
    done()
  })
  server.removeAllContentTypeParsers()
  await server.register(staticFiles, { root: staticDir, serve: false, preCompressed: true })
  const serving: Serving = { routes, auth, bodies, respond: createRespond(staticDir), log }
  await server.register(async (open) => servePublicRoutes(open, serving))
  await server.register(async (api) => serveApiRoutes(api, serving))
  await server.register(async (toolbar) => serveToolbarRoutes(toolbar, serving))

  return {
    listen: (at) => server.listen(at),
    heldBytes: () => events.heldBytes() + recordings.heldBytes(),
    async close() {
      // An idle connection, or one that never ends its request, would delay closing.
      const forced = setTimeout(() => server.server.closeAllConnections(), LAST_ANSWERS_MS)
      await server.close()
      clearTimeout(forced)
    },
  }
}
