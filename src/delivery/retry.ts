import type { Answer } from './transport'

const FIRST_MS = 3000
const LONGEST_MS = 30 * 60 * 1000

/** What an answer means for the events that were sent. */
export const outcomeOf = ({ status }: Pick<Answer, 'status'>): 'stored' | 'too_large' | 'again' | 'refused' => {
  if (status >= 200 && status < 300) return 'stored'
  if (status === 413) return 'too_large'
  // No answer, a timeout, "too early", "too many", and the service's own faults pass; any other refusal would be repeated.
  if (status < 400 || [408, 425, 429].includes(status) || status >= 500) return 'again'
  return 'refused'
}

/** Which events of a stored batch the service has refused all the same, by their uuid. */
export const refusedBy = ({ json }: Pick<Answer, 'json'>): ((uuid: string) => boolean) => {
  const refused = (json as { refused?: unknown } | undefined)?.refused
  return (uuid) => Array.isArray(refused) && refused.some((each: { uuid?: unknown }) => each?.uuid === uuid)
}

/** How long to wait before try number `tries` (from 1), ms: doubling from 3 s, ± 25 %, never sooner than was asked for. */
export const retryDelay = (tries: number, askedMs = 0, random = Math.random): number =>
  Math.max(askedMs, Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1)) * (0.75 + random() / 2))
