import { toJson } from '../lib/json'
import type { CapturedEvent } from '../types'

/** The body of a request: gzip, or JSON that is not compressed. */
export type Body = Uint8Array<ArrayBuffer> | string

/** Compresses synchronously. */
export type GzipNow = (text: string) => Uint8Array<ArrayBuffer>

/** The JSON text of a request with these events (docs/reference/protocol.md#4.2), from the JSON text of each. */
export const bodyText = (token: string, events: readonly string[], sentAt = new Date()): string =>
  `{"api_key":${toJson(token)},"batch":[${events.join()}],"sent_at":"${sentAt.toISOString()}"}`

/** The JSON text of one event. Members that are undefined are not in it. */
export const eventText = ({ uuid, event, properties, $set, $set_once, $unset, timestamp }: CapturedEvent): string =>
  toJson({ uuid, event, properties, $set, $set_once, $unset, timestamp })

// Characters of a body that is worth compressing.
const MIN_COMPRESSED = 1500

/**
 * Compresses a body off the main thread by Compression Streams, or else by `gzipNow`, if that has loaded. What fits into
 * one packet stays as it is where the browser can compress: compressing takes longer than sending the difference.
 */
export const compress = async (text: string, gzipNow: () => GzipNow | undefined): Promise<Body> => {
  if (text.length < MIN_COMPRESSED && 'CompressionStream' in globalThis) return text
  try {
    // Not a blob's stream: to make one blocks until another process of the browser has answered.
    const stream = new Response(text).body!.pipeThrough(new CompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    // The browser has no Compression Streams, or they failed.
    return gzipNow()?.(text) ?? text
  }
}
