import type { Answer } from './transport'

const FIRST_MS = 3000
const MAX_MS = 30 * 60 * 1000
// Statuses by which a service asks clients to come back later.
export const RETRYABLE_STATUS = [408, 425, 429]
// What the services of this protocol acknowledge events with: {"status": 1}, {"status": "Ok"}, and the oldest a bare 1.
const ACKNOWLEDGED: unknown[] = [1, 'Ok']

/**
 * Returns what a response means for the events that were sent. A 2xx counts only with the service's acknowledgment:
 * captive portals, offline pages of service workers, sign-in pages and proxies answer 200 too.
 */
export const outcomeOf = ({
  status,
  json,
  isForeign,
}: Pick<Answer, 'status' | 'json' | 'isForeign'>): 'stored' | 'too_large' | 'again' | 'refused' => {
  if (status === 413) return 'too_large'
  if (status >= 400 && status < 500 && !isForeign && !RETRYABLE_STATUS.includes(status)) return 'refused'
  return status >= 200 && status < 300 && ACKNOWLEDGED.includes((json as { status?: unknown } | null)?.status ?? json)
    ? 'stored'
    : 'again'
}

/** Which events of a stored batch the service has refused all the same, by their uuid. */
export const refusedBy = ({ json }: Pick<Answer, 'json'>): ((uuid: string) => boolean) => {
  const refused = (json as { refused?: unknown } | undefined)?.refused
  return (uuid) => Array.isArray(refused) && refused.some((each: { uuid?: unknown }) => each?.uuid === uuid)
}

/**
 * Returns the wait before retry number `tries` (from 1), ms: doubling from 3 s to 30 min, ± 25 %, and at least
 * `retryAfterMs`, of which no more than 30 min count.
 */
export const retryDelay = (tries: number, retryAfterMs = 0, random = Math.random): number =>
  Math.max(Math.min(MAX_MS, retryAfterMs), Math.min(MAX_MS, FIRST_MS * 2 ** (tries - 1)) * (0.75 + random() / 2))
