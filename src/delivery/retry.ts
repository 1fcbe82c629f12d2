import type { RequestResult } from './transport'

type Response = Pick<RequestResult, 'status' | 'text' | 'json' | 'isRedirected'>

const FIRST_MS = 3000
const MAX_MS = 30 * 60 * 1000
// Statuses that mean "retry later".
export const RETRYABLE_STATUS = [408, 425, 429]
export const TOO_LARGE = 413
// How services of the protocol acknowledge events: {"status": 1}, {"status": "Ok"}, and the oldest 1.
const ACKNOWLEDGED: unknown[] = [1, 'Ok']

// Rejections: the errors of the service (docs/reference/errors.md), which PostHog has too, and messages of PostHog's
// capture.
const ERROR_TYPE = /^(authentication|validation)_error$|^invalid_request$/
const SENTENCE = /^((event|batch) submitted with|API key is not valid)/
// The SDK sends valid JSON, so something on the way has changed the body.
const DAMAGED = /^(invalid_(json|encoding)|unsupported_compression)$/

/**
 * Returns what a response means for the events that were sent: `foreign` is an error of something other than the service,
 * which may have misread the body. A 2xx counts only with the service's acknowledgment, and a 4xx only with its error:
 * captive portals, sign-in pages, gateways, proxies and servers that do not know the path respond too, with any status,
 * and also with JSON.
 */
export const outcomeOf = ({
  status,
  text,
  json,
  isRedirected,
}: Response): 'stored' | 'rejected' | 'foreign' | 'again' => {
  if (status >= 400 && status < 500 && !RETRYABLE_STATUS.includes(status)) {
    const { type, code, attr } = (json ?? {}) as Record<string, unknown>
    const isOwn =
      json === undefined
        ? SENTENCE.test(text)
        : attr !== undefined && ERROR_TYPE.test(String(type)) && !DAMAGED.test(String(code))
    return isOwn && !isRedirected ? 'rejected' : status === TOO_LARGE ? 'again' : 'foreign'
  }
  return status >= 200 && status < 300 && ACKNOWLEDGED.includes((json as { status?: unknown } | null)?.status ?? json)
    ? 'stored'
    : 'again'
}

/** Returns a test of a uuid: whether the service rejected this event although it stored the batch. */
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
