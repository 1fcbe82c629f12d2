import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { type InsightQuestion, type MaterializedInsight, materializeInsight } from './support/insights.ts'
import { type SeenEvent, store } from './support/store.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'

let engine: TestEngine
let projects = 10

beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const at = (text: string) => Date.parse(text)
const QUARTER = 900_000
const BUILT = at('2026-05-01T00:00:00Z')
const NOW = at('2026-04-02T10:07:00Z')

// Around the clock changes of two zones. Many are at the bounds of buckets or of days in a zone, or equal.
const dayOf = fc
  .constantFrom(
    '2026-03-07T23:00:00Z',
    '2026-03-08T07:00:00Z',
    '2026-03-27T18:30:00Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T01:00:00Z',
    '2026-03-29T22:00:00Z',
    '2026-04-01T00:00:00Z',
    '2026-04-02T10:00:00Z',
  )
  .map(at)
const timestamp = fc.oneof(
  fc.tuple(dayOf, fc.constantFrom(-QUARTER, -1, 0, 1, QUARTER - 1, QUARTER)).map(([day, ms]) => day + ms),
  fc.tuple(dayOf, fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 })).map(([day, ms]) => day + ms),
)
const seenEvent: fc.Arbitrary<SeenEvent> = fc.record({
  event: fc.constantFrom('visit', 'visit', 'buy', 'read'),
  person: fc.constantFrom('ann', 'ben', 'cat', 'dan', 'anon'),
  at: timestamp,
  // Before the build, in the exact millisecond of its watermark, or after it. Late events have old timestamps and arrive last.
  seenAt: fc.constantFrom(
    BUILT - 60_000,
    BUILT - 60_000,
    BUILT - 300_000,
    BUILT - 1,
    BUILT,
    BUILT + 1,
    BUILT + 3_600_000,
  ),
  properties: fc.record(
    {
      browser: fc.constantFrom('Chrome', 'Safari', 'Firefox', '', null),
      plan: fc.constantFrom('pro', 'free'),
      amount: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom('7', 'many', true, 2.5)),
    },
    { requiredKeys: [] },
  ),
})
const story = fc.array(seenEvent, { minLength: 40, maxLength: 90 })

const dates = fc.record(
  {
    date_from: fc.constantFrom('2026-03-07', '2026-03-20', '2026-03-28', '2026-03-08T07:08:09.123Z', '-5d'),
    date_to: fc.constantFrom('2026-03-29', '2026-04-01', '2026-04-01T23:59:59Z', '2026-03-31T00:15:00Z'),
  },
  { requiredKeys: [] },
)
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
const browser = fc.option(fc.constantFrom('Chrome', 'Safari', '', 'none'), { nil: undefined })

const BREAKDOWNS = [
  undefined,
  { breakdown: 'browser', breakdown_limit: 2 },
  {
    breakdowns: [
      { property: 'browser', type: 'event' },
      { property: 'plan', type: 'event' },
    ],
  },
  { breakdown: 'tier', breakdown_type: 'person' },
] as const
const breakdown = fc.constantFrom(...BREAKDOWNS)
const asksBrowser = (filter: (typeof BREAKDOWNS)[number]) =>
  filter !== undefined && JSON.stringify(filter).includes('browser')

const questions = (breakdownFilter: (typeof BREAKDOWNS)[number]): fc.Arbitrary<readonly InsightQuestion[]> =>
  fc.array(
    fc
      .record({ dates, browser, zone, now: fc.constantFrom(NOW, NOW + 12_345, at('2026-03-30T00:00:00Z')) })
      .map(({ dates: given, browser: value, ...rest }) => ({
        ...rest,
        variables: { ...given, ...(value !== undefined && asksBrowser(breakdownFilter) ? { browser: value } : {}) },
      })),
    { minLength: 4, maxLength: 5 },
  )

const filters = fc.constantFrom(
  [],
  [{ key: 'plan', value: 'pro' }],
  [{ key: 'amount', operator: 'gt', value: 1 }],
  [{ key: 'tier', type: 'person', operator: 'is_not', value: 'gold' }],
)
const node = fc
  .record({ event: fc.constantFrom('visit', 'buy', null), properties: filters })
  .map((each) => ({ kind: 'EventsNode', ...each }))
const range = fc.constantFrom(
  { date_from: '2026-03-01', date_to: '2026-04-05' },
  { date_from: '-30d' },
  { date_from: '2026-03-08T07:00:00.001Z', date_to: '2026-04-01T10:07:00Z', explicitDate: true },
)

const COARSE = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'avg',
  'sum',
  'min',
  'max',
  'median',
  'p90',
  'avg_count_per_actor',
  'max_count_per_actor',
  'p75_count_per_actor',
]
const EXACT = ['first_time_for_user', 'first_matching_event_for_user']
const series = fc
  .record({ node, math: fc.constantFrom(...COARSE, ...COARSE, ...EXACT) })
  .map(({ node: of, math }) => ({ ...of, math, math_property: 'amount' }))

const QUERIES: Readonly<Record<string, fc.Arbitrary<object>>> = {
  trends: fc.record({
    kind: fc.constant('TrendsQuery'),
    series: fc.array(series, { minLength: 1, maxLength: 2 }),
    interval: fc.constantFrom('hour', 'day', 'day', 'week', 'month'),
    dateRange: range,
    properties: filters,
    breakdownFilter: breakdown,
    compareFilter: fc.constantFrom(undefined, { compare: true }),
    trendsFilter: fc.constantFrom(undefined, { display: 'ActionsTable' }),
  }),
  retention: fc.record({
    kind: fc.constant('RetentionQuery'),
    dateRange: fc.constantFrom({ date_to: '2026-04-02' }, { date_from: '2026-03-07', date_to: '2026-04-01' }),
    properties: filters,
    breakdownFilter: breakdown,
    retentionFilter: fc.record({
      retentionType: fc.constantFrom(
        'retention_recurring',
        'retention_recurring',
        'retention_first_time',
        'retention_first_ever_occurrence',
      ),
      targetEntity: fc.constantFrom(
        { id: 'visit' },
        { id: null },
        { id: 'visit', properties: [{ key: 'plan', value: 'pro' }] },
      ),
      returningEntity: fc.constantFrom({ id: 'visit' }, { id: 'buy' }),
      period: fc.constantFrom('Day', 'Week'),
      totalIntervals: fc.integer({ min: 1, max: 6 }),
      cumulative: fc.boolean(),
    }),
  }),
  funnels: fc
    .record({
      order: fc.constantFrom('ordered', 'strict', 'unordered'),
      hours: fc.constantFrom(1, 24, 240),
      view: fc.constantFrom('steps', 'trends', 'time_to_convert'),
      attribution: fc.constantFrom('first_touch', 'last_touch', 'all_events'),
      isExcluding: fc.boolean(),
      dateRange: range,
      breakdownFilter: breakdown,
      properties: filters,
    })
    .map(({ order, hours, view, attribution, isExcluding, ...rest }) => ({
      kind: 'FunnelsQuery',
      ...rest,
      series: ['visit', 'buy'].map((event) => ({ kind: 'EventsNode', event })),
      funnelsFilter: {
        funnelOrderType: order,
        funnelWindowInterval: hours,
        funnelWindowIntervalUnit: 'hour',
        funnelVizType: view,
        breakdownAttributionType: attribution,
        ...(isExcluding
          ? { exclusions: [{ kind: 'EventsNode', event: 'read', funnelFromStep: 0, funnelToStep: 1 }] }
          : {}),
      },
    })),
}

const learn = async (projectId: number) => {
  // After the build: merges and person properties.
  await engine.command(
    `INSERT INTO db.person_distinct_ids (project_id, distinct_id, person, is_identified, version) VALUES (${projectId}, 'anon', 'ann', true, 1), (${projectId}, 'ann', 'ann', true, 1)`,
  )
  await engine.command(
    `INSERT INTO db.person_properties (project_id, name, distinct_id, set) VALUES (${projectId}, 'tier', 'ann', (1, '"gold"')), (${projectId}, 'tier', 'ben', (1, '"silver"'))`,
  )
}

const expectSame = async (stored: MaterializedInsight, query: object, question: InsightQuestion) => {
  const { live, materialized, finished = live, isUsed } = await stored.run(question)
  const expected = { query, question, isUsed: true, materialized: live, finished: live }
  expect({ query, question, isUsed, materialized, finished }).toEqual(expected)
  return live
}

describe('a materialized run after late events, merges, property changes and deletions', () => {
  test.each(['trends', 'retention', 'funnels'])('equals a live run for the insight kind %s', async (kind) => {
    const tale = QUERIES[kind]!.chain((query) =>
      fc.record({
        query: fc.constant(query),
        runs: questions((query as { breakdownFilter?: (typeof BREAKDOWNS)[number] }).breakdownFilter),
      }),
    )
    await fc.assert(
      fc.asyncProperty(story, tale, fc.constantFrom('visit', 'buy'), async (events, { query, runs }, deleted) => {
        const projectId = (projects += 2)
        await store(engine, projectId, events)
        await store(engine, projectId + 1, events.slice(0, 5))
        const first = await materializeInsight(engine, projectId, query, BUILT)
        await learn(projectId)
        for (const each of runs) await expectSame(first, query, each)
        await store(
          engine,
          projectId,
          events.slice(0, 3).map((each) => ({ ...each, seenAt: BUILT + 7_200_000 })),
        )
        first.advance()
        for (const each of runs) await expectSame(first, query, each)

        const whole = await first.held()
        expect(whole.events).toBe(whole.wanted)
        await engine.command(
          `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = '${deleted}' AND distinct_id = 'ben' SETTINGS mutations_sync = 1`,
        )
        const left = await first.held()
        // The table detects that events were deleted, and is rebuilt.
        const isTouched = left.wanted !== left.events
        first.advance(true)
        const second = isTouched ? await materializeInsight(engine, projectId, query, BUILT) : first
        for (const each of runs.slice(0, 2)) await expectSame(second, query, each)
        await first.drop()
        if (isTouched) await second.drop()
      }),
      { numRuns: randomRuns(1), endOnFailure: true },
    )
  })
})

describe('a materialized run over groups', () => {
  const grouped = fc.array(
    fc
      .tuple(seenEvent, fc.constantFrom('acme', 'acme', 'globex', 'initech', ''), fc.constantFrom('', 'red', 'blue'))
      .map(([each, ...groups]) => ({ ...each, groups })),
    { minLength: 40, maxLength: 90 },
  )
  test.each(['retention', 'funnels'])('equals a live run for the insight kind %s', async (kind) => {
    const tale = fc.tuple(QUERIES[kind]!, fc.constantFrom(0, 1)).chain(([query, index]) =>
      fc.record({
        query: fc.constant({ ...query, aggregation_group_type_index: index }),
        runs: questions((query as { breakdownFilter?: (typeof BREAKDOWNS)[number] }).breakdownFilter),
      }),
    )
    await fc.assert(
      fc.asyncProperty(grouped, tale, async (events, { query, runs }) => {
        const projectId = (projects += 2)
        await store(engine, projectId, events)
        const stored = await materializeInsight(engine, projectId, query, BUILT)
        await learn(projectId)
        for (const each of runs) await expectSame(stored, query, each)
        await stored.drop()
      }),
      { numRuns: randomRuns(1), endOnFailure: true },
    )
  })
})

const visit = { kind: 'EventsNode', event: 'visit' }
const many = (count: number, more: (n: number) => Partial<SeenEvent> = () => ({})): SeenEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    event: 'visit',
    person: `p${n % 4}`,
    at: at('2026-03-10T10:00:00Z') + n * 1_000,
    seenAt: BUILT - 1,
    properties: { browser: n % 2 ? 'Chrome' : 'Safari', page: n },
    ...more(n),
  }))

test.each<[string, object, number, string]>([
  ['a count', {}, 2, 'buckets'],
  ['people', { math: 'dau' }, 4, 'buckets'],
  ['the largest number', { math: 'max', math_property: 'browser' }, 2, 'buckets'],
  ['first times', { math: 'first_time_for_user' }, 100, 'rows'],
])('the materialized table of %s has no more rows than the result needs', async (_, series, rows, kind) => {
  const projectId = (projects += 2)
  await store(engine, projectId, [...many(100), ...many(5, () => ({ event: 'other' }))])
  const stored = await materializeInsight(
    engine,
    projectId,
    { kind: 'TrendsQuery', series: [{ ...visit, ...series }], breakdownFilter: { breakdown: 'browser' } },
    BUILT,
  )
  expect([stored.kind, await stored.held()]).toEqual([kind, { rows, events: 100, wanted: 100 }])
  await stored.drop()
})

// Many equal events, so that few rows represent many: more rows are of Safari, more events of Chrome, most with the number 3.
const DENSE = many(180, (n) => {
  const isChrome = n % 3 !== 0
  const minutes = isChrome ? 0 : (n % 4) * 15
  // Within its bucket, ann's first event was not stored first.
  const ms = n === 12 ? 1 : 500 + n
  return {
    at: at('2026-03-10T10:00:00Z') + minutes * 60_000 + ms,
    person: n % 9 ? 'ann' : 'ben',
    seenAt: n % 60 > 1 ? BUILT - 1 : BUILT,
    properties: { browser: isChrome ? 'Chrome' : 'Safari', amount: isChrome && n % 10 ? 3 : n },
  }
})

test.each([...COARSE, ...EXACT])('a materialized %s over many equal events equals a live run', async (math) => {
  const projectId = (projects += 2)
  await store(engine, projectId, DENSE)
  const query = {
    kind: 'TrendsQuery',
    series: [{ ...visit, math, math_property: 'amount' }],
    interval: 'hour',
    breakdownFilter: { breakdown: 'browser', breakdown_limit: 1 },
    dateRange: { date_from: '2026-03-10T10:05:00Z', date_to: '2026-03-10T11:00:00Z' },
  }
  const stored = await materializeInsight(engine, projectId, query, BUILT)
  const { results } = (await expectSame(stored, query, { zone: 'Asia/Kolkata' })) as {
    results: { label: string; count: number }[]
  }
  expect(results.map(({ label }) => label)).toEqual(
    expect.arrayContaining(EXACT.includes(math) ? ['Other'] : ['Chrome', 'Other']),
  )
  await stored.drop()
})

test('a materialized trend of people by value sends a statement only for intervals that have changed', async () => {
  const projectId = (projects += 2)
  const when = (day: number, ms = 0) => at('2026-03-10T10:00:00Z') + day * 86_400_000 + ms
  await store(
    engine,
    projectId,
    many(40, (n) => ({ at: when(n % 5, n), person: `p${n % 7}` })),
  )
  const query = {
    kind: 'TrendsQuery',
    series: [visit, { ...visit, math: 'dau' }],
    breakdownFilter: { breakdown: 'browser' },
  }
  const stored = await materializeInsight(engine, projectId, query, BUILT)
  const sentFor = async (date_from: string, date_to: string) => {
    const before = stored.sent()
    const { live, finished } = await stored.run({ variables: { date_from, date_to } })
    expect(finished).toEqual(live)
    return stored.sent() - before
  }
  expect(await sentFor('2026-03-10', '2026-03-13')).toBe(2)
  expect(await sentFor('2026-03-11', '2026-03-12')).toBe(0)
  expect(await sentFor('2026-03-11', '2026-03-14')).toBe(1)
  // An event of a known person on one day, then a merge.
  await store(engine, projectId, [{ ...many(1)[0]!, at: when(2), seenAt: BUILT + 1 }])
  stored.advance()
  expect(await sentFor('2026-03-10', '2026-03-14')).toBe(2)
  expect(await sentFor('2026-03-10', '2026-03-14')).toBe(0)
  await engine.command(
    `INSERT INTO db.person_distinct_ids (project_id, distinct_id, person, is_identified, version) VALUES (${projectId}, 'p1', 'p2', true, 1)`,
  )
  stored.advance(true)
  expect(await sentFor('2026-03-10', '2026-03-14')).toBe(2)
  // More values than are shown.
  await store(
    engine,
    projectId,
    many(30, (n) => ({ at: when(2), seenAt: BUILT + 1, properties: { browser: `b${n}` } })),
  )
  stored.advance()
  expect((await stored.run({ variables: { date_from: '2026-03-10', date_to: '2026-03-14' } })).finished).toBeUndefined()
  await stored.drop()
})

const [buy, read] = ['buy', 'read'].map((event) => ({ kind: 'EventsNode', event }))
const DAY = { date_from: '2026-03-10', date_to: '2026-03-10' }

test.each<[string, object, unknown]>([
  ['a funnel', { kind: 'FunnelsQuery', series: [visit, buy], dateRange: DAY }, [{ count: 2 }, { count: 2 }]],
  [
    'a funnel with an exclusion',
    {
      kind: 'FunnelsQuery',
      series: [visit, buy],
      dateRange: DAY,
      funnelsFilter: { exclusions: [{ ...read, funnelFromStep: 0, funnelToStep: 1 }] },
    },
    [{ count: 1 }, { count: 1 }],
  ],
  [
    'a strict funnel',
    { kind: 'FunnelsQuery', series: [visit, buy], dateRange: DAY, funnelsFilter: { funnelOrderType: 'strict' } },
    [{ count: 2 }, { count: 1 }],
  ],
  [
    'a retention',
    {
      kind: 'RetentionQuery',
      dateRange: { ...DAY, date_from: '2026-03-10' },
      retentionFilter: {
        period: 'Hour',
        totalIntervals: 2,
        retentionType: 'retention_recurring',
        targetEntity: { id: 'visit' },
        returningEntity: { id: 'buy' },
      },
    },
    { 10: { values: [{ count: 2 }, { count: 2 }] } },
  ],
])('a materialized run of %s reads all events from the table', async (_, query, expected) => {
  const projectId = (projects += 2)
  const seen = (event: string, person: string, when: string): SeenEvent => ({
    event,
    person,
    at: at(`2026-03-10T${when}:00Z`),
    seenAt: BUILT - 1,
    properties: {},
  })
  await store(engine, projectId, [
    seen('visit', 'ann', '10:00'),
    seen('read', 'ann', '10:30'),
    seen('buy', 'ann', '11:00'),
    seen('visit', 'ben', '10:00'),
    seen('buy', 'ben', '11:00'),
  ])
  const stored = await materializeInsight(engine, projectId, query, BUILT)
  const { results } = (await expectSame(stored, query, { now: NOW })) as { results: readonly unknown[] }
  expect(Array.isArray(expected) ? results : Object.fromEntries(results.entries())).toMatchObject(expected as object)
  await stored.drop()
})

test.each<[string, object, unknown]>([
  ['a funnel', { kind: 'FunnelsQuery', series: [visit, buy], dateRange: DAY }, [{ count: 2 }, { count: 1 }]],
  [
    'a retention',
    {
      kind: 'RetentionQuery',
      dateRange: DAY,
      retentionFilter: {
        period: 'Hour',
        totalIntervals: 2,
        retentionType: 'retention_recurring',
        targetEntity: { id: 'visit' },
        returningEntity: { id: 'buy' },
      },
    },
    { 10: { values: [{ count: 2 }, { count: 1 }] } },
  ],
])(
  'a materialized run of %s over groups counts each group once and ignores events without a group',
  async (_, query, expected) => {
    const projectId = (projects += 2)
    // The second half arrived after the build.
    const seen = (event: string, person: string, group: string, when: string, seenAt: number): SeenEvent => ({
      event,
      person,
      at: at(`2026-03-10T${when}:00Z`),
      seenAt,
      properties: {},
      groups: ['other', group],
    })
    await store(engine, projectId, [
      ...['ann', 'ben'].map((person) => seen('visit', person, 'acme', '10:00', BUILT - 1)),
      seen('visit', 'cat', 'globex', '10:00', BUILT - 1),
      seen('visit', 'dan', '', '10:00', BUILT - 1),
      seen('buy', 'eve', 'acme', '11:00', BUILT),
      seen('buy', 'dan', '', '11:00', BUILT),
    ])
    const asked = { ...query, aggregation_group_type_index: 1 }
    const stored = await materializeInsight(engine, projectId, asked, BUILT)
    const { results } = (await expectSame(stored, asked, { now: NOW })) as { results: readonly unknown[] }
    expect(Array.isArray(expected) ? results : Object.fromEntries(results.entries())).toMatchObject(expected as object)
    await stored.drop()
  },
)

test('a materialized insight equals a live run at each millisecond around the bounds of a range, within a bucket and at its end', async () => {
  const projectId = (projects += 2)
  const edges = [at('2026-03-10T10:07:30Z'), at('2026-03-10T10:15:00Z'), at('2026-03-10T10:45:00Z')]
  const around = edges.flatMap((edge) => [-2, -1, 0, 1].map((ms) => edge + ms))
  await store(
    engine,
    projectId,
    many(around.length, (n) => ({ at: around[n]! })),
  )
  const query = {
    kind: 'TrendsQuery',
    series: [visit, { ...visit, math: 'sum', math_property: 'page' }],
    interval: 'hour',
  }
  const stored = await materializeInsight(engine, projectId, query, BUILT)
  const times = around.map((ms) => new Date(ms).toISOString())
  for (const [index, from] of times.entries())
    await expectSame(stored, query, {
      variables: { date_from: from, date_to: times[Math.min(index + 3, times.length - 1)] },
    })
  await stored.drop()
})

test('a materialized insight reads minutes from the table and runs a range that cuts too many buckets live', async () => {
  const projectId = (projects += 2)
  await store(engine, projectId, many(100))
  const query = (interval: string) => ({
    kind: 'TrendsQuery',
    series: [visit],
    interval,
    dateRange: { date_from: '2026-03-10T10:00:00', date_to: '2026-03-10T14:00:00' },
  })
  const minutes = await materializeInsight(engine, projectId, query('minute'), BUILT)
  await expectSame(minutes, query('minute'), {})
  expect((await minutes.held()).rows).toBe(2)
  // Until 1972 Monrovia was 44 minutes and 30 seconds behind UTC.
  const old = {
    kind: 'TrendsQuery',
    series: [visit],
    interval: 'hour',
    dateRange: { date_from: '1971-01-01', date_to: '1971-01-10' },
  }
  const odd = await materializeInsight(engine, projectId, old, BUILT)
  const { live, materialized, isUsed } = await odd.run({ zone: 'Africa/Monrovia' })
  expect([isUsed, materialized]).toEqual([false, live])
})

test('the materialized table of an insight contains no rows of another project and would not read them', async () => {
  const projectId = (projects += 2)
  await store(engine, projectId + 1, many(10))
  const query = { kind: 'TrendsQuery', series: [visit], dateRange: { date_from: '2026-03-10', date_to: '2026-03-10' } }
  const [mine, theirs] = [
    await materializeInsight(engine, projectId, query, BUILT),
    await materializeInsight(engine, projectId + 1, query, BUILT),
  ]
  expect((await mine.held()).rows).toBe(0)
  await engine.command(`INSERT INTO db.${mine.table} SELECT * FROM db.${theirs.table}`)
  expect((await mine.run({ now: NOW })).materialized).toMatchObject({ results: [{ data: [0] }] })
})
