import { toJson } from '../lib/json'
import type { CapturedEvent } from '../types'

/** A body ready to travel. text/plain costs no CORS preflight; the service sees by the first bytes what it is. */
export interface Body {
  data: Uint8Array<ArrayBuffer> | string
  type: 'text/plain' | 'application/json'
}

/** Compresses at once. */
export type GzipNow = (text: string) => Uint8Array<ArrayBuffer>

/** The JSON text of a request with these events (protocol.md §4.2), from the JSON text of each. */
export const bodyText = (token: string, events: readonly string[], sentAt = new Date()): string =>
  `{"api_key":${JSON.stringify(token)},"batch":[${events.join()}],"sent_at":"${sentAt.toISOString()}"}`

/** The JSON text of one event. Members that are undefined are not in it. */
export const eventText = ({ uuid, event, properties, $set, $set_once, $unset, timestamp }: CapturedEvent): string =>
  toJson({ uuid, event, properties, $set, $set_once, $unset, timestamp })

/** The body now, on this thread: for when the page goes. Without `gzipNow`, as it is. */
export const encodeNow = (text: string, gzipNow: GzipNow | undefined): Body =>
  gzipNow ? { data: gzipNow(text), type: 'text/plain' } : { data: text, type: 'application/json' }

// What a connection sends before it hears an answer: ten segments. https://www.rfc-editor.org/rfc/rfc6928
const FIRST_FLIGHT = 14_000

/**
 * Whether a page that sends this much wants `gzipNow`. Fetching and compiling it is 4 ms of the main thread; it pays
 * where the platform cannot compress, and where what the page's last beacon carries would not be gone in one flight.
 */
export const needsGzipNow = (text: string): boolean =>
  typeof CompressionStream === 'undefined' || text.length > FIRST_FLIGHT

/** The body, compressed off the main thread where the platform can (Compression Streams), else by `gzipNow`. */
export const encode = async (text: string, gzipNow: GzipNow | undefined): Promise<Body> => {
  try {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
    return { data: new Uint8Array(await new Response(stream).arrayBuffer()), type: 'text/plain' }
  } catch {
    // No Compression Streams here, or they failed.
    return encodeNow(text, gzipNow)
  }
}
