import { ApiError } from '../lib/apiError.ts'

const WINDOW_MS = 60_000

/** Counts a request of the session `id`. Throws `ApiError` if the session has used up its requests of this minute. */
export type CountRequest = (id: string) => void

/** Limits the requests of each session of the toolbar to `perMinute`, in this process. */
export const createRequestLimit = (perMinute: number, now: () => number = Date.now): CountRequest => {
  let startedAt = now()
  let counts = new Map<string, number>()
  return (id) => {
    if (now() - startedAt >= WINDOW_MS) {
      startedAt = now()
      counts = new Map()
    }
    const count = counts.get(id) ?? 0
    if (count >= perMinute)
      throw new ApiError('rate_limited', {
        detail: `The toolbar may send at most ${perMinute} requests a minute. Retry after the time in Retry-After.`,
        retryAfterSeconds: Math.ceil((startedAt + WINDOW_MS - now()) / 1_000),
      })
    counts.set(id, count + 1)
  }
}
