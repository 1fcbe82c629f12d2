export interface CacheOptions {
  /** What the kept answers may take up together. */
  readonly maxBytes: number
  readonly now?: () => number
}

export interface CacheRequest<Value> {
  /** Everything that decides the value. */
  readonly key: string
  /** What may keep a load from coming to its value and changes nothing about it, such as the caller's limits. */
  readonly terms: string
  /** A number that changes when the data do: a value loaded under another one is not given. */
  readonly epoch: number
  readonly maxAgeMs: number
  /** Loads anew, whatever is kept. */
  readonly isForced: boolean
  /** The caller's wish to wait no longer. */
  readonly signal: AbortSignal
  /** Its signal says that nobody waits any more. */
  readonly load: (signal: AbortSignal) => Promise<Loaded<Value>>
}

export interface Loaded<Value> {
  readonly value: Value
  readonly bytes: number
}

export interface Kept<Value> {
  readonly value: Value
  /** When loading began, ms since the epoch: the value is as old as that. */
  readonly startedAt: number
  readonly isCached: boolean
}

interface Entry<Value> extends Loaded<Value> {
  readonly epoch: number
  readonly startedAt: number
}

interface Flight<Value> {
  readonly startedAt: number
  readonly value: Promise<Value>
  readonly giveUp: AbortController
  isOver: boolean
  waiting: number
}

/** Rejects with the signal's reason when it is aborted. */
const abortion = (signal: AbortSignal) => {
  let stop = () => {}
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  promise.catch(() => {}) // whoever waits in the race has been told
  return { promise, stop }
}

export type Cache<Value> = (request: CacheRequest<Value>) => Promise<Kept<Value>>

/**
 * Answers from what is kept, or loads once for all who ask at the same time. A load is given up when the last of them has
 * gone; a load that fails is kept by nobody.
 */
export const createCache = <Value>({ maxBytes, now = Date.now }: CacheOptions): Cache<Value> => {
  // In order of use: the first is the one to drop.
  const entries = new Map<string, Entry<Value>>()
  const flights = new Map<string, Flight<Value>>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  const keep = (key: string, entry: Entry<Value>) => {
    drop(key)
    if (entry.bytes > maxBytes) return
    entries.set(key, entry)
    bytes += entry.bytes
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
  }

  const find = ({ key, epoch, maxAgeMs }: CacheRequest<Value>): Entry<Value> | undefined => {
    const entry = entries.get(key)
    if (!entry) return undefined
    entries.delete(key)
    entries.set(key, entry)
    return entry.epoch === epoch && now() - entry.startedAt < maxAgeMs ? entry : undefined
  }

  const takeOff = ({ key, epoch, load }: CacheRequest<Value>, flightKey: string): Flight<Value> => {
    const startedAt = now()
    const giveUp = new AbortController()
    const value = load(giveUp.signal)
      .then((loaded) => {
        const other = entries.get(key)
        // Whatever began later knows more.
        if (!other || (other.epoch <= epoch && other.startedAt <= startedAt)) keep(key, { ...loaded, epoch, startedAt })
        return loaded.value
      })
      .finally(() => {
        flight.isOver = true
        if (flights.get(flightKey) === flight) flights.delete(flightKey)
      })
    value.catch(() => {}) // those who wait are told; there may be none
    const flight: Flight<Value> = { startedAt, value, giveUp, isOver: false, waiting: 0 }
    flights.set(flightKey, flight)
    return flight
  }

  return async (request) => {
    const entry = request.isForced ? undefined : find(request)
    if (entry) return { value: entry.value, startedAt: entry.startedAt, isCached: true }
    const flightKey = JSON.stringify([request.key, request.terms, request.epoch])
    const flying = request.isForced ? undefined : flights.get(flightKey)
    const flight =
      flying && !flying.giveUp.signal.aborted && now() - flying.startedAt < request.maxAgeMs
        ? flying
        : takeOff(request, flightKey)
    flight.waiting += 1
    const { promise, stop } = abortion(request.signal)
    try {
      return { value: await Promise.race([flight.value, promise]), startedAt: flight.startedAt, isCached: false }
    } finally {
      stop()
      flight.waiting -= 1
      if (!flight.waiting && !flight.isOver) flight.giveUp.abort()
    }
  }
}
