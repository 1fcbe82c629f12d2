import { Type } from '@sinclair/typebox'
import { ApiError } from '../lib/apiError.ts'
import type { FoundToolbarSession, ToolbarSessions } from '../toolbar/sessions.ts'
import { bearerOf, type Scope } from './auth.ts'
import { onlyCookie } from './console.ts'
import type { ProjectByToken } from './request.ts'
import type { Route, SharedRead } from './route.ts'
import { own } from '../lib/own.ts'

/** Custom header of the toolbar's requests. Pages on other origins cannot send it without a preflight. */
export const TOOLBAR_HEADER = 'x-trailmark-toolbar'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The parts of a request that identify a session of the toolbar. */
export interface ToolbarRequest {
  readonly headers: Headers
  /** Token of the project, from the query. */
  readonly token: string | undefined
}

const valueOf = (headers: Headers, name: string): string | undefined => own(headers, name) && String(own(headers, name))

export const originOf = (headers: Headers): string | undefined => valueOf(headers, 'origin')

/** Whether the browser says that the page is on the origin of the service, as the browser sees it. */
export const isSameOrigin = (headers: Headers): boolean => headers['sec-fetch-site'] === 'same-origin'

/**
 * Headers of responses to the toolbar. The page of the request may read them, which for data means the site of the
 * session: `origin` is the session's then. Until the session is known, the response has no data.
 */
export const toolbarHeaders = (origin: string | undefined): Readonly<Record<string, string>> => ({
  ...(origin ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' } : {}),
  'access-control-expose-headers': 'retry-after, x-request-id',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'origin',
})

/** Headers of responses to preflights. They do not reveal which origins are authorized. */
export const toolbarPreflightHeaders = (origin: string | undefined): Readonly<Record<string, string>> => ({
  ...toolbarHeaders(origin),
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': `authorization, content-type, ${TOOLBAR_HEADER}`,
  'access-control-max-age': '7200',
})

/** Throws `ApiError` unless the request has the toolbar's header, which forms, images and links cannot send. */
export const assertToolbarHeader = (headers: Headers): void => {
  if (headers[TOOLBAR_HEADER] !== '1')
    throw new ApiError('cross_origin_request', {
      detail: 'Requests of the toolbar must have the header X-Trailmark-Toolbar: 1.',
    })
}

const cookieName = (projectId: number) => `__Host-trailmark_toolbar_${projectId}`

/**
 * Returns the value of `Set-Cookie` that stores `secret`, or deletes the cookie if `secret` is empty. Scripts cannot
 * read the cookie, and the browser partitions it by the site that the service is embedded in.
 */
export const toolbarCookie = (projectId: number, { secret, seconds }: { secret: string; seconds: number }): string =>
  [
    `${cookieName(projectId)}=${secret}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'Secure',
    'SameSite=None',
    'Partitioned',
  ].join('; ')

/** Returns the secret of a session in the request: from the page's memory, or else from the cookie. */
export const toolbarSecret = (
  headers: Headers,
  projectId: number,
): { readonly secret: string; readonly isInMemory: boolean } | undefined => {
  const bearer = bearerOf(valueOf(headers, 'authorization'))
  if (bearer) return { secret: bearer, isInMemory: true }
  const cookie = onlyCookie(headers, cookieName(projectId))
  return cookie ? { secret: cookie, isInMemory: false } : undefined
}

/** Dependencies that find the session of a request. */
export interface ToolbarLookups {
  readonly projectByToken: ProjectByToken
  readonly toolbar: Pick<ToolbarSessions, 'find'>
}

/** Finds the session of a request and its secret. Throws `ApiError` if the request has no session. */
export const requireToolbarSession = async (
  { projectByToken, toolbar }: ToolbarLookups,
  { headers, token }: ToolbarRequest,
): Promise<{ readonly secret: string; readonly session: FoundToolbarSession }> => {
  const project = token ? await projectByToken(token) : undefined
  const found = project && toolbarSecret(headers, project.id)
  const session =
    found && (await toolbar.find({ ...found, project, origin: originOf(headers), isSameOrigin: isSameOrigin(headers) }))
  if (!session) throw new ApiError('no_toolbar_session')
  return { secret: found.secret, session }
}

/** Query parameters of the toolbar's requests. */
export const TOKEN = { token: Type.String({ description: 'Public token of the project' }) }

/** Lets the toolbar call a read with its session, if the key of the session has the scope. */
export const toolbarRead = <Parts>(path: string, toolbarScope: Scope, definition: SharedRead<Parts>): Route<Parts> => ({
  ...definition,
  path: `/toolbar/api/${path}`,
  access: 'toolbar',
  toolbarScope,
  query: { ...TOKEN, ...definition.query },
})
