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
