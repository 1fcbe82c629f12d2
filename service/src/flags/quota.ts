const WINDOW_MS = 60_000

/** Whether a project has answers of `/flags` left in this minute; counts the one that is about to be given. */
export type FlagQuota = (projectId: number) => boolean

/** `perMinute`: answers of each project; 0: as many as are asked for. Of this process. */
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
