import { attempt, within } from '../lib/guard'
import { parseJson } from '../lib/json'
import { reportCaught } from '../lib/log'
import type { OddRequests, Reply } from '../lib/oddRequests'
import type { Config } from '../types'
import type { Body } from './encode'

/** The result of a request. Status 0: no response. */
export interface RequestResult {
  status: number
  text: string
  /** The parsed body, if it is JSON. */
  json?: unknown
  /** Whether the response is from another URL. */
  isRedirected?: boolean
  /** The value of `Retry-After`, in ms. */
  retryAfterMs?: number
}

// Requests that outlive the page share 64 KiB. One that exceeds it fails immediately.
// https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
const OUTLIVES_BYTES = 52_000
const TIMEOUT_MS = 60_000

// A character takes three bytes at most. Counting with a blob would block on another process of the browser.
const bytesOf = (body: Body): number =>
  typeof body !== 'string' || body.length * 3 < OUTLIVES_BYTES ? body.length : new Blob([body]).size

/** Bytes of the requests under way that outlive the page. */
let outliving = 0

/** Whether a request with this body outlives the page. XMLHttpRequest never does. */
export const outlivesPage = (body: Body): boolean =>
  typeof fetch === 'function' && outliving + bytesOf(body) < OUTLIVES_BYTES

const retryAfter = (header: string | null): number | undefined => {
  const ms = Number(header) * 1000 || Date.parse(header!) - Date.now()
  return ms >= 0 ? ms : undefined
}

/** The options that shape a request. */
export type RequestConfig = Pick<Config, 'xhr_headers' | 'fetch_options'>

/**
 * Sends one request: a POST, or a GET without a body. Never rejects: without a response the status is 0. `load` fetches what
 * is needed where the page has removed or replaced `fetch`, or where `fetch` rejects options of the site.
 */
export const request = async (
  url: string,
  body: Body | undefined,
  config: RequestConfig,
  timeoutMs = TIMEOUT_MS,
  load?: () => Promise<OddRequests>,
): Promise<RequestResult> => {
  const { next_options, ...options } = config.fetch_options
  const aborting = new AbortController()
  const keepalive = !!body && outlivesPage(body)
  const bytes = keepalive ? bytesOf(body) : 0
  outliving += bytes
  const send = async (): Promise<RequestResult> => {
    const all = { ...options, headers: config.xhr_headers } as RequestInit
    const isUsual = !Object.keys({ ...options, ...config.xhr_headers }).length
    // Not awaited where all are accepted, so that the request starts at once.
    const { headers, ...rest } =
      isUsual || attempt(() => new Request(url, all))
        ? all
        : await load!().then(
            ({ accepted }) => accepted(url, all, reportCaught),
            (): RequestInit => ({}),
          )
    const init = {
      method: body ? 'POST' : 'GET',
      ...(body ? { keepalive, body } : {}),
      referrerPolicy: 'strict-origin',
      ...rest,
      // The key that Next.js's own fetch reads. https://nextjs.org/docs/app/api-reference/functions/fetch
      ...(next_options ? { next: next_options } : {}),
      headers: {
        ...headers,
        // text/plain avoids a CORS preflight. The service recognizes gzip by its first bytes.
        ...(body ? { 'Content-Type': typeof body === 'string' ? 'application/json' : 'text/plain' } : {}),
      },
      signal: aborting.signal,
    } as RequestInit
    const response: Reply = (await attempt(() => fetch(url, init))) ?? (await (await load!()).sendByXhr(url, init))
    const text = await response.text()
    return {
      status: response.status,
      text,
      json: parseJson(text),
      isRedirected: response.redirected,
      retryAfterMs: retryAfter(response.headers.get('Retry-After')),
    }
  }
  const failed = (error: unknown): RequestResult => ({ status: 0, text: String(error) })
  // The page may have replaced fetch by one that ignores the signal.
  const response = await within(timeoutMs, send().catch(failed), failed('timeout'))
  aborting.abort()
  outliving -= bytes
  return response
}

/** Sends one POST that the browser finishes after the page has ended. Returns false if the browser accepts no more. */
export const beacon = (url: string, body: Body): boolean =>
  // Always text/plain, because a JSON type needs a preflight, which a page that ends does not finish.
  !!attempt(() => navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' })))
