/** An event in the queue. */
export interface Waiting {
  uuid: string
  json: string
  bytes: number
  /** Number of the call that captured it. */
  order: number
  isStored?: boolean
}

const MAX_BATCH_BYTES = 1_000_000

/** Creates the events that wait to be sent, bounded by number and by bytes. */
export const createQueue = (maxEvents: number, maxBytes: number) => {
  const encoder = new TextEncoder()
  let events: Waiting[] = []
  let bytes = 0
  let count = 0
  return {
    all: (): readonly Waiting[] => events,
    /** Returns the number of events added so far. */
    count: (): number => count,
    /** Adds an event. `undefined`: there is no room. */
    add: (uuid: string, json: string): Waiting | undefined => {
      const size = encoder.encode(json).length
      if (events.length >= maxEvents || bytes + size > maxBytes) return undefined
      const waiting: Waiting = { uuid, json, bytes: size, order: ++count }
      events.push(waiting)
      bytes += size
      return waiting
    },
    /** Returns the first events, at most `limit`. */
    first: (limit: number): readonly Waiting[] => {
      let sum = 0
      return events.slice(0, limit).filter((each, index) => (sum += each.bytes) <= MAX_BATCH_BYTES || !index)
    },
    remove: (batch: readonly Waiting[]): void => {
      const removed = new Set(batch)
      events = events.filter((each) => !removed.has(each))
      bytes = events.reduce((sum, each) => sum + each.bytes, 0)
    },
    /** Moves an event to the end. */
    defer: (one: Waiting): void => {
      if (events[0] === one) events.push(events.shift()!)
    },
  }
}
