import { parseJson } from '../lib/json'
import type { Config } from '../types'
import type { Body } from './encode'

/** What came back. Status 0: no answer. */
export interface Answer {
  status: number
  text: string
  /** The body, parsed, when it was JSON. */
  json?: unknown
  /** How long the service asks to be left alone, ms. */
  retryAfterMs?: number
}

// Requests that outlive the page share 64 KiB; one that is over fails at once. https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
const OUTLIVES_BYTES = 52_000
const TIMEOUT_MS = 60_000

/** Bytes of a body. */
export const sizeOf = ({ data }: Body) => (typeof data === 'string' ? new Blob([data]).size : data.byteLength)

/** Whether a request with this body goes on when the page is gone. */
export const outlivesPage = (body: Body): boolean => sizeOf(body) < OUTLIVES_BYTES

const retryAfter = (header: string | null): number | undefined => {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? +header * 1000 : Date.parse(header) - Date.now()
  return ms >= 0 ? ms : undefined
}

/** The options that shape a request. */
export type RequestConfig = Pick<Config, 'xhr_headers' | 'fetch_options'>

/** One request by fetch: a POST, or a GET without a body. Never rejects: no answer is an answer with status 0. */
export const request = async (
  url: string,
  body: Body | undefined,
  config: RequestConfig,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> => {
  const { next_options, ...options } = config.fetch_options
  const aborting = new AbortController()
  const timer = setTimeout(() => aborting.abort(), timeoutMs)
  try {
    const response = await fetch(url, {
      ...(body ? { method: 'POST', keepalive: outlivesPage(body), body: body.data } : {}),
      referrerPolicy: 'strict-origin',
      ...options,
      // The key that Next.js's own fetch reads. https://nextjs.org/docs/app/api-reference/functions/fetch
      ...(next_options ? { next: next_options } : {}),
      headers: { ...config.xhr_headers, ...(body ? { 'Content-Type': body.type } : {}) },
      signal: aborting.signal,
    } as RequestInit)
    const text = await response.text()
    return {
      status: response.status,
      text,
      json: parseJson(text),
      retryAfterMs: retryAfter(response.headers.get('Retry-After')),
    }
  } catch (error) {
    return { status: 0, text: aborting.signal.aborted ? 'timeout' : String(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** One POST that the browser finishes after the page is gone. False: refused, too much of that is under way. */
export const beacon = (url: string, { data }: Body): boolean => {
  try {
    // text/plain whatever it is: a JSON type would cost a preflight, which a page that goes does not live to see.
    return navigator.sendBeacon(url, new Blob([data], { type: 'text/plain' }))
  } catch {
    return false
  }
}
