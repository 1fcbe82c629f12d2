import fc from 'fast-check'
import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import { createZone } from '../../../src/endpoints/insights/zone.ts'
import { deliver, startIngest } from '../../ingest/support/startIngest.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import type { SeenEvent } from './support/reference.ts'
import { ask, type AskOptions } from './support/store.ts'
import { PEOPLE, randomVisits, type VisitEvent } from './support/visits.ts'
import {
  byEachView,
  byEvents,
  bySession,
  byViews,
  goalOf,
  goalTableOf,
  medianDurationOf,
  overviewOf,
  type SeenSession,
  type Span,
  tableOf,
  type ValuesOf,
} from './support/webReference.ts'
import { TABLES as PROJECT_TABLES } from '../../support/schema.ts'

let engine: TestEngine
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: PROJECT_TABLES })

const VISITS = randomVisits(150)
const DAY = 86_400_000

let uuids = 0
const toBody = ({ event, id, session, at, properties }: VisitEvent) => ({
  uuid: `00000000-0000-7000-8000-${String(++uuids).padStart(12, '0')}`,
  event,
  timestamp: new Date(at).toISOString(),
  properties: { distinct_id: id, ...(session ? { $session_id: session } : {}), ...properties },
})
const identify = (person: string, anonymous: string) => ({
  event: '$identify',
  timestamp: '2026-04-10T00:00:00.000Z',
  properties: { distinct_id: person, $anon_distinct_id: anonymous, $set: { plan: person === 'ann' ? 'pro' : 'free' } },
})

beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
  const ingest = startIngest(storage)
  const bodies = VISITS.map(toBody)
  // Events arrive late and in any order, and persons are merged after their events.
  const late = bodies.filter((_, index) => index % 3 === 0)
  await deliver(ingest, 1, bodies.filter((_, index) => index % 3 !== 0).reverse())
  await deliver(
    ingest,
    1,
    Object.entries(PEOPLE).flatMap(([person, ids]) =>
      ids.filter((id) => id !== person && ids.includes(person)).map((id) => identify(person, id)),
    ),
  )
  await deliver(ingest, 1, late)
  await deliver(
    ingest,
    2,
    VISITS.map((each) =>
      toBody({ ...each, properties: { ...each.properties, $pathname: '/theirs', $browser: 'theirs' } }),
    ),
  )
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const KEYS = ['visitors', 'views', 'sessions', 'session duration', 'bounce rate']

/** Runs an overview and returns its numbers, those of the previous period, and the whole response. */
const overview = async (more: object = {}, options: AskOptions = {}) => {
  const answer = (await ask(engine, { kind: 'WebOverviewQuery', ...more }, options)) as any
  expect(answer.results.map(({ key }: any) => key)).toEqual(KEYS)
  return {
    answer,
    now: answer.results.map(({ value }: any) => value),
    before: answer.results.map(({ previous }: any) => previous),
  }
}

const expectNumbers = (found: readonly (number | null)[], wanted: readonly (number | null)[]) => {
  expect(found.map((each) => each === null)).toEqual(wanted.map((each) => each === null))
  found.forEach((each, index) => expect(each ?? 0).toBeCloseTo(wanted[index] ?? 0, 6))
}

/** The span from the start of one day to the end of another in a time zone. */
const days = (zone: string, from: string, to: string): Span => {
  const { instantOf } = createZone(zone)
  return { from: instantOf(Date.parse(from)), until: instantOf(Date.parse(to) + DAY) }
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']
const DAYS = ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01']
const rangeArbitrary = fc
  .tuple(fc.nat(DAYS.length - 1), fc.nat(DAYS.length - 1))
  .map(([a, b]) => [DAYS[Math.min(a, b)]!, DAYS[Math.max(a, b)]!] as const)

const FILTERS: readonly (readonly [object[], (event: SeenEvent) => boolean])[] = [
  [[], () => true],
  [[{ key: '$pathname', value: '/a' }], ({ properties }) => properties.$pathname === '/a'],
  [
    [
      { key: '$pathname', value: ['/a', '/b'] },
      { key: '$browser', value: 'Chrome' },
    ],
    ({ properties }) => ['/a', '/b'].includes(properties.$pathname as string) && properties.$browser === 'Chrome',
  ],
  [[{ key: '$browser', operator: 'is_not_set' }], ({ properties }) => properties.$browser === undefined],
]

const now = '2026-05-01T12:00:00Z'

test('an overview equals the reference, with merges, clock changes, sessions over midnight and late events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      rangeArbitrary,
      fc.constantFrom(...FILTERS),
      async (zone, [from, to], [properties, matches]) => {
        const { now: found } = await overview(
          { dateRange: { date_from: from, date_to: to }, properties },
          { zone, now },
        )
        expectNumbers(found, overviewOf(VISITS, days(zone, from, to), matches))
      },
    ),
    { numRuns: randomRuns(10) },
  )
})

test.each([
  [undefined, ['2026-03-24', '2026-03-26']],
  ['-1d', ['2026-03-26', '2026-03-28']],
  ['-1y', ['2025-03-27', '2025-03-29']],
])('compares with the period before by %s', async (compare_to, [from, to]) => {
  const zone = 'Europe/Berlin'
  const {
    now: current,
    before,
    answer,
  } = await overview(
    { dateRange: { date_from: '2026-03-27', date_to: '2026-03-29' }, compareFilter: { compare: true, compare_to } },
    { zone, now },
  )
  expectNumbers(current, overviewOf(VISITS, days(zone, '2026-03-27', '2026-03-29')))
  expectNumbers(before, overviewOf(VISITS, days(zone, from!, to!)))
  expect(answer.results[3]).toMatchObject({
    median: medianDurationOf(VISITS, days(zone, '2026-03-27', '2026-03-29')),
    previousMedian: medianDurationOf(VISITS, days(zone, from!, to!)),
  })
  expect(answer.dateFrom).toBe('2026-03-27T00:00:00+01:00')
  expect(answer.dateTo).toBe('2026-03-29T23:59:59+02:00')
})

test('compares a running period with the same elapsed time', async () => {
  const zone = 'Europe/Berlin'
  const { instantOf } = createZone(zone)
  const { before } = await overview(
    { dateRange: { date_from: 'dStart' }, compareFilter: { compare: true } },
    { zone, now: '2026-03-30T10:00:00Z' },
  )
  const from = instantOf(Date.parse('2026-03-29'))
  expectNumbers(before, overviewOf(VISITS, { from, until: instantOf(Date.parse('2026-03-29T12:00:00Z')) }))
})

test('a range of hours begins and ends exactly, and is compared with as many hours before', async () => {
  const until = Date.parse('2026-03-29T22:30:00Z')
  const { now: current, before } = await overview(
    { dateRange: { date_from: '-24h' }, compareFilter: { compare: true } },
    { zone: 'Europe/Berlin', now: '2026-03-29T22:30:00Z' },
  )
  expectNumbers(current, overviewOf(VISITS, { from: until - DAY, until }))
  expectNumbers(before, overviewOf(VISITS, { from: until - 2 * DAY, until: until - DAY }))
})

test.each(['hour', 'day'])('the series by %s has the numbers of each interval', async (interval) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ZONES), rangeArbitrary, async (zone, [from, to]) => {
      const { now: whole, answer } = await overview(
        { dateRange: { date_from: from, date_to: to }, interval, compareFilter: { compare: true, compare_to: '-1d' } },
        { zone, now },
      )
      expectNumbers(whole, overviewOf(VISITS, days(zone, from, to)))
      const { instantOf } = createZone(zone)
      const starts: number[] = []
      for (let day = Date.parse(from); day <= Date.parse(to); day += DAY) {
        const span = { from: instantOf(day), until: instantOf(day + DAY) }
        if (interval === 'day') starts.push(span.from)
        else for (let at = span.from; at < span.until; at += DAY / 24) starts.push(at)
      }
      const { until } = days(zone, from, to)
      const { series } = answer
      expect(series.days).toHaveLength(starts.length)
      starts.forEach((start, index) =>
        expectNumbers(
          KEYS.map((key) => series.data[key][index]),
          overviewOf(VISITS, { from: start, until: starts[index + 1] ?? until }),
        ),
      )
    }),
    { numRuns: 8 },
  )
})

test('an overview filters by persons and sessions', async () => {
  const dateRange = { date_from: '2026-03-27', date_to: '2026-04-01' }
  const of = async (...properties: object[]) => (await overview({ dateRange, properties }, { now })).now
  const inRange = days('UTC', '2026-03-27', '2026-04-01')
  const ofPeople = (...people: string[]) => VISITS.filter(({ person }) => people.includes(person))
  expectNumbers(await of({ key: 'plan', type: 'person', value: 'pro' }), overviewOf(ofPeople('ann'), inRange))
  expectNumbers(
    await of({ key: 'plan', type: 'person', operator: 'is_not_set' }),
    overviewOf(ofPeople('cat', 'dan'), inRange),
  )
  const bounced = await of({ key: '$is_bounce', type: 'session', value: 'true' })
  expect(bounced[4]).toBe(100)
  const either = {
    type: 'OR',
    values: [
      { key: '$is_bounce', type: 'session', value: 'true' },
      { key: 'plan', type: 'person', value: 'pro' },
    ],
  }
  const [visitors] = await of(either)
  expect(visitors).toBeGreaterThanOrEqual(bounced[0])
})

const GOALS: readonly (readonly [goal: object, reaches: (event: SeenEvent) => boolean])[] = [
  [{ customEventName: 'bought' }, ({ event }) => event === 'bought'],
  [
    { customEventName: '$pageview', properties: [{ key: '$pathname', value: '/c' }] },
    ({ event, properties }) => event === '$pageview' && properties.$pathname === '/c',
  ],
]

test.each(GOALS)('conversions with the goal %j equal the reference', async (conversionGoal, reaches) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      rangeArbitrary,
      fc.constantFrom(...FILTERS),
      async (zone, [from, to], [properties, matches]) => {
        const query = {
          dateRange: { date_from: from, date_to: to },
          conversionGoal,
          compareFilter: { compare: true, compare_to: '-1d' },
        }
        const span = days(zone, from, to)
        const { results, series } = (await ask(
          engine,
          { kind: 'WebOverviewQuery', ...query, properties, interval: 'day' },
          { zone, now },
        )) as any
        expect(results.map(({ key }: any) => key)).toEqual([
          'visitors',
          'total conversions',
          'unique conversions',
          'conversion rate',
        ])
        const wanted = goalOf(VISITS, span, reaches, matches)
        expectNumbers(
          results.map(({ value }: any) => value),
          wanted,
        )
        expect(series.data['total conversions'].reduce((sum: number, each: number) => sum + each, 0)).toBe(wanted[1])
        for (const [breakdownBy, values] of TABLES.filter(([name]) => ['Page', 'InitialChannelType'].includes(name))) {
          const { now: found } = await webTable(breakdownBy, { ...query, includeBounceRate: false }, { zone, now })
          const isThere = ([, [visitors]]: [string, readonly (number | null)[]]) => visitors! > 0
          expectRows(
            Object.fromEntries(Object.entries(found).filter(isThere)),
            goalTableOf(VISITS, span, values, reaches),
          )
        }
      },
    ),
    { numRuns: 8 },
  )
})

test('a table with a goal has conversions instead of views, and is ordered by them', async () => {
  const { answer } = await webTable(
    'Page',
    { dateRange: WHOLE, conversionGoal: GOALS[0]![0], orderBy: ['TotalConversions', 'DESC'], includeBounceRate: false },
    { now },
  )
  expect(answer.columns).toEqual(
    [
      'breakdown_value',
      'visitors',
      'total_conversions',
      'unique_conversions',
      'conversion_rate',
      'ui_fill_fraction',
    ].map((name) => `context.columns.${name}`),
  )
  const totals = answer.results.map(([, , [total]]: any) => total)
  expect(totals).toEqual([...totals].sort((a, b) => b - a))
  expect(totals[0]).toBeGreaterThan(0)
})

test('a period without visitors has no means, and a change from 0 is null', async () => {
  const { now: found, answer } = await overview(
    { dateRange: { date_from: '2024-01-01', date_to: '2024-01-02' }, compareFilter: { compare: true } },
    { now },
  )
  expect(found).toEqual([0, 0, 0, null, null])
  expect(answer).toMatchObject({ hasMore: false, samplingRate: { numerator: 1 }, usedPreAggregatedTables: false })
  expect(answer.results).toEqual([
    { key: 'visitors', kind: 'unit', value: 0, previous: 0, changeFromPreviousPct: null },
    { key: 'views', kind: 'unit', value: 0, previous: 0, changeFromPreviousPct: null },
    { key: 'sessions', kind: 'unit', value: 0, previous: 0, changeFromPreviousPct: null },
    {
      key: 'session duration',
      kind: 'duration_s',
      value: null,
      previous: null,
      changeFromPreviousPct: null,
      median: null,
      previousMedian: null,
    },
    {
      key: 'bounce rate',
      kind: 'percentage',
      value: null,
      previous: null,
      changeFromPreviousPct: null,
      isIncreaseBad: true,
    },
  ])
})

test.each([
  ['conversionGoal.actionId', { conversionGoal: { actionId: 1 } }],
  ['conversionGoal.customEventName', { conversionGoal: {} }],
  [
    'conversionGoal.properties',
    { conversionGoal: { customEventName: 'bought', properties: [{ key: 'plan', type: 'person', value: 'pro' }] } },
  ],
  ['sampling.enabled', { sampling: { enabled: true } }],
  ['doPathCleaning', { doPathCleaning: true }],
  ['includeRevenue', { includeRevenue: true }],
  ['filterTestAccounts', { filterTestAccounts: true }],
  ['interval', { interval: 'minute' }],
  ['compareFilter.compare_to', { compareFilter: { compare: true, compare_to: 'before' } }],
  ['properties', { properties: [{ key: 'name', type: 'group', group_type_index: 0, value: 'x' }] }],
  [
    'properties',
    {
      properties: {
        type: 'OR',
        values: [
          { key: '$pathname', value: '/' },
          { key: 'plan', type: 'person', value: 'pro' },
        ],
      },
    },
  ],
])('an overview rejects %s by name', async (field, more) => {
  await expect(overview(more)).rejects.toMatchObject({ details: { extra: { field: `query.${field}` } } })
})

/** Runs a table and returns its cells by value, of the current and the previous period, and the whole answer. */
const webTable = async (breakdownBy: string, more: object = {}, options: AskOptions = {}) => {
  const query = { kind: 'WebStatsTableQuery', breakdownBy, limit: 100, includeBounceRate: true, ...more }
  const answer = (await ask(engine, query, options)) as any
  const cells = (period: number) =>
    Object.fromEntries(
      answer.results.map(([value, ...columns]: any[]) => [
        String(value),
        columns.slice(0, -1).map((cell: unknown[]) => cell[period]),
      ]),
    ) as Record<string, (number | null)[]>
  return { answer, now: cells(0), before: cells(1) }
}

const expectRows = (
  found: Readonly<Record<string, readonly (number | null)[]>>,
  wanted: Readonly<Record<string, readonly (number | null)[]>>,
) => {
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort())
  for (const [value, numbers] of Object.entries(wanted)) expectNumbers(found[value]!, numbers)
}

const textOf = (property: unknown) => (property as string | undefined) || null
const byEntry = (property: string) => bySession(({ entry }) => textOf(entry.properties[property]))
const domainOf = ({ entry: { properties } }: SeenSession) =>
  textOf(
    properties.$referring_domain === properties.$host ? properties.$host && '$direct' : properties.$referring_domain,
  )
const TABLES: readonly (readonly [name: string, values: ValuesOf, isPage: boolean])[] = [
  ['Page', byViews('$pathname', '$pageview'), true],
  ['InitialPage', byEntry('$pathname'), false],
  ['ExitPage', bySession(({ exit, events }) => exit ?? textOf(events.at(-1)!.properties.$pathname)), false],
  ['Browser', byViews('$browser'), false],
  ['InitialChannelType', bySession(({ entry }) => (entry as VisitEvent).channel), false],
  ['InitialReferringDomain', bySession(domainOf), false],
  ['InitialReferringURL', byEntry('$referrer'), false],
  ['InitialUTMSource', byEntry('utm_source'), false],
  [
    'InitialUTMSourceMediumCampaign',
    bySession(({ entry: { properties } }) =>
      ['utm_source', 'utm_medium', 'utm_campaign']
        .map((key) => (properties[key] as string | undefined) ?? '(none)')
        .join(' / '),
    ),
    false,
  ],
  [
    'Viewport',
    byEachView(({ $viewport_width: width, $viewport_height: height }) =>
      width && height ? `${width as number}x${height as number}` : null,
    ),
    false,
  ],
  ['ExitClick', byEvents('$external_click_url', '$autocapture'), false],
  ['PreviousPage', byViews('$prev_pageview_pathname', '$pageview'), false],
]

test.each(TABLES)('a table by %s equals the reference', async (breakdownBy, values, isPage) => {
  const more = isPage ? { includeAvgTimeOnPage: true, includeScrollDepth: true } : {}
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      rangeArbitrary,
      fc.constantFrom(...FILTERS),
      async (zone, [from, to], [properties, matches]) => {
        const { now: found, before } = await webTable(
          breakdownBy,
          {
            ...more,
            properties,
            dateRange: { date_from: from, date_to: to },
            compareFilter: { compare: true, compare_to: '-1d' },
          },
          { zone, now },
        )
        const current = tableOf(VISITS, days(zone, from, to), values, { matches, isPage })
        const dayBefore = (day: string) => new Date(Date.parse(day) - DAY).toISOString().slice(0, 10)
        const previous = tableOf(VISITS, days(zone, dayBefore(from), dayBefore(to)), values, { matches, isPage })
        const isSeen = ([, [, views]]: [string, readonly (number | null)[]]) => views! > 0
        expectRows(Object.fromEntries(Object.entries(found).filter(isSeen)), current)
        expectRows(Object.fromEntries(Object.entries(before).filter(isSeen)), previous)
      },
    ),
    { numRuns: 8 },
  )
})

const WHOLE = { date_from: '2026-03-27', date_to: '2026-04-01' }

test('a table has columns, order, pages and shares', async () => {
  const { answer } = await webTable('Browser', { dateRange: WHOLE, includeBounceRate: undefined, limit: 2 }, { now })
  expect(answer.columns).toEqual([
    'context.columns.breakdown_value',
    'context.columns.visitors',
    'context.columns.views',
    'context.columns.ui_fill_fraction',
  ])
  expect(answer.types.map(([name]: string[]) => name)).toEqual(answer.columns)
  expect(answer).toMatchObject({ hasMore: true, limit: 2, offset: 0 })
  const byViewCount = await webTable('Browser', { dateRange: WHOLE, orderBy: ['Views', 'ASC'] }, { now })
  const views = byViewCount.answer.results.map(([, , [count]]: any) => count)
  expect(views).toEqual([...views].sort((a, b) => a - b))
  const shares = byViewCount.answer.results.map((row: any) => row.at(-1))
  expect(shares.reduce((sum: number, each: number) => sum + each, 0)).toBeCloseTo(1)
  const rest = await webTable('Browser', { dateRange: WHOLE, orderBy: ['Views', 'ASC'], offset: 1, limit: 1 }, { now })
  expect(rest.answer.results[0][0]).toEqual(byViewCount.answer.results[1][0])
})

test.each([
  ['ScreenName', []],
  ['InitialUTMTerm', [null]],
  ['InitialUTMContent', [null]],
  ['OS', [null]],
  ['DeviceType', [null]],
  ['Country', [null]],
  ['Region', [null]],
  ['City', [null]],
  ['Timezone', [null]],
  ['Language', [null]],
])('a table by %s has the rows %j where no event has the property', async (breakdownBy, values) => {
  const { answer } = await webTable(breakdownBy, { dateRange: WHOLE }, { now })
  expect(answer.results.map(([value]: any) => value).sort()).toEqual(values)
})

test.each([
  ['breakdownBy', { breakdownBy: 'FrustrationMetrics' }],
  ['conversionGoal.actionId', { conversionGoal: { actionId: 1 } }],
  ['orderBy', { orderBy: ['TotalConversions', 'DESC'] }],
  ['orderBy', { orderBy: ['Views', 'DESC'], conversionGoal: { customEventName: 'bought' } }],
  ['includeScrollDepth', { breakdownBy: 'Browser', includeScrollDepth: true }],
  ['orderBy', { orderBy: ['BounceRate', 'DESC'], includeBounceRate: false }],
  ['limit', { limit: 1_001 }],
])('a table rejects %s by name', async (field, more) => {
  await expect(webTable('Page', more)).rejects.toMatchObject({ details: { extra: { field: `query.${field}` } } })
})
