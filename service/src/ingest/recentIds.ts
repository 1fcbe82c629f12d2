import { randomInt } from 'node:crypto'
import { NO_CALLER, type Storage, StorageError } from '../storage/storage.ts'

/** The id of an event. */
export interface EventId {
  readonly projectId: number
  /** In lower case. */
  readonly uuid: string
}

/** Ids of the events that this process stored last, which need no lookup in the engine. */
export interface RecentIds {
  /** Whether the event is stored. `undefined`: only the engine knows. */
  isStored(id: EventId): boolean | undefined
  /** Adds ids. Call after their events are stored. */
  add(ids: readonly EventId[]): void
  /** Leaves all ids to the engine until the next `load`. Call when events may have been stored or deleted otherwise. */
  forget(): void
  /** Reads the last ids from the engine, unless they are known or it is too early. No event may be stored meanwhile. */
  load(): Promise<void>
}

const CAPACITY = 2 ** 16
/** Words of 32 bits of an id: its UUID and its project. */
const WORDS = 5
const NONE = -1
// Ids of clients whose clocks are fast stay, because all ids before a removed one are left to the engine.
const MAX_KEPT = 8

const MINUTE_MS = 60_000
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS
const MAX_LOADED = 10_000
const LOAD_BOUNDS = { maxBytes: 2_000_000, signal: NO_CALLER }
/**
 * Time from `forget`, or the start, until ids are loaded. An insert that failed, or that another process sent before it
 * ended, may still be running in the engine.
 */
const SETTLE_MS = MINUTE_MS

const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
const isByTime = (uuid: string) => uuid[14] === '7'

/**
 * Creates a set that holds the last `capacity` ids, in arrays that the garbage collector does not scan. The hash has random
 * factors, so that no client can choose ids with equal hashes.
 */
const createIdRing = (capacity: number) => {
  const words = new Uint32Array(capacity * WORDS)
  const times = new Float64Array(capacity)
  /** The next slot with the same hash. */
  const nexts = new Int32Array(capacity)
  /** The first slot of each hash. */
  const heads = new Int32Array(capacity).fill(NONE)
  const factors = Uint32Array.from({ length: WORDS }, () => randomInt(2 ** 31) * 2 + 1)
  const id = new Uint32Array(WORDS)
  let size = 0
  let oldest = 0

  const read = ({ projectId, uuid }: EventId) => {
    id[0] = Number.parseInt(uuid.slice(0, 8), 16)
    id[1] = Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16)
    id[2] = Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16)
    id[3] = Number.parseInt(uuid.slice(28), 16)
    id[4] = projectId
  }
  const hashAt = (of: Uint32Array, start: number): number => {
    let hash = 0
    for (let word = 0; word < WORDS; word += 1) hash = (hash + Math.imul(of[start + word]!, factors[word]!)) | 0
    return (hash >>> 8) % capacity
  }
  const isAt = (slot: number): boolean => {
    for (let word = 0; word < WORDS; word += 1) if (words[slot * WORDS + word] !== id[word]) return false
    return true
  }
  const unlink = (slot: number) => {
    const head = hashAt(words, slot * WORDS)
    if (heads[head] === slot) return void (heads[head] = nexts[slot]!)
    let before = heads[head]!
    while (nexts[before] !== slot) before = nexts[before]!
    nexts[before] = nexts[slot]!
  }

  return {
    has(of: EventId): boolean {
      read(of)
      for (let slot = heads[hashAt(id, 0)]!; slot !== NONE; slot = nexts[slot]!) if (isAt(slot)) return true
      return false
    },
    /** Adds an id. Returns the time of the one that it replaces, preferably not one after `now`. */
    add(of: EventId, now: number): number | undefined {
      for (let kept = 0; size === capacity && kept < MAX_KEPT && times[oldest]! > now; kept += 1)
        oldest = (oldest + 1) % capacity
      const slot = size < capacity ? size : oldest
      const replaced = size < capacity ? undefined : times[slot]
      if (replaced === undefined) size += 1
      else {
        unlink(slot)
        oldest = (oldest + 1) % capacity
      }
      read(of)
      words.set(id, slot * WORDS)
      times[slot] = timeOf(of.uuid)
      const head = hashAt(id, 0)
      nexts[slot] = heads[head]!
      heads[head] = slot
      return replaced
    },
    clear() {
      heads.fill(NONE)
      size = 0
      oldest = 0
    },
  }
}

/** Returns the first id of version 7 with this time. */
const firstAt = (ms: number): string => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-0000-000000000000`
}

// The projection of ids is sorted by `toUInt128(uuid)`, which is in order of time for version 7.
const LAST_IDS = `SELECT project_id AS projectId, uuid FROM db.events
  WHERE toUInt128(uuid) >= toUInt128({from:UUID}) AND toUInt128(uuid) < toUInt128({until:UUID}) AND substring(toString(uuid), 15, 1) = '7'
  ORDER BY toUInt128(uuid) DESC LIMIT {limit:UInt32}`

/**
 * Creates the set. It contains each stored id of version 7 whose time is in a range, and knows about these ids only. The
 * range begins after the latest id that was removed for lack of space.
 */
export const createRecentIds = (
  storage: Pick<Storage, 'rows'>,
  { capacity = CAPACITY, now = Date.now }: { readonly capacity?: number; readonly now?: () => number } = {},
): RecentIds => {
  const ring = createIdRing(capacity)
  let since = Infinity
  let until = 0
  let loadsAt = now() + SETTLE_MS

  const isKnown = (uuid: string): boolean => {
    const time = timeOf(uuid)
    return isByTime(uuid) && time >= since && time < until
  }

  const add: RecentIds['add'] = (ids) => {
    const at = now()
    for (const id of ids) {
      if (!isKnown(id.uuid)) continue
      const removed = ring.add(id, at)
      if (removed !== undefined) since = Math.max(since, removed + 1)
    }
  }

  const forget = () => {
    ring.clear()
    since = Infinity
    until = 0
    loadsAt = now() + SETTLE_MS
  }

  return {
    isStored: (id) => (isKnown(id.uuid) ? ring.has(id) : undefined),
    add,
    forget,
    async load() {
      const at = now()
      if (until || at < loadsAt) return
      const range = { from: at - MINUTE_MS, until: at + YEAR_MS }
      const limit = Math.min(MAX_LOADED, capacity)
      const params = { from: firstAt(range.from), until: firstAt(range.until), limit }
      try {
        const ids = await storage.rows<EventId>({ text: LAST_IDS, params }, LOAD_BOUNDS)
        since = ids.length < limit ? range.from : timeOf(ids.at(-1)!.uuid) + 1
        until = range.until
        add(ids.reverse())
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        loadsAt = at + SETTLE_MS
      }
    },
  }
}
