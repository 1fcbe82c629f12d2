export interface ClientTimes {
  /** When the event happened, by the client's clock: ISO text, or ms since the epoch. */
  readonly timestamp?: unknown
  /** How long ago it happened when it was sent, ms. */
  readonly offset?: unknown
  /** When the request was sent, by the same clock as `timestamp`. */
  readonly sentAt?: unknown
}

// An event from more than a day ahead is a wrong clock that `sent_at` did not reveal; a day leaves room for time zones.
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000
const EARLIEST = Date.UTC(1970, 0, 1)
// Part of the difference is the request's way here. Taken for the clock's fault it would move every event a little, and
// those of midnight into the next day.
const TRUSTED_SKEW_MS = 5_000

// Text without a zone is UTC. Date.parse would take it for the time of the machine that the service runs on.
const withZone = (text: string) =>
  /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`

// Longer than any way to write a time. What is read of a string may take time for each of its characters.
const MAX_TIME_CHARS = 64

const toMs = (value: unknown): number | undefined => {
  const ms =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.length <= MAX_TIME_CHARS && /^\d{4}-\d\d-\d\d/.test(value)
        ? Date.parse(withZone(value))
        : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

/**
 * When an event happened, ms since the epoch by the service's clock; `undefined` if its timestamp cannot be read.
 * What the client's clock is wrong by shows in `sent_at`; seconds of it are let be. Without a timestamp, `offset` counts back from `receivedAt`.
 */
export const eventTime = ({ timestamp, offset, sentAt }: ClientTimes, receivedAt: number): number | undefined => {
  if (timestamp === undefined || timestamp === null) {
    return typeof offset === 'number' && offset >= 0 && receivedAt - offset >= EARLIEST
      ? Math.round(receivedAt - offset)
      : receivedAt
  }
  const happened = toMs(timestamp)
  if (happened === undefined) return undefined
  const sent = toMs(sentAt)
  const skew = sent === undefined ? 0 : receivedAt - sent
  const time = Math.round(Math.abs(skew) < TRUSTED_SKEW_MS ? happened : happened + skew)
  if (time < EARLIEST) return undefined
  return time > receivedAt + MOST_AHEAD_MS ? receivedAt : time
}
