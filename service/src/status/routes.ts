import type { Console } from '../console/console.ts'
import { ApiError } from '../lib/apiError.ts'
import { isConsoleHost } from '../http/console.ts'
import { CONSOLE_PATH } from '../console/files.ts'
import { HOME_PAGE } from './home.ts'
import { type Handler, routesWith } from '../http/route.ts'

/** What the routes use. */
export interface StatusParts {
  readonly console: Pick<Console, 'address' | 'files'>
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  /** Returns why the service cannot serve requests. Empty if it is ready. */
  readonly readiness: () => Promise<readonly { readonly code: string; readonly detail: string }[]>
}

const route = routesWith<StatusParts>()

/** Sends browsers to the console, on its hosts. */
const home: Handler<StatusParts> = ({ console: { address, files } }, { headers }) =>
  headers.accept?.includes('text/html') && isConsoleHost(address, headers) && files.isBuilt()
    ? {
        status: 302,
        headers: { location: `${address.base}${CONSOLE_PATH}`, 'cache-control': 'no-store', vary: 'origin, accept' },
      }
    : HOME_PAGE

const readiness: Handler<StatusParts> = async (parts) => {
  const reasons = await parts.readiness()
  if (!reasons.length) return { body: { status: 'ready' } }
  const detail = reasons.map((reason) => reason.detail).join(' ')
  throw new ApiError('not_ready', { code: reasons[0]!.code, detail, retryAfterSeconds: 1, extra: { reasons } })
}

const metrics: Handler<StatusParts> = async (parts, { key }) => {
  if (key.projectId !== undefined)
    throw new ApiError('permission_denied', {
      detail:
        'Metrics cover all projects, but this key is valid for one. Create a key for all projects with "trailmark key create <label> --scopes metrics:read --all-projects".',
    })
  return {
    body: await parts.metrics(),
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
  }
}

/** The home page, and what monitors request. */
export const STATUS_ROUTES = [
  route({ method: 'GET', path: '/', access: 'public', handler: home }),
  route({ method: 'GET', path: '/_health', access: 'public', handler: () => ({ body: { status: 'ok' } }) }),
  route({ method: 'GET', path: '/_readiness', access: 'public', handler: readiness }),
  route({
    method: 'GET',
    path: '/metrics',
    access: 'metrics:read',
    summary: 'Read metrics for Prometheus. Requires a key for all projects',
    handler: metrics,
  }),
]
