import { ApiError } from '../lib/apiError.ts'

const WINDOW_MS = 60_000
const MAX_PER_CLIENT = 10
const MAX_IN_ALL = 100

export interface Attempts {
  /**
   * Counts an attempt of `client` to sign in. Returns a function that uncounts it, for an attempt that succeeds. Throws
   * `ApiError` if there were too many failures in this minute.
   */
  begin(client: string): () => void
}

/** Limits failed attempts to sign in: 10 per minute and client, 100 in all. No key is ever locked. */
export const createAttempts = (now: () => number = Date.now): Attempts => {
  let startedAt = now()
  let inAll = 0
  let byClient = new Map<string, number>()
  return {
    begin(client) {
      if (now() - startedAt >= WINDOW_MS) {
        startedAt = now()
        inAll = 0
        byClient = new Map()
      }
      const count = byClient.get(client) ?? 0
      if (count >= MAX_PER_CLIENT || inAll >= MAX_IN_ALL)
        throw new ApiError('too_many_sign_ins', {
          retryAfterSeconds: Math.ceil((startedAt + WINDOW_MS - now()) / 1_000),
        })
      const counted = byClient
      inAll += 1
      counted.set(client, count + 1)
      return () => {
        if (counted !== byClient) return // the minute is over
        inAll -= 1
        counted.set(client, counted.get(client)! - 1)
      }
    },
  }
}
