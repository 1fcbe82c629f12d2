const WINDOW_MS = 60_000

/** Counts a `/flags` request of a project. Returns whether it is within the limit per minute. */
export type FlagQuota = (projectId: number) => boolean

/** Creates the quota of this process. `perMinute`: requests of each project. 0: unlimited. */
export const createFlagQuota = (perMinute: number, now: () => number = Date.now): FlagQuota => {
  const windows = new Map<number, { startedAt: number; count: number }>()
  return (projectId) => {
    if (!perMinute) return true
    const known = windows.get(projectId)
    const window = known && now() - known.startedAt < WINDOW_MS ? known : { startedAt: now(), count: 0 }
    windows.set(projectId, window)
    window.count += 1
    return window.count <= perMinute
  }
}
