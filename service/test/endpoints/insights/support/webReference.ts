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
