import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import { intervalOf } from './support/reference.ts'
import { retentionOf } from './support/retentionReference.ts'
import { ask, type AskOptions, store } from './support/store.ts'

// A real engine on a machine that also runs the other suites.

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const at = (text: string) => Date.parse(text)
let project = 3_000

/** Stores events (person, event, time) in a new project, and returns the options to query it. */
const given = async (
  ...events: [person: string, event: string, when: string, properties?: Record<string, unknown>][]
): Promise<AskOptions> => {
  project += 1
  await store(
    engine,
    project,
    events.map(([person, event, when, properties = {}]) => ({ event, person, at: at(when), properties, session: '' })),
  )
  return { projectId: project }
}

const RANGE = { dateRange: { date_from: '2026-01-05', date_to: '2026-01-07' } }
const retention = (retentionFilter: object = {}, more: object = RANGE) => ({
  kind: 'RetentionQuery',
  retentionFilter: {
    retentionType: 'retention_recurring',
    targetEntity: { id: 'visit', type: 'events' },
    returningEntity: { id: 'visit', type: 'events' },
    period: 'Day',
    totalIntervals: 3,
    ...retentionFilter,
  },
  ...more,
})
const tableOf = async (query: object, options: AskOptions): Promise<number[][]> =>
  (await ask(engine, query, options)).results.map(({ values }: any) => values.map(({ count }: any) => count))

const visits = () =>
  given(
    ['ann', 'visit', '2026-01-05T10:00:00Z'],
    ['ann', 'visit', '2026-01-06T10:00:00Z'],
    ['ann', 'visit', '2026-01-08T10:00:00Z'],
    ['ben', 'visit', '2026-01-05T23:59:59.999Z'],
    ['ben', 'visit', '2026-01-07T00:00:00Z'],
    ['cat', 'visit', '2026-01-01T10:00:00Z'],
    ['cat', 'visit', '2026-01-06T10:00:00Z'],
    ['cat', 'visit', '2026-01-06T11:00:00Z'],
  )

test('retention returns a cohort per day with the people who returned after each number of days', async () => {
  const { results, hasMore } = await ask(engine, retention(), await visits())
  expect(hasMore).toBe(false)
  expect(results).toEqual([
    {
      values: [
        { count: 2, label: 'Day 0' },
        { count: 1, label: 'Day 1' },
        { count: 1, label: 'Day 2' },
      ],
      label: 'Day 0',
      date: '2026-01-05T00:00:00Z',
    },
    {
      values: [
        { count: 2, label: 'Day 0' },
        { count: 0, label: 'Day 1' },
        { count: 1, label: 'Day 2' },
      ],
      label: 'Day 1',
      date: '2026-01-06T00:00:00Z',
    },
    {
      values: [
        { count: 1, label: 'Day 0' },
        { count: 0, label: 'Day 1' },
        { count: 0, label: 'Day 2' },
      ],
      label: 'Day 2',
      date: '2026-01-07T00:00:00Z',
    },
  ])
})

test('first-time retention considers events before the range', async () => {
  expect(await tableOf(retention({ retentionType: 'retention_first_time' }), await visits())).toEqual([
    [2, 1, 1],
    [0, 0, 0],
    [0, 0, 0],
  ])
})

test('cumulative retention counts a person until the last return', async () => {
  expect(await tableOf(retention({ cumulative: true }), await visits())).toEqual([
    [2, 2, 1],
    [2, 1, 1],
    [1, 0, 0],
  ])
})

test('retention supports different target and returning events with separate filters', async () => {
  const options = await given(
    ['ann', 'signup', '2026-01-05T10:00:00Z', { plan: 'pro' }],
    ['ann', 'buy', '2026-01-06T10:00:00Z', { amount: 5 }],
    ['ann', 'buy', '2026-01-07T10:00:00Z', { amount: 50 }],
    ['ben', 'signup', '2026-01-05T10:00:00Z', { plan: 'free' }],
    ['ben', 'buy', '2026-01-06T10:00:00Z', { amount: 50 }],
  )
  const entities = {
    targetEntity: { id: 'signup', type: 'events', properties: [{ key: 'plan', value: 'pro' }] },
    returningEntity: { id: 'buy', properties: [{ key: 'amount', operator: 'gt', value: 10 }] },
  }
  expect(await tableOf(retention(entities), options)).toEqual([
    [1, 0, 1],
    [0, 0, 0],
    [0, 0, 0],
  ])
})

test('retention distinguishes the first matching event from the first event if it matches', async () => {
  const options = await given(
    ['ann', 'visit', '2026-01-05T10:00:00Z', { plan: 'free' }],
    ['ann', 'visit', '2026-01-06T10:00:00Z', { plan: 'pro' }],
    ['ben', 'visit', '2026-01-05T10:00:00Z', { plan: 'pro' }],
  )
  const pro = (retentionType: string) =>
    retention({ retentionType, targetEntity: { id: 'visit', properties: [{ key: 'plan', value: 'pro' }] } })
  expect(await tableOf(pro('retention_first_time'), options)).toEqual([
    [1, 0, 0],
    [1, 0, 0],
    [0, 0, 0],
  ])
  expect(await tableOf(pro('retention_first_ever_occurrence'), options)).toEqual([
    [1, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ])
})

test('retention without a start date returns the last cohorts of the range and marks incomplete intervals', async () => {
  const options = { ...(await visits()), now: '2026-01-07T12:00:00Z' }
  const { results } = await ask(engine, retention({}, {}), options)
  expect(results.map(({ date }: any) => date)).toEqual([
    '2026-01-05T00:00:00Z',
    '2026-01-06T00:00:00Z',
    '2026-01-07T00:00:00Z',
  ])
  expect(
    results.map(({ values }: any) => values.map(({ count, incomplete }: any) => (incomplete ? `${count}…` : count))),
  ).toEqual([
    [2, 1, '1…'],
    [2, '0…', '0…'],
    ['1…', '0…', '0…'],
  ])
  expect(
    (
      await ask(engine, retention({}, { dateRange: { date_to: '2026-01-06' } }), {
        ...options,
        now: '2026-03-01T00:00:00Z',
      })
    ).results.map(({ date }: any) => date),
  ).toEqual(['2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'])
})

test.each([
  ['Hour', ['2026-01-05T10:00:00Z', '2026-01-05T11:00:00Z'], 'Hour 1'],
  ['Week', ['2026-01-04T00:00:00Z', '2026-01-11T00:00:00Z'], 'Week 1'],
  ['Month', ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'], 'Month 1'],
])('retention has cohorts by the period %s', async (period, dates, label) => {
  const options = await given(
    ['ann', 'visit', new Date(at(dates[0]!) + 3_599_999).toISOString()],
    ['ann', 'visit', dates[1]!],
  )
  const date_to = new Date(at(dates[1]!) + 60_000).toISOString().slice(0, 19)
  const { results } = await ask(
    engine,
    retention({ period }, { dateRange: { date_from: dates[0]!.slice(0, 19), date_to } }),
    { ...options, now: '2026-12-01T00:00:00Z' },
  )
  expect(results.map(({ date, values }: any) => [date, ...values.map(({ count }: any) => count)])).toEqual([
    [dates[0], 1, 1, 0],
    [dates[1], 1, 0, 0],
  ])
  expect(results[0].values[1].label).toBe(label)
})

test('retention days follow the time zone, including days of 23 and 25 hours', async () => {
  const options = { zone: 'Europe/Berlin', now: '2026-12-01T00:00:00Z' }
  const spring = {
    ...options,
    ...(await given(
      ['ann', 'visit', '2026-03-28T23:00:00Z'],
      ['ann', 'visit', '2026-03-29T21:59:59.999Z'],
      ['ben', 'visit', '2026-03-29T10:00:00Z'],
      ['ben', 'visit', '2026-03-29T22:00:00Z'],
    )),
  }
  const query = (date_from: string, date_to: string) =>
    retention({ totalIntervals: 2 }, { dateRange: { date_from, date_to } })
  const { results } = await ask(engine, query('2026-03-29', '2026-03-30'), spring)
  expect(results.map(({ date, values }: any) => [date, ...values.map(({ count }: any) => count)])).toEqual([
    ['2026-03-29T00:00:00+01:00', 2, 1],
    ['2026-03-30T00:00:00+02:00', 1, 0],
  ])
  const autumn = {
    ...options,
    ...(await given(
      ['ann', 'visit', '2026-10-24T22:00:00Z'],
      ['ann', 'visit', '2026-10-25T22:59:59.999Z'],
      ['ben', 'visit', '2026-10-25T10:00:00Z'],
      ['ben', 'visit', '2026-10-25T23:00:00Z'],
    )),
  }
  expect(await tableOf(query('2026-10-25', '2026-10-26'), autumn)).toEqual([
    [2, 1],
    [1, 0],
  ])
})

test('a retention breakdown has cohorts per value, then "Other", which counts a person once, then the missing value', async () => {
  const options = await given(
    ...(['Chrome', 'Safari', 'Firefox'].map((browser): [string, string, string, object] => [
      'ann',
      'visit',
      '2026-01-05T10:00:00Z',
      { browser },
    ]) as any),
    ['ben', 'visit', '2026-01-05T10:00:00Z', { browser: 'Chrome' }],
    ['ben', 'visit', '2026-01-06T10:00:00Z'],
    ['cat', 'visit', '2026-01-06T10:00:00Z'],
  )
  const query = (more: object = {}) =>
    retention(
      { totalIntervals: 2 },
      {
        dateRange: { date_from: '2026-01-05', date_to: '2026-01-05' },
        breakdownFilter: { breakdown: 'browser', breakdown_limit: 1, ...more },
      },
    )
  const { results, hasMore } = await ask(engine, query(), options)
  expect(
    results.map(({ breakdown_value, values }: any) => [breakdown_value, ...values.map(({ count }: any) => count)]),
  ).toEqual([
    ['Chrome', 2, 1],
    ['Other', 1, 0],
  ])
  expect(hasMore).toBe(true)
  expect((await ask(engine, query({ breakdown_hide_other_aggregation: true }), options)).results).toHaveLength(1)
})

test('retention accepts property values, an empty value and dates as run variables', async () => {
  const options = await given(
    ['ann', 'visit', '2026-01-05T10:00:00Z', { browser: 'Chrome' }],
    ['ann', 'visit', '2026-01-06T10:00:00Z', { browser: 'Chrome' }],
    ['ben', 'visit', '2026-01-05T10:00:00Z', { browser: '' }],
  )
  const query = retention(
    { totalIntervals: 2 },
    { ...RANGE, breakdownFilter: { breakdowns: [{ property: 'browser' }] } },
  )
  const run = async (variables: Record<string, unknown>) =>
    (await ask(engine, query, { ...options, variables })).results.map(({ breakdown_value, values }: any) => [
      ...breakdown_value,
      ...values.map(({ count }: any) => count),
    ])
  expect(await run({ browser: 'Chrome' })).toEqual([
    ['Chrome', 1, 1],
    ['Chrome', 1, 0],
    ['Chrome', 0, 0],
  ])
  expect(await run({ browser: '', date_to: '2026-01-05' })).toEqual([[null, 1, 0]])
  expect(await run({ date_from: '2026-01-06', date_to: '2026-01-06' })).toEqual([['Chrome', 1, 0]])
})

test('no retention result counts people of another project', async () => {
  await given(['ann', 'visit', '2026-01-05T10:00:00Z'])
  expect(await tableOf(retention(), await given())).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ])
})

test('retention rejects a result with too many numbers and suggests a fix', async () => {
  const query = retention(
    { period: 'Hour', totalIntervals: 366 },
    { dateRange: { date_from: '2026-01-01', date_to: '2026-06-30' } },
  )
  await expect(ask(engine, query, { projectId: 1 })).rejects.toMatchObject({
    code: 'invalid_input',
    details: { detail: expect.stringContaining('Choose a shorter range') },
  })
})

// Around the clock changes of both zones, at few timestamps, so that many events are simultaneous.
const BEGIN = at('2026-03-01T00:00:00Z')
const someEvents = fc.array(
  fc.record({
    event: fc.constantFrom('visit', 'buy'),
    person: fc.constantFrom('ann', 'ben', 'cat', 'dan'),
    session: fc.constant(''),
    at: fc.integer({ min: 0, max: 8 * 40 }).map((eighth) => BEGIN + eighth * 3 * 3_600_000),
    properties: fc.record(
      { browser: fc.constantFrom('Chrome', 'Safari', 'Firefox', ''), plan: fc.constantFrom('pro', 'free') },
      { requiredKeys: [] },
    ),
  }),
  { minLength: 20, maxLength: 70 },
)

const someQuestion = fc.record({
  type: fc.constantFrom(
    'retention_first_time' as const,
    'retention_recurring' as const,
    'retention_first_ever_occurrence' as const,
  ),
  target: fc.constantFrom({ event: 'visit' }, { event: 'visit', plan: 'pro' }),
  returning: fc.constantFrom({ event: 'visit' }, { event: 'buy' }, { event: null }),
  interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  isCumulative: fc.boolean(),
  width: fc.integer({ min: 1, max: 6 }),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
  explicitDate: fc.boolean(),
  from: fc.constantFrom('2026-03-05', '2026-03-08', '2026-03-20', '2026-03-28'),
  to: fc.constantFrom('2026-03-28', '2026-03-29', '2026-04-02'),
  breakdown: fc.constantFrom(undefined, 'browser'),
  limit: fc.integer({ min: 1, max: 5 }),
})

test('retention cohorts equal the reference for any events, kind, period, zone and breakdown', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, fc.array(someQuestion, { minLength: 5, maxLength: 5 }), async (events, questions) => {
      project += 1
      await store(engine, project, events)
      for (const question of questions) {
        const {
          type,
          target,
          returning,
          interval,
          isCumulative,
          width,
          zone,
          explicitDate,
          from,
          to,
          breakdown,
          limit,
        } = question
        const properties = 'plan' in target ? [{ key: 'plan', value: target.plan }] : []
        const query = retention(
          {
            retentionType: type,
            targetEntity: { id: target.event, properties },
            returningEntity: { id: returning.event },
            period: { day: 'Day', week: 'Week', month: 'Month' }[interval],
            totalIntervals: width,
            cumulative: isCumulative,
          },
          {
            dateRange: { date_from: from, date_to: to, explicitDate },
            ...(breakdown ? { breakdownFilter: { breakdown, breakdown_limit: limit } } : {}),
          },
        )
        const { results, hasMore } = await ask(engine, query, {
          projectId: project,
          zone,
          now: '2026-12-01T00:00:00Z',
        })
        const found: Record<string, number[][]> = {}
        for (const { breakdown_value, values } of results)
          (found[String(breakdown_value ?? null)] ??= []).push(values.map(({ count }: any) => count))
        const wanted = retentionOf(events, { ...question, from: explicitDate ? from : intervalOf(interval, from) })
        expect({ question, found, hasMore }).toEqual({ question, found: wanted, hasMore: 'Other' in wanted })
      }
    }),
    { numRuns: randomRuns(4), endOnFailure: true },
  )
})
