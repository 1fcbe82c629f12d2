import { gzipSync, strToU8 } from 'fflate'
import type { CapturedEvent } from '../types'

/** A body ready to travel. Every content type here is CORS-simple but JSON's: the others cost no preflight. */
export interface Body {
  data: Uint8Array<ArrayBuffer> | string
  type: 'text/plain' | 'application/json'
}

/** The JSON text of a request with these events (protocol.md §4.2), from the JSON text of each. */
export const bodyText = (token: string, events: readonly string[], sentAt = new Date()): string =>
  `{"api_key":${JSON.stringify(token)},"batch":[${events.join()}],"sent_at":"${sentAt.toISOString()}"}`

/** The JSON text of one event. Members that are undefined are not in it. */
export const eventText = ({ uuid, event, properties, $set, $set_once, $unset, timestamp }: CapturedEvent): string =>
  JSON.stringify({ uuid, event, properties, $set, $set_once, $unset, timestamp })

const plain = (text: string): Body => ({ data: text, type: 'application/json' })
const zipped = (data: Uint8Array<ArrayBuffer>): Body => ({ data, type: 'text/plain' })

/** The body now, on this thread: for when the page goes. */
export const encodeNow = (text: string, compressed: boolean): Body =>
  compressed ? zipped(gzipSync(strToU8(text), { mtime: 0 }) as Uint8Array<ArrayBuffer>) : plain(text)

/** The body, compressed off the main thread where the platform can (Compression Streams). */
export const encode = async (text: string, compressed: boolean): Promise<Body> => {
  if (!compressed || typeof CompressionStream === 'undefined') return encodeNow(text, compressed)
  try {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
    return zipped(new Uint8Array(await new Response(stream).arrayBuffer()))
  } catch {
    return encodeNow(text, compressed)
  }
}
