import type { FetchInit, ServerOptions } from './types'

/** The answer to a request. Status 0: there is none. */
export interface Answer {
  status: number
  text: string
  json: unknown
  isRedirected: boolean
  retryAfterMs: number | undefined
  etag: string | null
}

export interface SendOptions {
  method?: 'GET' | 'POST'
  body?: string
  headers?: Record<string, string>
  timeoutMs: number
  /** Whether a long body is compressed. */
  isCompressed?: boolean
  controller?: AbortController
}

// Shorter bodies fit into one packet.
const MIN_COMPRESSED = 1024

const gzip = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toMs = (retryAfter: string | null): number | undefined => {
  if (!retryAfter) return undefined
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return ms > 0 ? ms : undefined
}

export type Send = (path: string, options: SendOptions) => Promise<Answer>

/** Creates the function that sends requests to the service. It never rejects, and logs an outage once. */
export const createSend = (
  { host, fetch: own }: Pick<ServerOptions, 'host' | 'fetch'>,
  log: (problem: string) => void,
): Send => {
  let isDown = false
  return async (
    path,
    { method = 'POST', body, headers, timeoutMs, isCompressed, controller = new AbortController() },
  ) => {
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    try {
      const isZipped = isCompressed && body && body.length >= MIN_COMPRESSED && typeof CompressionStream === 'function'
      const init: FetchInit = {
        method,
        headers: { 'Content-Type': isZipped ? 'text/plain' : 'application/json', ...headers },
        body: isZipped ? await gzip(body) : body,
        signal: controller.signal,
      }
      const url = host.replace(/\/+$/, '') + path
      const response = await (own ? own(url, init) : fetch(url, init))
      const text = await response.text()
      isDown = false
      return {
        status: response.status,
        text,
        json: parsed(text),
        isRedirected: response.redirected,
        retryAfterMs: toMs(response.headers.get('retry-after')),
        etag: response.headers.get('etag'),
      }
    } catch (error) {
      if (!isDown)
        log(`${host} cannot be reached: ${((error as Error).cause as Error | undefined)?.message ?? String(error)}`)
      isDown = true
      return { status: 0, text: '', json: undefined, isRedirected: false, retryAfterMs: undefined, etag: null }
    } finally {
      clearTimeout(timer)
    }
  }
}
