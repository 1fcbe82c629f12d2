export interface CacheOptions {
  /** Maximum total size of the cached values. */
  readonly maxBytes: number
  readonly now?: () => number
}

export interface CacheRequest<Value> {
  /** Identifies the value: everything that determines it. */
  readonly key: string
  /**
   * Conditions that can make a load fail without changing its value, such as the caller's limits. Only loads with equal terms are shared.
   */
  readonly terms: string
  /** A number that grows when the data changes. */
  readonly epoch: number
  /** Accepts values of this epoch or a later one. Absent: only of `epoch`. */
  readonly oldestEpoch?: number
  readonly maxAgeMs: number
  /** Whether to load even if the value is cached. */
  readonly isForced: boolean
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal
  /** Loads the value. The signal is aborted when no caller waits any longer. */
  readonly load: (signal: AbortSignal) => Promise<Loaded<Value>>
}

export interface Loaded<Value> {
  readonly value: Value
  readonly bytes: number
}

export interface Kept<Value> {
  readonly value: Value
  /** Start of the load, in ms since the epoch. */
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

/** Returns a promise that rejects with the signal's reason when the signal is aborted, and a function that stops listening. */
const abortion = (signal: AbortSignal) => {
  let stop = () => {}
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  promise.catch(() => {}) // The race has reported the rejection.
  return { promise, stop }
}

export type Cache<Value> = (request: CacheRequest<Value>) => Promise<Kept<Value>>

/**
 * Creates a cache that loads a value once for all concurrent callers. A load is aborted when the last of them stops waiting. A failed
 * load is not cached.
 */
export const createCache = <Value>({ maxBytes, now = Date.now }: CacheOptions): Cache<Value> => {
  // In order of use: the first was used least recently.
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

  const find = ({ key, epoch, oldestEpoch, maxAgeMs }: CacheRequest<Value>): Entry<Value> | undefined => {
    const entry = entries.get(key)
    if (!entry) return undefined
    entries.delete(key)
    entries.set(key, entry)
    const isCurrent = oldestEpoch === undefined ? entry.epoch === epoch : entry.epoch >= oldestEpoch
    return isCurrent && now() - entry.startedAt < maxAgeMs ? entry : undefined
  }

  const takeOff = ({ key, epoch, load }: CacheRequest<Value>, flightKey: string): Flight<Value> => {
    const startedAt = now()
    const giveUp = new AbortController()
    const value = load(giveUp.signal)
      .then((loaded) => {
        const other = entries.get(key)
        // A load that began later has newer data.
        if (!other || (other.epoch <= epoch && other.startedAt <= startedAt)) keep(key, { ...loaded, epoch, startedAt })
        return loaded.value
      })
      .finally(() => {
        flight.isOver = true
        if (flights.get(flightKey) === flight) flights.delete(flightKey)
      })
    value.catch(() => {}) // The callers receive the rejection, if there are any.
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
