export interface ClientTimes {
  /** Time of the event by the client's clock: ISO string, or ms since the epoch. */
  readonly timestamp?: unknown
  /** Time between the event and the request, in ms. */
  readonly offset?: unknown
  /** Time at which the request was sent, by the same clock as `timestamp`. */
  readonly sentAt?: unknown
}

// A timestamp further ahead comes from a wrong clock that `sent_at` did not reveal. A day leaves room for time zones.
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000
const EARLIEST = Date.UTC(1970, 0, 1)
// Part of the difference is network latency. Correcting for it would shift every event a little, and events around
// midnight into the next day.
const TRUSTED_SKEW_MS = 5_000

// A time without a zone is UTC. Date.parse would read it in the time zone of this machine.
const withZone = (text: string) =>
  /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`

// Longer than any valid time. Parsing may take time proportional to the length.
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
 * Returns when an event happened, in ms since the epoch by the service's clock. `undefined`: its timestamp is invalid.
 * `sentAt` reveals how far the client's clock is off. A skew of a few seconds is ignored. Without a timestamp, `offset`
 * counts back from `receivedAt`.
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
  return time > receivedAt + MAX_AHEAD_MS ? receivedAt : time
}
