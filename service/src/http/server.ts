import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import staticFiles from '@fastify/static'
import createFastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { isRunToken } from '../endpoints/tokens/runToken.ts'
import type { RunGrant } from '../endpoints/tokens/runTokens.ts'
import type { Log, LogLevel } from '../lib/log.ts'
import type { Count } from '../lib/metrics.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { isShort, streamJson, toLargeJson } from '../lib/largeJson.ts'
import { ApiError } from '../lib/apiError.ts'
import { type ApiKey, MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { StorageError, storageApiError } from '../storage/storage.ts'
import { type AuthDependencies, authorize, bearerOf, keyInHeader, type Scope } from './auth.ts'
import { compressAnswer, varyBy } from './compression.ts'
import { MAX_BODY_BYTES } from '../ingest/decode.ts'
import { parseBounded } from '../ingest/split.ts'
import { BODY_LIMITS } from './bodyMemory.ts'
import { type BodyReader, createBodyReader } from './bodyReader.ts'
import { assertConsoleHost, assertOwnPage, PAGE_HEADERS, PRIVATE_HEADERS, sessionSecret } from './console.ts'
import { toErrorResponse } from './errors.ts'
import { repeatedHeader } from './headers.ts'
import { createLazyValidators } from './lazyValidators.ts'
import type { Dependencies, Route, RouteRequest } from './route.ts'
import { ROUTES } from './routes.ts'
import {
  assertToolbarHeader,
  originOf,
  requireToolbarSession,
  toolbarHeaders,
  toolbarPreflightHeaders,
} from './toolbar.ts'
import { own } from '../lib/own.ts'

export interface ServerOptions extends AuthDependencies {
  readonly dependencies: Dependencies
  /** Folder of the SDK's built files. */
  readonly staticDir: string
  /** Memory for large request bodies, in bytes. Small ones have half as much in addition. */
  readonly ingestBytes: number
  readonly slices: TimeSlices
  readonly log: Log
  readonly count: Count
}

/** Maximum bytes of a body of the API. */
export const MAX_API_BYTES = 1024 * 1024

/** Maximum time for the headers of a request, in ms. */
export const MAX_HEADERS_MS = 15_000
// Longer than the slowest body may take. The body reader responds first, then this closes the connection.
const MAX_REQUEST_MS = BODY_LIMITS.maxMs + 10_000
const CHECK_CONNECTIONS_MS = 5_000

/** Memory for bodies of recordings, as a part of that for large bodies. */
const RECORDING_SHARE = 4

/** Maximum validation issues that a response lists. */
const MAX_ERRORS = 20

const FULL_RETRY_SECONDS = 30
// A restart or failover of the database takes about as long.
const DEFINITIONS_RETRY_SECONDS = 5

// Longer than the writer waits for the engine, so that every response is still sent.
const LAST_ANSWERS_MS = 16_000

/** Alias of `/api/projects`, which SDKs and tools of this protocol also use. */
const PROJECT_ALIAS = /^\/api\/environments(?=[/?]|$)/

// Errors of the framework, by code. Any other error is a bug.
const FRAMEWORK_ERRORS: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('invalid_input', { detail: 'The length of the body differs from Content-Length.' }),
  ECONNRESET: () => new ApiError('invalid_input', { detail: 'The connection closed before the body was complete.' }),
  FST_ERR_BAD_URL: () => new ApiError('not_found'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found'),
}

const describeIssue = ({
  instancePath,
  params,
  message,
}: {
  instancePath: string
  params: Record<string, unknown>
  message?: string
}) => {
  const extra = params.additionalProperty ?? params.missingProperty
  const path = [...instancePath.split('/').slice(1), ...(typeof extra === 'string' ? [extra] : [])].join('.')
  const expected =
    params.additionalProperty !== undefined
      ? 'is not a field of this request'
      : params.missingProperty !== undefined
        ? 'is required'
        : Array.isArray(params.allowedValues)
          ? `must be one of ${params.allowedValues.join(', ')}`
          : (message ?? 'is not valid')
  return {
    path,
    code: params.missingProperty === undefined ? 'invalid' : 'required',
    message: path ? `"${path}" ${expected}` : `The body ${expected}`,
  }
}

const fromValidation = (issues: NonNullable<FastifyError['validation']>): ApiError => {
  const errors = issues.slice(0, MAX_ERRORS).map((issue) =>
    describeIssue({
      instancePath: issue.instancePath,
      params: issue.params,
      ...(issue.message ? { message: issue.message } : {}),
    }),
  )
  return new ApiError('invalid_input', {
    detail: `${errors.map(({ message }) => message).join('; ')}.`,
    attr: errors[0]!.path.split('.')[0],
    errors,
  })
}

const toApiError = (error: FastifyError | ApiError, report: (error: Error) => void): ApiError => {
  if (error instanceof ApiError) return error
  if (error.validation) return fromValidation(error.validation)
  if (error instanceof MetadataUnavailable)
    return new ApiError('definitions_unavailable', { retryAfterSeconds: DEFINITIONS_RETRY_SECONDS })
  const busy = error instanceof StorageError ? storageApiError(error) : undefined
  if (busy) return busy
  // Codes of SQLite and Postgres for a full disk.
  if (error.code === 'SQLITE_FULL' || error.code === '53100')
    return new ApiError('disk_full', { retryAfterSeconds: FULL_RETRY_SECONDS })
  const known = own(FRAMEWORK_ERRORS, error.code)
  if (known) return known()
  report(error)
  return new ApiError('internal_error')
}

type Bodies = Pick<BodyReader, 'read'>

const readJson = async (bodies: Bodies, request: FastifyRequest, stream: Readable): Promise<unknown> => {
  const bytes = await bodies.read(request, stream, MAX_API_BYTES)
  return bytes.length ? parseBounded(bytes) : undefined
}

const stringsOf = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string')

const firstOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? firstOf(value[0]) : typeof value === 'string' ? value : undefined

const projectIdOf = (request: FastifyRequest): number | undefined => {
  const { projectId } = request.params as { projectId?: string }
  return projectId && /^[1-9]\d{0,8}$/.test(projectId) ? Number(projectId) : undefined
}

const keys = new WeakMap<FastifyRequest, ApiKey>()
const grants = new WeakMap<FastifyRequest, RunGrant>()
// Projects of requests with a session of the toolbar, which have none in their path.
const toolbarProjects = new WeakMap<FastifyRequest, number>()

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
  'access-control-expose-headers': 'retry-after, x-request-id',
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

/** Lets the requesting page read the response, including an error about its token. */
const openToPage = ({ headers }: FastifyRequest, reply: FastifyReply) =>
  reply.headers({
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-expose-headers': 'retry-after, x-request-id',
    vary: 'origin',
  })

// Successful changes are logged at the default level, everything else at debug.
const levelOf = (access: Route['access'] | undefined, status: number): LogLevel =>
  access?.endsWith(':write') && status < 300 ? 'info' : 'debug'

/** Returns a signal that is aborted when the connection ends before the response. */
const hangUp = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController()
  const end = () => {
    if (!raw.writableFinished) gone.abort(new ApiError('query_cancelled'))
  }
  if (raw.destroyed) end()
  else raw.once('close', end)
  return gone.signal
}

// Getters for fields that few routes need, because most of the cost of deliveries and flags is here.
const toRequest = (request: FastifyRequest, reply: FastifyReply, receivedAt: number): RouteRequest<never> => ({
  params: request.params as Record<string, string>,
  query: Object.fromEntries(
    Object.entries(request.query as Record<string, unknown>).map(([name, value]) => [name, firstOf(value)]),
  ),
  queryAll: (name) => stringsOf(own(request.query as Record<string, unknown>, name)),
  // The route validates it.
  body: request.body as never,
  projectId: toolbarProjects.get(request) ?? projectIdOf(request)!,
  key: keys.get(request)!,
  grant: grants.get(request),
  get signal() {
    return hangUp(reply)
  },
  get headers() {
    return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, firstOf(value)]))
  },
  receivedAt,
  ip: request.ip,
  protocol: request.protocol,
})

export interface Server {
  /** Resolves with the URL. Rejects with Node's error if the port cannot be used. */
  listen(at: { port: number; host: string }): Promise<string>
  /** Accepts no more requests. Resolves when all responses are sent. */
  close(): Promise<void>
  /** Bytes that the bodies of requests hold. */
  heldBytes(): number
}

type Respond = (route: Route) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
type SendError = (error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Returns the handler that responds to failed requests. */
const createSendError =
  ({ log, count }: Pick<ServerOptions, 'log' | 'count'>): SendError =>
  (error, request, reply) => {
    const apiError = toApiError(error, ({ stack }) =>
      log(`Request ${request.id} ${request.method} ${request.routeOptions?.url ?? ''} failed: ${stack}`, {
        level: 'error',
      }),
    )
    if (error instanceof MetadataUnavailable)
      log(`${error.message}: ${(error.cause as Error).message}`, { level: 'warn', request_id: request.id })
    count('trailmark_refusals_total', { code: apiError.code })
    const { status, body, retryAfterSeconds } = toErrorResponse(apiError, request.id)
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return reply
      .status(status)
      .headers({ 'x-request-id': request.id, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(body)
  }

/** Returns a function from a route to its handler. */
const createRespond =
  ({ dependencies, staticDir }: Pick<ServerOptions, 'dependencies' | 'staticDir'>): Respond =>
  (route) =>
  async (request, reply) => {
    const {
      status = 200,
      headers = {},
      body,
      file,
      root = staticDir,
    } = await route.handler(dependencies, toRequest(request, reply, Date.now()))
    reply.status(status).headers(headers)
    if (file !== undefined) {
      varyBy(reply, 'accept-encoding')
      return reply.sendFile(file, root, { cacheControl: false })
    }
    return reply.send(await toPayload(reply, body))
  }

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && (Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype)

/** Returns a body to send. Writing a long one as JSON does not block the event loop. */
const toPayload = async (reply: FastifyReply, body: unknown): Promise<unknown> => {
  if (!isPlain(body) || isShort(body)) return body
  const chunks = await toLargeJson(body)
  reply.type('application/json; charset=utf-8')
  return streamJson(chunks)
}

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
    const key = keys.get(request)
    const grant = grants.get(request)
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

const servePublicRoutes = (open: FastifyInstance, bodies: Bodies, respond: Respond) => {
  // Set before the handler, so that error responses have the headers and a page can read them.
  open.addHook('onRequest', (request, reply, done) => {
    reply.headers(publicHeaders(request))
    done()
  })
  // Accepts any content type: beacons send text/plain to avoid a preflight.
  open.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) =>
    bodies.read(request, stream, (request.routeOptions.config as { maxBytes?: number }).maxBytes ?? MAX_BODY_BYTES),
  )
  const publicRoutes = ROUTES.filter(({ access }) => access === 'public')
  for (const route of publicRoutes) {
    const { maxBytes, isRecording } = route
    const config = { ...(maxBytes === undefined ? {} : { maxBytes }), ...(isRecording ? { isRecording } : {}) }
    open.route({ method: route.method, url: route.path, config, handler: respond(route) })
  }
  for (const path of new Set(publicRoutes.map(({ path }) => path))) open.options(path, publicPreflight)
}

interface ApiOptions {
  readonly auth: AuthDependencies
  readonly dependencies: Pick<Dependencies, 'runTokens' | 'console' | 'projectByToken' | 'toolbar'>
  readonly bodies: Bodies
  readonly respond: Respond
}

/** Finds the key of a session of the console. Throws `ApiError` unless the console's own page sent the request. */
const keyOfSession = async (
  { address, sessions }: Dependencies['console'],
  secret: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiKey> => {
  reply.headers(PRIVATE_HEADERS)
  assertConsoleHost(address, request.headers)
  assertOwnPage(request)
  const session = await sessions.find(secret)
  if (!session) throw new ApiError('not_signed_in')
  return session.key
}

/** Finds the key, run token or session of a request. Throws `ApiError` if it does not allow the request. */
const authenticate = async (
  route: Route,
  scope: Scope,
  { auth, dependencies: { runTokens, console } }: ApiOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { authorization } = request.headers
  const token = bearerOf(authorization)
  if (route.takesRunTokens && token && isRunToken(token)) {
    openToPage(request, reply)
    const grant = await runTokens.check({
      projectId: projectIdOf(request) ?? 0,
      token,
      endpoint: (request.params as { name: string }).name,
      origin: request.headers.origin,
    })
    grants.set(request, grant)
    keys.set(request, grant.key)
    return
  }
  const session = authorization === undefined ? sessionSecret(console.address, request) : undefined
  const key = session ? await keyOfSession(console, session, request, reply) : await keyInHeader(auth, authorization)
  const projectId = route.path.includes(':projectId') ? projectIdOf(request) : 'any'
  await authorize(auth, key, { projectId, scope, orScope: route.orScope })
  keys.set(request, key)
}

/** Throws `ApiError` unless a route of the console may answer the request. */
const admitToConsole = (
  access: 'console' | 'console_page',
  { address }: Dependencies['console'],
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  reply.headers(access === 'console_page' ? PAGE_HEADERS : PRIVATE_HEADERS)
  assertConsoleHost(address, request.headers)
  if (access === 'console') assertOwnPage(request)
}

const serveApiRoutes = (api: FastifyInstance, options: ApiOptions) => {
  const { bodies, respond, dependencies } = options
  api.addContentTypeParser('application/json', (request: FastifyRequest, stream: Readable) =>
    readJson(bodies, request, stream),
  )
  api.addContentTypeParser('application/gzip', (request: FastifyRequest, stream: Readable) =>
    bodies.read(request, stream, (request.routeOptions.config as { maxBytes?: number }).maxBytes ?? 0),
  )
  for (const route of ROUTES) {
    const { access } = route
    if (access === 'public' || access === 'toolbar') continue
    api.route({
      method: route.method,
      url: route.path,
      config: { access, hasSecret: route.hasSecret, maxBytes: route.maxBytes },
      onRequest: async (request, reply) =>
        access === 'console' || access === 'console_page'
          ? admitToConsole(access, dependencies.console, request, reply)
          : authenticate(route, access, options, request, reply),
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

/** Finds the session of a request of the toolbar. Throws `ApiError` if it does not allow the request. */
const authenticateToolbar = async (
  scope: Scope,
  { auth, dependencies }: Pick<ApiOptions, 'auth' | 'dependencies'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const token = firstOf((request.query as Record<string, unknown>).token)
  const { session } = await requireToolbarSession(dependencies, { headers: request.headers, token })
  reply.headers(toolbarHeaders(session.origin))
  await authorize(auth, session.key, { projectId: session.project.id, scope })
  keys.set(request, session.key)
  toolbarProjects.set(request, session.project.id)
}

const serveToolbarRoutes = (toolbar: FastifyInstance, options: ApiOptions) => {
  const { bodies, respond } = options
  // Set before the handler, so that error responses have the headers and the toolbar can read them.
  toolbar.addHook('onRequest', (request, reply, done) => {
    reply.headers(toolbarHeaders(originOf(request.headers)))
    done()
  })
  toolbar.addContentTypeParser('application/json', (request: FastifyRequest, stream: Readable) =>
    readJson(bodies, request, stream),
  )
  const toolbarRoutes = ROUTES.filter(({ access }) => access === 'toolbar')
  for (const route of toolbarRoutes) {
    const { toolbarScope } = route
    toolbar.route({
      method: route.method,
      url: route.path,
      config: { hasSecret: route.hasSecret },
      async onRequest(request, reply) {
        assertToolbarHeader(request.headers)
        if (toolbarScope) await authenticateToolbar(toolbarScope, options, request, reply)
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

/** Creates the HTTP server, ready to listen. It handles requests and statuses. The dependencies provide the data. */
export const createServer = async ({
  dependencies,
  staticDir,
  ingestBytes,
  slices,
  log,
  count,
  ...auth
}: ServerOptions): Promise<Server> => {
  const sendError = createSendError({ log, count })
  const basePath = new RegExp(`^${dependencies.console.address.base}(?=/|$)`)
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
  const respond = createRespond({ dependencies, staticDir })
  await server.register(async (open) => servePublicRoutes(open, bodies, respond))
  const apiOptions = { auth, dependencies, bodies, respond }
  await server.register(async (api) => serveApiRoutes(api, apiOptions))
  await server.register(async (toolbar) => serveToolbarRoutes(toolbar, apiOptions))

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
