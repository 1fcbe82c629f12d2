import { isoTime } from '../lib/isoTime'
import { toJson } from '../lib/json'
import type { CapturedEvent } from '../types'

/** The body of a request: gzip, or JSON that is not compressed. */
export type Body = Uint8Array<ArrayBuffer> | string

/** Compresses synchronously. */
export type GzipNow = (text: string) => Uint8Array<ArrayBuffer>

/** Returns the JSON text of a request (docs/reference/protocol.md#4.2) from the JSON text of its events. */
export const bodyText = (token: string, events: readonly string[], sentAt = new Date()): string =>
  `{"api_key":${toJson(token)},"batch":[${events.join()}],"sent_at":"${isoTime(sentAt)}"}`

/** Returns the JSON text of an event, without undefined members. */
export const eventText = ({ uuid, event, properties, $set, $set_once, $unset, timestamp }: CapturedEvent): string =>
  toJson({ uuid, event, properties, $set, $set_once, $unset, timestamp: isoTime(timestamp) })

// Smallest body that is worth compressing, in characters.
const MIN_COMPRESSED = 1500

/**
 * Compresses a body with Compression Streams, or else with `gzipNow` if that has loaded. A body that fits into one packet
 * is not compressed, because compressing takes longer than sending the difference.
 */
export const compress = async (text: string, gzipNow: () => GzipNow | undefined): Promise<Body> => {
  if (text.length < MIN_COMPRESSED && 'CompressionStream' in globalThis) return text
  try {
    // Not the stream of a blob, which blocks on another process of the browser, or of a response, which is slower.
    const { readable, writable } = new CompressionStream('gzip')
    const writer = writable.getWriter()
    const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close())
    const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), written])
    return new Uint8Array(bytes)
  } catch {
    // The browser has no Compression Streams, or they failed.
    return gzipNow()?.(text) ?? text
  }
}
