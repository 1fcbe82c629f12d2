import type { SeenEvent } from './reference.ts'

const VIEWS = ['$pageview', '$screen']
const INTERACTIONS = [...VIEWS, '$autocapture']

/** Instants in ms since 1970. `until` is exclusive. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** A session as the definitions have it, from all of its events in order. */
export interface SeenSession {
  readonly events: readonly SeenEvent[]
  readonly start: number
  /** Seconds, as a difference of the seconds that a clock shows. */
  readonly seconds: number
  readonly isBounce: boolean | null
  /** The person of its first event. */
  readonly person: string
  readonly entry: SeenEvent
  readonly exit: string | undefined
}

const isView = ({ event }: SeenEvent) => VIEWS.includes(event)

/** Returns the sessions of events. */
export const sessionsOf = (all: readonly SeenEvent[]): readonly SeenSession[] => {
  const ids = [...new Set(all.map(({ session }) => session))].filter(Boolean)
  return ids.map((id) => {
    const events = all.filter(({ session }) => session === id).sort((a, b) => a.at - b.at)
    const [first, last] = [events[0]!, events.at(-1)!]
    const seconds = Math.floor(last.at / 1_000) - Math.floor(first.at / 1_000)
    const interactions = events.filter(({ event }) => INTERACTIONS.includes(event)).length
    const views = events.filter(isView)
    return {
      events,
      start: first.at,
      seconds,
      isBounce: interactions ? interactions === 1 && seconds < 10 : null,
      person: first.person,
      entry: views[0] ?? first,
      exit: views.map(({ properties }) => properties.$pathname as string | undefined).findLast(Boolean),
    }
  })
}

const mean = (numbers: readonly number[]) =>
  numbers.length ? numbers.reduce((sum, each) => sum + each, 0) / numbers.length : null
const median = (numbers: readonly number[]): number | null => {
  if (!numbers.length) return null
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) / 2
  return (sorted[Math.floor(place)]! + sorted[Math.ceil(place)]!) / 2
}
const isIn = ({ from, until }: Span, at: number) => at >= from && at < until

/** Returns the rate of bounces, from 0 to 1. */
export const bounceRate = (sessions: readonly SeenSession[]): number | null =>
  mean(sessions.flatMap(({ isBounce }) => (isBounce === null ? [] : [Number(isBounce)])))

/** Returns the sessions that start within a span and have a view that matches. */
export const countedSessions = (
  all: readonly SeenEvent[],
  span: Span,
  matches: (event: SeenEvent) => boolean = () => true,
): readonly SeenSession[] =>
  sessionsOf(all).filter(
    ({ start, events }) => isIn(span, start) && events.some((each) => isView(each) && matches(each)),
  )

/** Returns the median duration of the sessions of a span. */
export const medianDurationOf = (all: readonly SeenEvent[], span: Span): number | null =>
  median(countedSessions(all, span).map(({ seconds }) => seconds))

/** Returns visitors, views, sessions, mean duration and bounce rate in percent. */
export const overviewOf = (
  all: readonly SeenEvent[],
  span: Span,
  matches: (event: SeenEvent) => boolean = () => true,
): readonly (number | null)[] => {
  const sessions = countedSessions(all, span, matches)
  const rate = bounceRate(sessions)
  return [
    new Set(sessions.map(({ person }) => person)).size,
    sessions.flatMap(({ events }) => events.filter((each) => isView(each) && matches(each))).length,
    sessions.length,
    mean(sessions.map(({ seconds }) => seconds)),
    rate === null ? null : rate * 100,
  ]
}

/** Which events reach a goal. */
export type ReachesGoal = (event: SeenEvent) => boolean

const conversionsOf = (sessions: readonly SeenSession[], reaches: ReachesGoal): readonly (number | null)[] => {
  const converted = sessions.filter(({ events }) => events.some(reaches))
  const [visitors, unique] = [sessions, converted].map((each) => new Set(each.map(({ person }) => person)).size)
  return [
    visitors!,
    sessions.flatMap(({ events }) => events.filter(reaches)).length,
    unique!,
    visitors ? unique! / visitors : null,
  ]
}

/** Returns visitors, total and unique conversions, and the rate in percent. */
export const goalOf = (
  all: readonly SeenEvent[],
  span: Span,
  reaches: ReachesGoal,
  matches?: (event: SeenEvent) => boolean,
): readonly (number | null)[] => {
  const [visitors, total, unique, rate] = conversionsOf(countedSessions(all, span, matches), reaches)
  return [visitors!, total!, unique!, typeof rate === 'number' ? rate * 100 : null]
}

/** Returns the rows of a web table with a goal: visitors, total and unique conversions, rate. */
export const goalTableOf = (
  all: readonly SeenEvent[],
  span: Span,
  valuesOf: ValuesOf,
  reaches: ReachesGoal,
): Readonly<Record<string, readonly (number | null)[]>> => {
  const rows = new Map<string | null, SeenSession[]>()
  for (const session of countedSessions(all, span))
    for (const value of valuesOf(session, () => true).keys()) rows.set(value, [...(rows.get(value) ?? []), session])
  return Object.fromEntries([...rows].map(([value, sessions]) => [String(value), conversionsOf(sessions, reaches)]))
}

/** The values of a breakdown that a session has, with the number of its events of each. */
export type ValuesOf = (
  session: SeenSession,
  matches: (event: SeenEvent) => boolean,
) => ReadonlyMap<string | null, number>

const countBy = (values: readonly (string | null)[]): ReadonlyMap<string | null, number> => {
  const counts = new Map<string | null, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
const propertyOf = ({ properties }: SeenEvent, property: string) => (properties[property] as string | undefined) ?? null

/** A breakdown by a property of views; with `event`, of that event's views that have it. */
export const byViews =
  (property: string, event?: string): ValuesOf =>
  ({ events }, matches) =>
    countBy(
      events
        .filter((each) => isView(each) && matches(each) && (!event || each.event === event))
        .map((each) => propertyOf(each, property))
        .filter((value) => !event || value !== null),
    )

/** A breakdown by a value of each matching view, which may have none. */
export const byEachView =
  (valueOf: (properties: SeenEvent['properties']) => string | null): ValuesOf =>
  ({ events }, matches) =>
    countBy(events.filter((each) => isView(each) && matches(each)).map(({ properties }) => valueOf(properties)))

/** A breakdown by a property of the events with a name that have it. */
export const byEvents =
  (property: string, event: string): ValuesOf =>
  ({ events }) =>
    countBy(
      events
        .filter((each) => each.event === event)
        .map((each) => propertyOf(each, property))
        .filter((value) => value !== null),
    )

/** A breakdown by a value of the whole session. */
export const bySession =
  (valueOf: (session: SeenSession) => string | null): ValuesOf =>
  (session, matches) =>
    new Map([[valueOf(session), session.events.filter((each) => isView(each) && matches(each)).length]])

/** Returns the rows of a web table by value: visitors, views, bounce rate; for pages also median seconds, stays, mean and large depths. */
export const tableOf = (
  all: readonly SeenEvent[],
  span: Span,
  valuesOf: ValuesOf,
  { matches = () => true, isPage = false }: { matches?: (event: SeenEvent) => boolean; isPage?: boolean } = {},
): Readonly<Record<string, readonly (number | null)[]>> => {
  const sessions = countedSessions(all, span, matches)
  const rows = new Map<string | null, { sessions: SeenSession[]; views: number }>()
  for (const session of sessions)
    for (const [value, count] of valuesOf(session, matches)) {
      const row = rows.get(value) ?? { sessions: [], views: 0 }
      row.sessions.push(session)
      row.views += count
      rows.set(value, row)
    }
  const staysOf = (path: string | null) =>
    sessions
      .flatMap(({ events }) => events)
      .filter(
        ({ event, properties }) =>
          (event === '$pageview' || event === '$pageleave') && properties.$prev_pageview_pathname === path,
      )
      .map(({ properties }) => properties)
  const knownSeconds = (stays: readonly SeenEvent['properties'][]) =>
    stays.map((each) => each.$prev_pageview_duration as number | undefined).filter((each) => each !== undefined)
  return Object.fromEntries(
    [...rows].map(([value, { sessions: seen, views }]) => {
      const stays = isPage ? staysOf(value) : []
      const depths = stays.map((each) => each.$prev_pageview_max_content_percentage as number)
      return [
        String(value),
        [
          new Set(seen.map(({ person }) => person)).size,
          views,
          bounceRate(isPage ? seen.filter(({ entry }) => propertyOf(entry, '$pathname') === value) : seen),
          ...(isPage
            ? [
                median(knownSeconds(stays).map((each) => Math.min(1_800, each))),
                knownSeconds(stays).length,
                mean(depths),
                mean(depths.map((each) => Number(each > 0.8))),
              ]
            : []),
        ],
      ]
    }),
  )
}
