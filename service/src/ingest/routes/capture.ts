import type { Ingest } from '../ingest.ts'
import { publicBody } from '../../http/request.ts'
import { type Handler, type Route, routesWith } from '../../http/route.ts'

/** What the routes use. */
export interface CaptureParts {
  readonly ingest: Ingest
}

const route = routesWith<CaptureParts>()

const capture: Handler<CaptureParts, Buffer | undefined> = async ({ ingest }, request) => {
  const { query, receivedAt, ip } = request
  const refused = await ingest({
    body: publicBody(request),
    compression: query.compression,
    token: query.token ?? query.api_key,
    receivedAt,
    address: ip,
  })
  // Status 200, not another 2xx: the SDKs treat any other status as a failure and retry.
  return { body: { status: 1, ...(refused.length ? { refused } : {}) } }
}

const PATHS = ['/e', '/i/v0/e', '/batch', '/capture', '/track', '/engage']

/** Events from browsers and servers. */
export const CAPTURE_ROUTES: readonly Route<CaptureParts>[] = PATHS.flatMap((path) => [
  route({ method: 'POST', path, access: 'public', body: 'raw', handler: capture }),
  route({
    method: 'GET',
    path,
    access: 'public',
    summary: 'Capture events from "data", as old SDKs send them',
    handler: capture,
  }),
])
