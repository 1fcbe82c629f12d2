import { gzipSync } from 'node:zlib'
import type { Delivery } from './proxy'

/** What deliveries cost the wire. */
export interface Traffic {
  requests: number
  bytes: number
  /** How often the service got an event that it had got before. */
  repeats: number
  /** What of `bytes` would not have been sent without them. */
  repeatBytes: number
}

const parse = (text: string) => JSON.parse(text) as { batch: { uuid: string }[] }
/** Bytes of a body that travels as a delivery did. */
const bytesOf = (body: object, { isCompressed }: Delivery) => {
  const json = JSON.stringify(body)
  return isCompressed ? gzipSync(json).length : Buffer.byteLength(json)
}

export const trafficOf = (deliveries: readonly Delivery[]): Traffic => {
  const had = new Set<string>()
  const traffic: Traffic = { requests: deliveries.length, bytes: 0, repeats: 0, repeatBytes: 0 }
  for (const delivery of deliveries) {
    traffic.bytes += delivery.bytes
    if (!delivery.isPassedOn) continue
    const { batch, ...rest } = parse(delivery.text)
    const fresh = batch.filter(({ uuid }) => !had.has(uuid))
    traffic.repeats += batch.length - fresh.length
    // A request with nothing new would not have been made.
    if (fresh.length < batch.length)
      traffic.repeatBytes += delivery.bytes - (fresh.length ? bytesOf({ ...rest, batch: fresh }, delivery) : 0)
    batch.forEach(({ uuid }) => had.add(uuid))
  }
  return traffic
}
