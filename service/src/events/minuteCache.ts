const MINUTE_MS = 60_000

export interface MinuteCache {
  /** Returns the value of a project's key, and loads it if it is older than a minute. Concurrent callers share one load. */
  get<Value>(projectId: number, key: string, load: () => Promise<Value>): Promise<Value>
  /** Drops the values of a project. */
  forget(projectId: number): void
}

/** Creates a cache of at most `maxEntries` values. */
export const createMinuteCache = (maxEntries: number, now: () => number = Date.now): MinuteCache => {
  // In order of insertion, which is the order in which entries expire.
  const entries = new Map<
    string,
    { readonly projectId: number; readonly until: number; readonly value: Promise<unknown> }
  >()

  const dropOld = () => {
    for (const [id, { until }] of entries) {
      if (until > now() && entries.size < maxEntries) return
      entries.delete(id)
    }
  }

  return {
    get<Value>(projectId: number, key: string, load: () => Promise<Value>) {
      const id = JSON.stringify([projectId, key])
      const known = entries.get(id)
      if (known && known.until > now()) return known.value as Promise<Value>
      entries.delete(id)
      dropOld()
      const entry = { projectId, until: now() + MINUTE_MS, value: load() }
      entries.set(id, entry)
      entry.value.catch(() => {
        if (entries.get(id) === entry) entries.delete(id) // A failed load is repeated by the next caller.
      })
      return entry.value
    },
    forget(projectId) {
      for (const [id, entry] of entries) if (entry.projectId === projectId) entries.delete(id)
    },
  }
}
