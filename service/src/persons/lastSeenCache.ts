/** A time at which a person was seen. */
export interface Seen {
  readonly projectId: number
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
}

/** Remembers since when recent visitors are known to the store. */
export interface LastSeenCache {
  /** Whether the store has that the person was seen at this time or earlier. */
  has(seen: Seen): boolean
  /** Call once it is stored. */
  add(seen: Seen): void
  /** Call before it is removed from the store for any person of the project. */
  forget(projectId: number): void
}

// Most visitors send several events within minutes. 10 to 20 MB.
const MAX_ENTRIES = 100_000
/** Maximum characters of an id that is remembered. A longer one is stored as seen with each batch. */
const MAX_ID = 100

/** Creates the cache. It starts over when it is full, because storing again that a person was seen changes nothing. */
export const createLastSeenCache = (maxEntries = MAX_ENTRIES): LastSeenCache => {
  const projects = new Map<number, Map<string, number>>()
  let count = 0
  return {
    has: ({ projectId, distinctId, timestamp }) => (projects.get(projectId)?.get(distinctId) ?? Infinity) <= timestamp,
    add({ projectId, distinctId, timestamp }) {
      if (distinctId.length > MAX_ID) return
      const known = projects.get(projectId) ?? new Map<string, number>()
      const since = known.get(distinctId)
      if (since !== undefined && since <= timestamp) return
      if (since === undefined) count += 1
      if (count > maxEntries) {
        projects.clear()
        count = 0
        return
      }
      projects.set(projectId, known.set(distinctId, timestamp))
    },
    forget(projectId) {
      count -= projects.get(projectId)?.size ?? 0
      projects.delete(projectId)
    },
  }
}
