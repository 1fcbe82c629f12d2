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
  /** Channel of its visit. */
  readonly channel: string
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

/** How a visit began, according to its first view, and the channel of that. */
export interface Arrival {
  readonly channel: string
  readonly properties: Readonly<Record<string, string>>
}

const from = (domain: string) => ({ $referring_domain: domain, $referrer: `https://${domain}/?q="späte Nacht"` })

const ARRIVALS: readonly Arrival[] = [
  { channel: 'Direct', properties: {} },
  { channel: 'Direct', properties: { $referring_domain: '$direct', $referrer: '$direct' } },
  { channel: 'Direct', properties: { ...from('shop.example'), $host: 'shop.example' } },
  { channel: 'Organic Search', properties: { ...from('www.google.com'), $host: 'shop.example' } },
  { channel: 'Paid Search', properties: { ...from('www.google.com'), gclid: 'G"\\1' } },
  { channel: 'Paid Social', properties: { utm_source: 'Facebook', utm_medium: 'CPC', utm_campaign: 'späte "Nacht"' } },
  { channel: 'Paid Unknown', properties: { utm_source: '', twclid: 'x' } },
  { channel: 'Email', properties: { ...from('news.example'), utm_source: 'newsletter' } },
  { channel: 'Referral', properties: from('news.example') },
  { channel: 'Unknown', properties: { utm_source: 'ads' } },
]

// Met later in the visit, which does not change how it began.
const LATER: Readonly<Record<string, string>> = { ...from('later.example'), utm_source: 'later', gclid: 'later' }

/** What an SDK repeats on each event of a visit. */
const repeat = (properties: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries({ url: `https://shop.example${properties.$pathname}`, ...properties }).map(([name, value]) => [
      `$session_entry_${name.replace('$', '')}`,
      value,
    ]),
  )

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
      // Some SDKs do not measure the time on a page.
      seconds: fc.option(fc.integer({ min: 0, max: 4_000 }), { nil: undefined, freq: 4 }),
      viewport: fc.constantFrom([1280, 720], [390, 844], [1280, undefined], undefined),
      link: fc.constantFrom('https://maps.example/', 'mailto:shop@shop.example', undefined),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  hasSession: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  arrival: fc.constantFrom(...ARRIVALS),
  isRepeated: fc.boolean(),
})

/** Returns events of random visits, the same ones each time. */
export const randomVisits = (count: number): readonly VisitEvent[] =>
  fc
    .sample(visitArbitrary, { numRuns: count, seed: 7 })
    .flatMap(({ start, shift, firstId, laterId, steps, hasSession, arrival, isRepeated }, visit) => {
      const person = personOf(firstId)
      const others = PEOPLE[person]!
      const firstView = steps.findIndex(({ event }) => event === '$pageview' || event === '$screen')
      const arrivalAt = Math.max(firstView, 0)
      const repeated = isRepeated ? repeat({ $pathname: steps[arrivalAt]!.path, ...arrival.properties }) : {}
      let at = start + shift
      let before: { path: string } | undefined
      return steps.map(({ event, gap, path, browser, seconds, viewport, link }, index): VisitEvent => {
        if (index) at += gap
        const isPage = event === '$pageview' || event === '$pageleave'
        const properties = {
          $pathname: path,
          $current_url: `https://shop.example${path}`,
          ...(browser ? { $browser: browser } : {}),
          ...(index === arrivalAt ? arrival.properties : LATER),
          ...repeated,
          ...(viewport ? { $viewport_width: viewport[0], $viewport_height: viewport[1] } : {}),
          ...(event === '$autocapture' && link ? { $external_click_url: link } : {}),
          ...(isPage && before
            ? {
                $prev_pageview_pathname: before.path,
                ...(seconds === undefined ? {} : { $prev_pageview_duration: seconds }),
                $prev_pageview_max_content_percentage: ((seconds ?? 50) % 101) / 100,
              }
            : {}),
        }
        if (event === '$pageview') before = { path }
        return {
          event: event === '$identify?' ? 'seen' : event,
          id: index ? others[laterId % others.length]! : firstId,
          person,
          session: hasSession ? `visit ${visit}` : '',
          channel: arrival.channel,
          at,
          properties,
        }
      })
    })
