import type { SeenRows } from '../storage/storage.ts'

/** Retention periods of a project, in days. `null`: unlimited, or as long as the table keeps the data. */
export interface Policy {
  /** Days of all events. */
  readonly days: number | null
  /** Retention of events with these names, instead of `days`. */
  readonly events: readonly { readonly event: string; readonly days: number | null }[]
  readonly heatmap_days: number | null
  /** Days from the start of a session. */
  readonly recording_days: number | null
}

/** First visible moment, in ms since the epoch. It begins a UTC day. `null`: nothing is hidden. */
export type Cutoff = number | null

/** Data that is hidden from queries. */
export interface Hidden {
  readonly events: Cutoff
  readonly named: readonly { readonly event: string; readonly before: Cutoff }[]
  readonly heatmaps: Cutoff
  readonly recordings: Cutoff
}

export const KEEPS_ALL: Policy = { days: null, events: [], heatmap_days: null, recording_days: null }
export const HIDES_NOTHING: Hidden = { events: null, named: [], heatmaps: null, recordings: null }

const DAY_MS = 24 * 3_600_000

/** Returns the data that a policy hides at `now`, in ms since the epoch. Hides whole UTC days, so the result changes once a day. */
export const hiddenAt = (policy: Policy, now: number): Hidden => {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const before = (days: number | null): Cutoff => (days === null ? null : today - days * DAY_MS)
  return {
    events: before(policy.days),
    named: policy.events.map(({ event, days }) => ({ event, before: before(days) })),
    heatmaps: before(policy.heatmap_days),
    recordings: before(policy.recording_days),
  }
}

/** Returns a text as an SQL constant without quotes, so that no text can end the constant. */
const constant = (text: string): string => `char(${[...Buffer.from(text)].join(', ')})`

const since = (at: number) => `timestamp >= fromUnixTimestamp64Milli(${at})`

const eventCondition = ({ events, named }: Hidden): string | undefined => {
  if (!named.length) return events === null ? undefined : since(events)
  const oneOf = (cutoff: Cutoff) => (cutoff === null ? '1' : since(cutoff))
  const byName = `multiIf(${named.map(({ event, before }) => `event = ${constant(event)}, ${oneOf(before)}`).join(', ')}, ${oneOf(events)})`
  const all = [events, ...named.map(({ before }) => before)]
  // The engine skips days by this condition. It cannot by that of a name.
  return all.some((cutoff) => cutoff === null) ? byName : `${since(Math.min(...(all as number[])))} AND ${byName}`
}

/** Returns the smallest id of a session that began at `at`: a UUID of version 7 begins with its time. */
export const firstSession = (at: number): string => {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Returns the conditions of the rows that a project's queries see, by table. */
export const seenRowsOf = (hidden: Hidden): SeenRows => {
  const events = eventCondition(hidden)
  const sessions =
    hidden.recordings === null
      ? undefined
      : `substring(session_id, 15, 1) != char(55) OR session_id >= ${constant(firstSession(hidden.recordings))}`
  return {
    ...(events ? { events } : {}),
    ...(hidden.heatmaps === null ? {} : { heatmaps: since(hidden.heatmaps) }),
    ...(sessions ? { recording_chunks: sessions, recording_sessions: sessions } : {}),
  }
}

/** Maximum number of listed days. With more, all days count as changed. */
const MAX_DAYS = 366

/**
 * Returns the UTC days whose events are hidden by only one of two. `undefined`: too many. Days without events are
 * included.
 */
export const changedDays = (one: Hidden, other: Hidden): readonly string[] | undefined => {
  const names = new Set([...one.named, ...other.named].map(({ event }) => event))
  const of = (hidden: Hidden, name: string) =>
    hidden.named.find(({ event }) => event === name)?.before ??
    (hidden.named.some(({ event }) => event === name) ? null : hidden.events)
  const pairs = [[one.events, other.events], ...[...names].map((name) => [of(one, name), of(other, name)])] as [
    Cutoff,
    Cutoff,
  ][]
  const days = new Set<string>()
  for (const [a, b] of pairs) {
    if (a === b) continue
    if (a === null || b === null || Math.abs(a - b) > MAX_DAYS * DAY_MS) return undefined
    for (let at = Math.min(a, b); at < Math.max(a, b); at += DAY_MS) days.add(new Date(at).toISOString().slice(0, 10))
  }
  return days.size > MAX_DAYS ? undefined : [...days]
}
