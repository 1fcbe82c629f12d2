import type { Arrival } from '../../api/events.ts'

/** Rows in memory. Older ones are on the page of events. */
export const MAX_ROWS = 500

/** Arrived events, newest first. */
export interface Feed {
  readonly rows: readonly Arrival[]
  /** Events that arrived while rows were held back. At most `MAX_ROWS`. */
  readonly held: readonly Arrival[]
  /** Number of events that arrived while rows were held back. */
  readonly heldCount: number
  /** Number of events that have arrived since the feed began. */
  readonly total: number
}

export const EMPTY_FEED: Feed = { rows: [], held: [], heldCount: 0, total: 0 }

/** Name of an arrival that stays the same while it is shown. One event can arrive twice. */
export const keyOf = (arrival: Arrival): string =>
  arrival.type === 'event' ? `${arrival.uuid} ${arrival.created_at}` : arrival.id

/** Adds arrivals, which come oldest first, to the rows or, while these are held back, behind them. */
export const receive = (feed: Feed, arrivals: readonly Arrival[], isHolding: boolean): Feed => {
  const known = new Set([...feed.held, ...feed.rows].map(keyOf))
  const fresh = arrivals.filter((each) => !known.has(keyOf(each))).reverse()
  if (!fresh.length) return feed
  const held = [...fresh, ...feed.held].slice(0, MAX_ROWS)
  const received = { ...feed, held, heldCount: feed.heldCount + fresh.length, total: feed.total + fresh.length }
  return isHolding ? received : release(received)
}

/** Adds the events that were held back to the rows. */
export const release = (feed: Feed): Feed =>
  feed.heldCount === 0
    ? feed
    : { ...feed, rows: [...feed.held, ...feed.rows].slice(0, MAX_ROWS), held: [], heldCount: 0 }
