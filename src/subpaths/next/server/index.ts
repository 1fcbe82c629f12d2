import type { Bootstrap } from 'trailmark'
import { createProxy, type ProxyOptions } from 'trailmark/proxy'
import { createAnalytics } from 'trailmark/server'
import { cookiesOf, distinctIdOf, readBootstrap, type ReadCookie, type VisitorSettings } from '../../shared/visitor'

export type { VisitorSettings } from '../../shared/visitor'

/** What `cookies()` of `next/headers` returns. */
interface CookieStore {
  get(name: string): { value: string } | undefined
}

const readerOf = (cookies: CookieStore | string | undefined): ReadCookie =>
  typeof cookies === 'object' ? (name) => cookies.get(name)?.value : cookiesOf(cookies)

/**
 * Returns the identity and the flags of the visitor, for `bootstrap` of the provider. `cookies`: `await cookies()` of
 * `next/headers`, or the `Cookie` header of a request. Reading cookies makes a route dynamic: do so only where flags change
 * the page. Never throws.
 * @example <TrailmarkProvider bootstrap={await getBootstrap({ token, host }, await cookies())}>
 */
export const getBootstrap = (settings: VisitorSettings, cookies?: CookieStore | string): Promise<Bootstrap> =>
  readBootstrap(settings, readerOf(cookies))

/** The request of `onRequestError`. */
interface FailedRequest {
  path: string
  method: string
  headers: Record<string, string | string[] | undefined>
}
interface FailedRoute {
  routerKind: string
  routePath: string
  routeType: string
}

/**
 * Returns `onRequestError` for `instrumentation.ts`: captures errors of server components, route handlers and server functions.
 * @example export const onRequestError = captureRequestErrors({ token, host })
 */
export const captureRequestErrors = ({ token, host }: Pick<VisitorSettings, 'token' | 'host'>) => {
  const analytics = createAnalytics(token, { host })
  return async (error: unknown, { path, method, headers }: Readonly<FailedRequest>, route: Readonly<FailedRoute>) => {
    const cookie = [headers.cookie].flat().join('; ')
    await analytics.captureExceptionImmediate(error, distinctIdOf(token, cookiesOf(cookie)), {
      // Omits the query, which may contain personal data.
      $pathname: path.split('?')[0],
      $request_method: method,
      $route: route.routePath,
      next_router: route.routerKind,
      next_route_type: route.routeType,
    })
  }
}

/**
 * Returns the handlers of a route that passes the SDK's requests on, for `app/ingest/[...path]/route.ts`. `prefix`: its path.
 * @example export const { GET, POST, OPTIONS } = createRoute({ host, prefix: '/ingest' })
 */
export const createRoute = (options: ProxyOptions) => {
  const proxy = createProxy(options)
  const handle = (request: Request): Promise<Response> => proxy(request)
  return { GET: handle, POST: handle, OPTIONS: handle }
}
