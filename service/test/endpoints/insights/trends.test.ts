import fc from 'fast-check'
import { LIVE } from '../../../src/endpoints/insights/source.ts'
import { trendsPlans } from '../../../src/endpoints/insights/trends/trends.ts'
import { scanOf } from '../../../src/endpoints/insights/trends/trendsScan.ts'
import { unionOf } from '../../../src/endpoints/insights/trends/trendsStatement.ts'
import { createZone } from '../../../src/endpoints/insights/zone.ts'
import type { QuerySql } from '../../../src/sql/catalog/physical.ts'
import { print } from '../../../src/sql/print/print.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import { type SeenEvent, trendOf } from './support/reference.ts'
import { ask, store } from './support/store.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
  await store(engine, 1, EVENTS)
  await store(
    engine,
    2,
    EVENTS.map((each) => ({
      ...each,
      person: 'theirs',
      properties: { ...each.properties, browser: 'theirs', amount: 1_000_000 },
    })),
  )
})
afterAll(() => engine.stop())

const at = (text: string) => Date.parse(text)
const seen = (
  event: string,
  person: string,
  when: string,
  properties: Record<string, unknown> = {},
  session = '',
): SeenEvent => ({ event, person, at: at(when), properties, session })

const HOSTILE = [
  "it's",
  'a`b',
  'back\\slash',
  '{p0:String}',
  '"); DROP TABLE events',
  "' OR 1=1 --",
  'a.b',
  '日本',
  '%',
  'line\nbreak',
]

const EVENTS: readonly SeenEvent[] = [
  seen('visit', 'ann', '2026-01-05T10:00:00Z', { browser: 'Chrome', plan: 'pro', amount: 1 }, 's1'),
  seen('visit', 'ann', '2026-01-05T11:00:00Z', { browser: 'Chrome', plan: 'free', amount: '3' }, 's1'),
  seen('visit', 'ben', '2026-01-06T10:00:00Z', { browser: 'Safari', plan: 'pro', amount: 'none' }, 's2'),
  seen('visit', 'cat', '2026-01-07T23:30:00Z', { browser: 'Firefox', amount: 8 }),
  seen('visit', 'ann', '2026-01-07T10:00:00Z', { browser: '', amount: 'Infinity' }, 's3'),
  seen('buy', 'ann', '2026-01-06T12:00:00Z', { browser: 'Chrome', plan: 'pro', amount: 10 }),
  ...HOSTILE.map((text, index) => seen('hostile', `p${index}`, '2026-01-06T12:00:00Z', { [text]: text, shared: text })),
]

const RANGE = { date_from: '2026-01-05', date_to: '2026-01-07' }
const visits = (more: object = {}) => ({ kind: 'EventsNode', event: 'visit', ...more })
const trends = (more: object = {}, series: object[] = [visits()]) => ({
  kind: 'TrendsQuery',
  series,
  dateRange: RANGE,
  ...more,
})
const dataOf = async (query: object, options = {}) =>
  (await ask(engine, query, options)).results.map(({ data }) => data)

test('a trend line has a point and labels for each day', async () => {
  const { results, hasMore } = await ask(engine, trends())
  expect(hasMore).toBe(false)
  expect(results).toEqual([
    {
      data: [2, 1, 2],
      days: ['2026-01-05', '2026-01-06', '2026-01-07'],
      labels: ['5-Jan-2026', '6-Jan-2026', '7-Jan-2026'],
      count: 5,
      label: 'visit',
      action: {
        days: ['2026-01-05', '2026-01-06', '2026-01-07'],
        id: 'visit',
        type: 'events',
        order: 0,
        name: 'visit',
        custom_name: null,
        math: 'total',
        math_property: null,
        math_hogql: null,
        math_group_type_index: null,
        properties: {},
      },
      filter: {
        insight: 'TRENDS',
        date_from: '2026-01-05T00:00:00.000Z',
        date_to: '2026-01-07T23:59:59.999Z',
        interval: 'day',
      },
    },
  ])
})

test.each([
  ['total', [2, 1, 2]],
  ['dau', [1, 1, 2]],
  ['unique_session', [1, 1, 1]],
  ['weekly_active', [1, 2, 3]],
  ['first_time_for_user', [1, 1, 1]],
  ['sum', [4, 0, 8]],
  ['avg', [2, 0, 8]],
  ['p90', [2.8, 0, 8]],
  ['max_count_per_actor', [2, 1, 1]],
])('aggregates a trend with the math %s', async (math, data) => {
  const [line] = await dataOf(trends({}, [visits({ math, math_property: 'amount' })]))
  line!.forEach((value: number, index: number) => expect(value).toBeCloseTo(data[index]!, 9))
})

test('first-time math uses the first event regardless of filters, first-matching math the first event that matches', async () => {
  const pro = [{ key: 'plan', value: 'free' }]
  expect(
    await dataOf(
      trends({}, [
        visits({ math: 'first_time_for_user', properties: pro }),
        visits({ math: 'first_matching_event_for_user', properties: pro }),
      ]),
    ),
  ).toEqual([
    [0, 0, 0],
    [1, 0, 0],
  ])
})

test.each([
  ['all events', trends({}, [{ kind: 'EventsNode', event: null }]), [[2, 12, 2]]],
  [
    'two series',
    trends({}, [visits(), visits({ event: 'buy' })]),
    [
      [2, 1, 2],
      [0, 1, 0],
    ],
  ],
  ['a formula', trends({ trendsFilter: { formula: 'A / B + 1' } }, [visits(), visits({ event: 'buy' })]), [[1, 2, 1]]],
  ['a cumulative line', trends({ trendsFilter: { display: 'ActionsLineGraphCumulative' } }), [[2, 3, 5]]],
  ['weeks from Sunday', trends({ interval: 'week' }), [[5]]],
  [
    'a comparison with the previous day',
    trends({ compareFilter: { compare: true, compare_to: '-1d' } }),
    [
      [2, 1, 2],
      [0, 2, 1],
    ],
  ],
])('returns trend lines: %s', async (_, query, data) => {
  expect(await dataOf(query)).toEqual(data)
})

test('a total-value trend has one value and no line', async () => {
  const { results } = await ask(engine, trends({ trendsFilter: { display: 'BoldNumber' } }, [visits({ math: 'dau' })]))
  expect(results).toMatchObject([{ data: [], count: 0, aggregated_value: 3 }])
})

test('"Other" in a trend breakdown counts a person with two such values once and precedes the missing value', async () => {
  const browsers = ['Chrome', 'Chrome', 'Chrome', 'Safari', 'Firefox', undefined, undefined]
  await store(
    engine,
    4,
    browsers.map((browser) => seen('visit', 'ann', '2026-01-05T10:00:00Z', browser ? { browser } : {})),
  )
  const query = (more: object = {}) =>
    trends(
      {
        breakdownFilter: { breakdown: 'browser', breakdown_limit: 2, ...more },
        trendsFilter: { display: 'ActionsTable' },
      },
      [visits({ math: 'dau' })],
    )
  const { results, hasMore } = await ask(engine, query(), { projectId: 4 })
  expect(
    results.map(({ label, breakdown_value, aggregated_value }) => [label, breakdown_value, aggregated_value]),
  ).toEqual([
    ['Chrome', 'Chrome', 1],
    ['Other', 'Other', 1],
    ['(none)', null, 1],
  ])
  expect(hasMore).toBe(true)
  expect(
    (await ask(engine, query({ breakdown_hide_other_aggregation: true }), { projectId: 4 })).results.map(
      ({ label }) => label,
    ),
  ).toEqual(['Chrome', '(none)'])
  expect((await ask(engine, query({ breakdown_limit: 4 }), { projectId: 4 })).hasMore).toBe(false)
})

test('the previous period of a trend has the breakdown values of the current one', async () => {
  await store(engine, 5, [
    seen('visit', 'ann', '2026-01-06T10:00:00Z', { browser: 'Chrome' }),
    ...['ann', 'ben'].map((person) => seen('visit', person, '2026-01-03T10:00:00Z', { browser: 'Safari' })),
  ])
  const { results } = await ask(
    engine,
    trends({ breakdownFilter: { breakdown: 'browser', breakdown_limit: 1 }, compareFilter: { compare: true } }),
    { projectId: 5 },
  )
  expect(results.map(({ compare_label, breakdown_value, count }) => [compare_label, breakdown_value, count])).toEqual([
    ['current', 'Chrome', 1],
    ['previous', 'Other', 2],
  ])
})

test('a trend includes the last millisecond of the last day and excludes the next one', async () => {
  await store(
    engine,
    6,
    ['2026-01-07T23:59:59.999Z', '2026-01-08T00:00:00.000Z'].map((when) => seen('visit', 'ann', when)),
  )
  expect(await dataOf(trends(), { projectId: 6 })).toEqual([[0, 0, 1]])
})

test.each<[string, Record<string, unknown>, [unknown, number][]]>([
  [
    'no variables',
    {},
    [
      [['Chrome', 'free'], 1],
      [['Chrome', 'pro'], 1],
      [['Safari', 'pro'], 1],
      [['Firefox', null], 1],
      [[null, null], 1],
    ],
  ],
  [
    'one of two',
    { browser: 'Chrome' },
    [
      [['Chrome', 'free'], 1],
      [['Chrome', 'pro'], 1],
    ],
  ],
  ['both', { browser: 'Chrome', plan: 'pro' }, [[['Chrome', 'pro'], 1]]],
  ['empty: without the property', { browser: '' }, [[[null, null], 1]]],
  ['with a first date', { date_from: '2026-01-06', plan: 'pro' }, [[['Safari', 'pro'], 1]]],
  ['with a last date', { date_to: '2026-01-05', plan: 'pro' }, [[['Chrome', 'pro'], 1]]],
  ['a value without matches', { browser: "x' OR 1=1 --" }, []],
])('a trend accepts variables: %s', async (_, variables, expected) => {
  const { results } = await ask(
    engine,
    trends({ breakdownFilter: { breakdowns: [{ property: 'browser', type: 'event' }, { property: 'plan' }] } }),
    { variables },
  )
  const found = results.map(({ breakdown_value, count }) => JSON.stringify([breakdown_value, count]))
  expect(found.sort()).toEqual(expected.map((each) => JSON.stringify(each)).sort())
})

test('a date variable of a trend is exact, even within a week', async () => {
  expect(await dataOf(trends({ interval: 'week' }), { variables: { date_from: '2026-01-06' } })).toEqual([[3]])
})

test.each(HOSTILE)('a trend treats %j as data in property names, values and events', async (text) => {
  const query = trends({ breakdownFilter: { breakdown: text } }, [
    {
      kind: 'EventsNode',
      event: 'hostile',
      properties: [
        { key: text, value: text },
        { key: 'shared', operator: 'icontains', value: text },
      ],
    },
  ])
  const { results } = await ask(engine, query, { variables: { [text]: text } })
  expect(results.map(({ breakdown_value, count }) => [breakdown_value, count])).toEqual([[text, 1]])
  expect(await dataOf(trends({}, [{ kind: 'EventsNode', event: text }]))).toEqual([[0, 0, 0]])
})

test('no trend result contains rows of another project', async () => {
  const { results } = await ask(
    engine,
    trends({ breakdownFilter: { breakdown: 'browser', breakdown_limit: 1_000 } }, [
      { kind: 'EventsNode', event: null },
    ]),
  )
  expect(JSON.stringify(results)).not.toContain('theirs')
  expect(
    (await ask(engine, trends({ breakdownFilter: { breakdown: 'browser' } }), { projectId: 2 })).results,
  ).toMatchObject([{ breakdown_value: 'theirs', count: 5 }])
})

test.each<[string, object, number]>([
  ['is_not', { operator: 'is_not', value: 'Chrome' }, 3],
  ['a list', { value: ['Chrome', 'Safari'] }, 3],
  ['is_set', { operator: 'is_set', key: 'plan' }, 3],
  ['is_not_set', { operator: 'is_not_set', key: 'plan' }, 2],
  ['icontains', { operator: 'icontains', value: 'CHRO' }, 2],
  ['icontains with a literal %', { operator: 'icontains', value: '%' }, 0],
  ['not_icontains', { operator: 'not_icontains', value: 'plan', key: 'plan' }, 5],
  ['regex', { operator: 'regex', value: '^(S|F)' }, 2],
  ['not_regex', { operator: 'not_regex', value: '^(S|F)' }, 3],
  ['gt', { operator: 'gt', key: 'amount', value: 2 }, 2],
  ['lte', { operator: 'lte', key: 'amount', value: '3' }, 2],
  ['between', { operator: 'between', key: 'amount', value: [1, 3] }, 2],
  ['not_between', { operator: 'not_between', key: 'amount', value: [1, 3] }, 3],
])('a trend applies the filter %s', async (_, filter, count) => {
  const { results } = await ask(engine, trends({ properties: [{ key: 'browser', ...filter }] }))
  expect(results[0].count).toBe(count)
})

test('a trend applies nested filter groups with OR within AND', async () => {
  const any = {
    type: 'OR',
    values: [
      { key: 'browser', value: 'Safari' },
      { key: 'plan', value: 'free' },
    ],
  }
  expect(await dataOf(trends({ properties: { type: 'AND', values: [any, { key: 'amount', value: 3 }] } }))).toEqual([
    [1, 0, 0],
  ])
})

test('trend days follow the time zone, including days of 23 and 25 hours', async () => {
  const hours = [
    '2026-03-29T00:30:00Z',
    '2026-03-29T21:59:00Z',
    '2026-03-29T22:00:00Z',
    '2026-10-25T00:30:00Z',
    '2026-10-25T01:30:00Z',
    '2026-10-25T22:59:00Z',
    '2026-10-25T23:00:00Z',
  ]
  await store(
    engine,
    3,
    hours.map((hour) => seen('visit', 'ann', hour)),
  )
  const options = { projectId: 3, zone: 'Europe/Berlin', now: '2026-11-30T00:00:00Z' }
  expect(await dataOf(trends({ dateRange: { date_from: '2026-03-28', date_to: '2026-03-30' } }), options)).toEqual([
    [0, 2, 1],
  ])
  expect(await dataOf(trends({ dateRange: { date_from: '2026-10-24', date_to: '2026-10-26' } }), options)).toEqual([
    [0, 3, 1],
  ])
  const { results } = await ask(
    engine,
    trends({ interval: 'hour', dateRange: { date_from: '2026-10-25', date_to: '2026-10-25' } }),
    options,
  )
  expect(results[0].data).toHaveLength(25)
  expect(results[0].data.slice(0, 5)).toEqual([0, 0, 1, 1, 0])
  expect(results[0].days.slice(1, 5)).toEqual([
    '2026-10-25 01:00:00',
    '2026-10-25 02:00:00',
    '2026-10-25 02:00:00',
    '2026-10-25 03:00:00',
  ])
})

const MATHS = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'first_time_for_user',
  'first_matching_event_for_user',
  'avg',
  'sum',
  'min',
  'max',
  'median',
  'p75',
  'p90',
  'p95',
  'p99',
  'avg_count_per_actor',
  'min_count_per_actor',
  'max_count_per_actor',
  'median_count_per_actor',
  'p75_count_per_actor',
  'p90_count_per_actor',
  'p95_count_per_actor',
  'p99_count_per_actor',
]

// Around the clock changes of both zones, at distinct times: the engine breaks ties arbitrarily.
const BEGIN = at('2026-02-20T00:00:00Z')
const someEvents = fc.uniqueArray(
  fc.record({
    event: fc.constantFrom('visit', 'buy'),
    person: fc.constantFrom('ann', 'ben', 'cat', 'dan'),
    session: fc.constantFrom('', 's1', 's2'),
    at: fc.integer({ min: 0, max: 60 * 24 * 4 }).map((quarter) => BEGIN + quarter * 900_000),
    properties: fc.record(
      {
        browser: fc.constantFrom('Chrome', 'Safari', 'Firefox', '', 'null?'),
        amount: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constantFrom('7', 'x', '')),
      },
      { requiredKeys: [] },
    ),
  }),
  { minLength: 20, maxLength: 60, selector: ({ at }) => at },
)

let project = 100

test('trend lines equal the reference for any events, math, interval, zone and breakdown', async () => {
  await fc.assert(
    fc.asyncProperty(
      someEvents,
      fc.array(
        fc.record({
          math: fc.constantFrom(...MATHS),
          interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
          zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
          breakdown: fc.constantFrom(undefined, 'browser'),
          limit: fc.integer({ min: 1, max: 5 }),
          from: fc.constantFrom('2026-02-25', '2026-03-06', '2026-03-27'),
          to: fc.constantFrom('2026-03-28', '2026-03-31', '2026-04-12'),
        }),
        { minLength: 12, maxLength: 12 },
      ),
      async (events, questions) => {
        project += 1
        await store(engine, project, events)
        for (const question of questions) {
          const { math, interval, zone, breakdown, limit, from, to } = question
          const breakdownFilter = breakdown ? { breakdown, breakdown_limit: limit } : {}
          const query = trends({ interval, breakdownFilter, dateRange: { date_from: from, date_to: to } }, [
            visits({ math, math_property: 'amount' }),
          ])
          const { results } = await ask(engine, query, { projectId: project, zone, now: '2026-05-01T00:00:00Z' })
          const expected = trendOf(events, { event: 'visit', ...question })
          const found = Object.fromEntries(
            results.map(({ breakdown_value = null, data }) => [String(breakdown_value), data]),
          )
          for (const value of new Set([...Object.keys(expected), ...Object.keys(found)])) {
            const wanted = expected[value] ?? []
            const got: number[] = found[value] ?? wanted.map(() => 0)
            expect({ question, value, length: got.length }).toEqual({
              question,
              value,
              length: wanted.length || got.length,
            })
            // One assertion for all points: there are thousands.
            const wrong = got.flatMap((number, index) =>
              Math.abs(number - (wanted[index] ?? 0)) < 1e-6 ? [] : [{ index, number, wanted: wanted[index] ?? 0 }],
            )
            expect({ question, value, wrong }).toEqual({ question, value, wrong: [] })
          }
        }
      },
    ),
    { numRuns: randomRuns(4) },
  )
})

test('one scan of all series returns the rows of one scan per series', async () => {
  const COUNTED = ['total', 'dau', 'unique_session', 'sum', 'avg', 'min', 'max', 'median', 'p90']
  const chrome = [{ key: 'browser', type: 'event', operator: 'exact', value: ['Chrome'] }]
  const series = fc.record({
    event: fc.constantFrom('visit', 'buy', null),
    math: fc.constantFrom(...COUNTED),
    math_property: fc.constant('amount'),
    properties: fc.constantFrom([], chrome),
  })
  const rowsOf = async (statement: QuerySql) =>
    (await engine.rows(print(statement, project))).map((row) => row.map(String)).sort()
  await fc.assert(
    fc.asyncProperty(
      someEvents,
      fc.array(
        fc.record({
          series: fc.array(series, { minLength: 2, maxLength: 4 }),
          breakdown: fc.constantFrom(undefined, 'browser'),
          limit: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 8, maxLength: 8 },
      ),
      async (events, questions) => {
        project += 1
        await store(engine, project, events)
        for (const question of questions) {
          const { breakdown, limit } = question
          const [plan] = trendsPlans(
            {
              kind: 'TrendsQuery',
              series: question.series.map((each) => ({ kind: 'EventsNode', ...each })),
              dateRange: { date_from: '2026-02-25', date_to: '2026-03-28' },
              breakdownFilter: breakdown ? { breakdown, breakdown_limit: limit } : {},
            },
            {
              context: { zone: createZone('Europe/Berlin'), now: at('2026-05-01T00:00:00Z') },
              filters: { type: 'AND', values: [] },
              isFromExact: false,
              reading: LIVE,
            },
          )
          const found = await rowsOf(scanOf(plan!)!)
          expect({ question, rows: found }).toEqual({ question, rows: await rowsOf(unionOf(plan!)) })
        }
      },
    ),
    { numRuns: randomRuns(1), endOnFailure: true },
  )
})
