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

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One POST by fetch. Never rejects: no answer is an answer with status 0. */
export const post = async (url: string, body: Body, config: Pick<Config, 'xhr_headers' | 'fetch_options'>): Promise<Answer> => {
  const { next_options, ...options } = config.fetch_options
  const aborting = new AbortController()
  const timer = setTimeout(() => aborting.abort(), TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      keepalive: outlivesPage(body),
      referrerPolicy: 'strict-origin',
      ...options,
      // The key that Next.js's own fetch reads. https://nextjs.org/docs/app/api-reference/functions/fetch
      ...(next_options ? { next: next_options } : {}),
      headers: { ...config.xhr_headers, 'Content-Type': body.type },
      body: body.data,
      signal: aborting.signal,
    } as RequestInit)
    const text = await response.text()
    return { status: response.status, text, json: parsed(text), retryAfterMs: retryAfter(response.headers.get('Retry-After')) }
  } catch (error) {
    return { status: 0, text: String(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** One POST that the browser finishes after the page is gone. False: refused, too much of that is under way. */
export const beacon = (url: string, { data, type }: Body): boolean => {
  try {
    // text/plain whatever it is: a JSON type would cost a preflight, which a page that goes does not live to see.
    return navigator.sendBeacon(url, new Blob([data], { type: type === 'application/json' ? 'text/plain' : type }))
  } catch {
    return false
  }
}
