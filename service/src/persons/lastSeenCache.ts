/** Time at which a person was seen. */
export interface Seen {
  readonly projectId: number
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
}

/** Caches when recent visitors were first seen, as stored. */
export interface LastSeenCache {
  /** Whether it is stored that the person was seen at this time or earlier. */
  has(seen: Seen): boolean
  /** Adds an entry. Call after it is stored. */
  add(seen: Seen): void
  /** Removes the entries of a project. Call before deleting any of them from the store. */
  forget(projectId: number): void
}

// Takes 10 to 20 MB. Most visitors send several events within minutes.
const MAX_ENTRIES = 100_000
/** Maximum characters of a cached id. A longer one is stored as seen with each batch. */
const MAX_ID = 100

/** Creates the cache. It is cleared when full, because storing a fact again changes nothing. */
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
