import { ApiError } from '../lib/apiError.ts'

const WINDOW_MS = 60_000
const MAX_FAILURES = 10
// Limits the memory of a flood. The clients that are forgotten first are those that began first.
const MAX_CLIENTS = 100_000

export interface Attempts {
  /**
   * Counts an attempt of `client` to sign in. Returns a function that uncounts it, for an attempt that succeeds. Throws
   * `ApiError` if this client failed too often in this minute.
   */
  begin(client: string): () => void
}

/** Limits failed attempts to sign in to 10 per minute and client. No client and no key is locked by what others do. */
export const createAttempts = (now: () => number = Date.now): Attempts => {
  let startedAt = now()
  let byClient = new Map<string, number>()
  return {
    begin(client) {
      if (now() - startedAt >= WINDOW_MS) {
        startedAt = now()
        byClient = new Map()
      }
      const counted = byClient
      const count = counted.get(client) ?? 0
      if (count >= MAX_FAILURES)
        throw new ApiError('too_many_sign_ins', {
          retryAfterSeconds: Math.ceil((startedAt + WINDOW_MS - now()) / 1_000),
        })
      if (!count && counted.size >= MAX_CLIENTS) counted.delete(counted.keys().next().value!)
      counted.set(client, count + 1)
      return () => {
        const left = (counted.get(client) ?? 0) - 1
        if (left > 0) counted.set(client, left)
        else counted.delete(client)
      }
    },
  }
}
