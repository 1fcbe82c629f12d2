const MINUTE_MS = 60_000

export interface MinuteCache {
  /**
   * Returns the value of a project's key, and loads it if it is older than a minute. Concurrent callers share one load, which is aborted
   * when no caller waits for it.
   */
  get<Value>(
    projectId: number,
    key: string,
    signal: AbortSignal,
    load: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value>
  /** Drops the values of a project. */
  forget(projectId: number): void
}

interface Entry {
  readonly projectId: number
  readonly until: number
  readonly value: Promise<unknown>
  readonly giveUp: AbortController
  /** Callers that wait for the value. */
  waiting: number
}

/** Creates a cache of at most `maxEntries` values. */
export const createMinuteCache = (maxEntries: number, now: () => number = Date.now): MinuteCache => {
  // In order of insertion, which is the order in which entries expire.
  const entries = new Map<string, Entry>()

  const dropOld = () => {
    for (const [id, { until }] of entries) {
      if (until > now() && entries.size < maxEntries) return
      entries.delete(id)
    }
  }

  const start = (id: string, projectId: number, load: (signal: AbortSignal) => Promise<unknown>): Entry => {
    entries.delete(id)
    dropOld()
    const giveUp = new AbortController()
    const entry = { projectId, until: now() + MINUTE_MS, value: load(giveUp.signal), giveUp, waiting: 0 }
    entries.set(id, entry)
    const forget = () => {
      if (entries.get(id) === entry) entries.delete(id) // A failed load is repeated by the next caller.
    }
    entry.value.catch(forget)
    giveUp.signal.addEventListener('abort', forget)
    return entry
  }

  return {
    async get<Value>(
      projectId: number,
      key: string,
      signal: AbortSignal,
      load: (signal: AbortSignal) => Promise<Value>,
    ) {
      const id = JSON.stringify([projectId, key])
      const known = entries.get(id)
      const entry = known && known.until > now() ? known : start(id, projectId, load)
      let isWaiting = true
      const leave = () => {
        if (isWaiting) entry.waiting -= 1
        isWaiting = false
      }
      const abort = () => {
        leave()
        if (!entry.waiting) entry.giveUp.abort()
      }
      entry.waiting += 1
      signal.addEventListener('abort', abort, { once: true })
      try {
        return (await entry.value) as Value
      } finally {
        signal.removeEventListener('abort', abort)
        leave()
      }
    },
    forget(projectId) {
      for (const [id, entry] of entries) if (entry.projectId === projectId) entries.delete(id)
    },
  }
}
