import type { RequestResult } from './transport'

const FIRST_MS = 3000
const MAX_MS = 30 * 60 * 1000
// Statuses that mean "retry later".
export const RETRYABLE_STATUS = [408, 425, 429]
// How services of the protocol acknowledge events: {"status": 1}, {"status": "Ok"}, and the oldest 1.
const ACKNOWLEDGED: unknown[] = [1, 'Ok']

/**
 * Returns what a response means for the events that were sent. A 2xx counts only with the service's acknowledgment:
 * captive portals, offline pages of service workers, sign-in pages and proxies also respond with 200.
 */
export const outcomeOf = ({
  status,
  json,
  isForeign,
}: Pick<RequestResult, 'status' | 'json' | 'isForeign'>): 'stored' | 'too_large' | 'again' | 'rejected' => {
  if (status === 413) return 'too_large'
  if (status >= 400 && status < 500 && !isForeign && !RETRYABLE_STATUS.includes(status)) return 'rejected'
  return status >= 200 && status < 300 && ACKNOWLEDGED.includes((json as { status?: unknown } | null)?.status ?? json)
    ? 'stored'
    : 'again'
}

/** Returns a function that returns whether the service rejected the event with this uuid, in a batch that it stored. */
export const rejectedBy = ({ json }: Pick<RequestResult, 'json'>): ((uuid: string) => boolean) => {
  const rejected = (json as { refused?: unknown } | undefined)?.refused
  return (uuid) => Array.isArray(rejected) && rejected.some((each: { uuid?: unknown }) => each?.uuid === uuid)
}

/**
 * Returns the wait before retry number `tries` (from 1), ms: doubling from 3 s to 30 min, ± 25 %, and at least
 * `retryAfterMs`, capped at 30 min.
 */
export const retryDelay = (tries: number, retryAfterMs = 0, random = Math.random): number =>
  Math.max(Math.min(MAX_MS, retryAfterMs), Math.min(MAX_MS, FIRST_MS * 2 ** (tries - 1)) * (0.75 + random() / 2))
