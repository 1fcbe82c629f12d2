import { gzipSync } from 'node:zlib'
import type { Delivery } from './proxy'

/** Network cost of deliveries. */
export interface Traffic {
  requests: number
  bytes: number
  /** Number of events that the service received again. */
  repeats: number
  /** The part of `bytes` that repeats caused. */
  repeatBytes: number
}

const parse = (text: string) => JSON.parse(text) as { batch: { uuid: string }[] }
/** Returns the size of a body with the compression of a delivery. */
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
    // Without repeats, a request without new events would not have been sent.
    if (fresh.length < batch.length)
      traffic.repeatBytes += delivery.bytes - (fresh.length ? bytesOf({ ...rest, batch: fresh }, delivery) : 0)
    batch.forEach(({ uuid }) => had.add(uuid))
  }
  return traffic
}
