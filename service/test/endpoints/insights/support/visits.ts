import fc from 'fast-check'
import type { SeenEvent } from './reference.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const PATHS = ['/', '/a', '/b', '/c']
const BROWSERS = ['Chrome', 'Firefox', undefined]

/** The distinct ids that are one person in the end, by the person's name. */
export const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  ann: ['ann', 'anon 1', 'anon 2'],
  ben: ['ben', 'anon 3'],
  cat: ['anon 4'],
  dan: ['anon 5'],
}

const ids = Object.values(PEOPLE).flat()
const personOf = (id: string) => Object.keys(PEOPLE).find((person) => PEOPLE[person]!.includes(id))!

/** An event of a visit and the distinct id it was sent with. */
export interface VisitEvent extends SeenEvent {
  readonly id: string
}

// Around midnight, hours and clock changes of the zones in the tests, and the same days of the year before.
const STARTS = [
  '2026-03-27T22:59:58Z',
  '2026-03-28T22:40:00Z',
  '2026-03-29T00:59:00Z',
  '2026-03-29T01:30:00Z',
  '2026-03-29T21:55:00Z',
  '2026-03-29T22:00:00Z',
  '2026-03-30T12:00:00Z',
  '2026-03-31T03:59:59Z',
  '2026-04-01T11:59:59Z',
  '2025-03-30T00:30:00Z',
].map((text) => Date.parse(text))

const visitArbitrary = fc.record({
  start: fc.constantFrom(...STARTS),
  shift: fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
  firstId: fc.constantFrom(...ids),
  // Later in the visit the person may have another of their ids.
  laterId: fc.nat(2),
  steps: fc.array(
    fc.record({
      event: fc.constantFrom('$pageview', '$pageview', '$screen', '$autocapture', '$pageleave', 'bought', '$identify?'),
      gap: fc.oneof(
        fc.integer({ min: 1, max: 11 * SECOND }),
        fc.integer({ min: 1, max: 29 * MINUTE }),
        fc.integer({ min: 1, max: 3 * HOUR }),
      ),
      path: fc.constantFrom(...PATHS),
      browser: fc.constantFrom(...BROWSERS),
      seconds: fc.integer({ min: 0, max: 4_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  hasSession: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  source: fc.constantFrom('ads', 'newsletter', undefined),
})

/** Returns events of random visits, the same ones each time. */
export const randomVisits = (count: number): readonly VisitEvent[] =>
  fc
    .sample(visitArbitrary, { numRuns: count, seed: 7 })
    .flatMap(({ start, shift, firstId, laterId, steps, hasSession, source }, visit) => {
      const person = personOf(firstId)
      const others = PEOPLE[person]!
      let at = start + shift
      let before: { path: string } | undefined
      return steps.map(({ event, gap, path, browser, seconds }, index): VisitEvent => {
        if (index) at += gap
        const isPage = event === '$pageview' || event === '$pageleave'
        const properties = {
          $pathname: path,
          $current_url: `https://shop.example${path}`,
          ...(browser ? { $browser: browser } : {}),
          ...(source && index === 0 ? { utm_source: source } : {}),
          ...(isPage && before
            ? {
                $prev_pageview_pathname: before.path,
                $prev_pageview_duration: seconds,
                $prev_pageview_max_content_percentage: (seconds % 101) / 100,
              }
            : {}),
        }
        if (event === '$pageview') before = { path }
        return {
          event: event === '$identify?' ? 'seen' : event,
          id: index ? others[laterId % others.length]! : firstId,
          person,
          session: hasSession ? `visit ${visit}` : '',
          at,
          properties,
        }
      })
    })
