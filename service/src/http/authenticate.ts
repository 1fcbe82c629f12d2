import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleSessions } from '../console/sessions.ts'
import { isRunToken } from '../endpoints/tokens/runToken.ts'
import type { RunGrant, RunTokens } from '../endpoints/tokens/runTokens.ts'
import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import { type AuthDependencies, authorize, bearerOf, keyInHeader, type Scope } from './auth.ts'
import {
  assertConsoleHost,
  isConsoleHost,
  assertOwnPage,
  type ConsoleAddress,
  PAGE_HEADERS,
  PRIVATE_HEADERS,
  sessionSecret,
} from './console.ts'
import type { ServedRoute } from './route.ts'
import { requireToolbarSession, toolbarHeaders, type ToolbarLookups } from './toolbar.ts'
import { firstOf, projectIdOf } from './values.ts'
import { assertViewerPage, VIEWER_HEADERS } from './viewer.ts'

/** Dependencies that find the sender of a request. */
export interface Authentication extends AuthDependencies, ToolbarLookups {
  readonly runTokens: Pick<RunTokens, 'check'>
  readonly console: ConsoleAuthentication
}

interface ConsoleAuthentication {
  readonly address: ConsoleAddress
  readonly sessions: Pick<ConsoleSessions, 'find'>
}

/** Sender of a request. */
export interface Identity {
  readonly key: ApiKey
  /** Rights of its run token. */
  readonly grant?: RunGrant
  /** Project of its toolbar session. Other requests name the project in their path. */
  readonly projectId?: number
}

const identities = new WeakMap<FastifyRequest, Identity>()

/** Returns the sender of a request. `undefined`: the request needs no key. */
export const identityOf = (request: FastifyRequest): Identity | undefined => identities.get(request)

/** Lets the requesting page read the response, including an error about its token. */
const openToPage = ({ headers }: FastifyRequest, reply: FastifyReply) =>
  reply.headers({
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-expose-headers': 'retry-after, x-request-id',
    vary: 'origin',
  })

/** Finds the key of a session of the console. Throws `ApiError` unless the console's own page sent the request. */
const keyOfSession = async (
  { address, sessions }: ConsoleAuthentication,
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
export const authenticate = async (
  route: ServedRoute,
  scope: Scope,
  auth: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { authorization } = request.headers
  const token = bearerOf(authorization)
  if (route.takesRunTokens && token && isRunToken(token)) {
    openToPage(request, reply)
    const grant = await auth.runTokens.check({
      projectId: projectIdOf(request) ?? 0,
      token,
      endpoint: (request.params as { name: string }).name,
      origin: request.headers.origin,
    })
    identities.set(request, { key: grant.key, grant })
    return
  }
  const session = authorization === undefined ? sessionSecret(auth.console.address, request) : undefined
  const key = session
    ? await keyOfSession(auth.console, session, request, reply)
    : await keyInHeader(auth, authorization)
  const projectId = route.path.includes(':projectId') ? projectIdOf(request) : 'any'
  await authorize(auth, key, { projectId, scope, orScope: route.orScope })
  identities.set(request, { key })
}

/** Throws `ApiError` unless a route of the console may answer the request. */
export const admitToConsole = (
  access: 'console' | 'console_page',
  { address }: ConsoleAuthentication,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  reply.headers(access === 'console_page' ? PAGE_HEADERS : PRIVATE_HEADERS)
  assertConsoleHost(address, request.headers)
  if (access === 'console') assertOwnPage(request)
}

/** Throws `ApiError` unless the page of a share may send the request. No cookie is read. */
export const admitToShare = (request: FastifyRequest, reply: FastifyReply): void => {
  reply.headers(VIEWER_HEADERS)
  if (request.method !== 'GET') assertViewerPage(request)
}

/** Throws `ApiError` if a page of another site sent the request, also one that has its own name resolved to this service. */
const assertNoForeignPage = (address: ConsoleAddress, { headers, host }: FastifyRequest): void => {
  const { origin } = headers
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host.toLowerCase())
  if (isOwn && isConsoleHost(address, headers)) return
  throw new ApiError('cross_origin_request', {
    detail: isOwn
      ? 'Agents are not served on this host. Use a host that TRAILMARK_CONSOLE_HOSTS names, or name this one there and restart the service.'
      : 'Agents are served to programs, not to pages of other sites.',
  })
}

/**
 * Finds the key of an agent's request, with any scopes. Throws `ApiError` if the request has no key. Cookies are not
 * read. A response does not name an authorization server, because clients would try to sign in there.
 */
export const authenticateAgent = async (
  auth: Authentication,
  log: Log,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  reply.headers(PRIVATE_HEADERS)
  assertNoForeignPage(auth.console.address, request)
  const { authorization } = request.headers
  if (authorization === undefined) {
    // Some clients do not send the headers that they are configured with.
    log('Agent request without an Authorization header', { request_id: request.id })
    throw new ApiError('not_authenticated', {
      detail:
        'The request has no Authorization header. Configure the client to send "Authorization: Bearer <personal API key>". If it is configured, the client does not send it.',
    })
  }
  identities.set(request, { key: await keyInHeader(auth, authorization) })
}

/** Finds the session of a request of the toolbar. Throws `ApiError` if it does not allow the request. */
export const authenticateToolbar = async (
  scope: Scope,
  auth: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const token = firstOf((request.query as Record<string, unknown>).token)
  const { session } = await requireToolbarSession(auth, { headers: request.headers, token })
  reply.headers(toolbarHeaders(session.origin))
  await authorize(auth, session.key, { projectId: session.project.id, scope })
  identities.set(request, { key: session.key, projectId: session.project.id })
}
