import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import { funnelOf, type Funnelled, type ReferenceFunnel } from './support/funnelReference.ts'
import { ask, type AskOptions, store } from './support/store.ts'

// A real engine on a machine that also runs the other suites.

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const at = (text: string) => Date.parse(text)
let project = 1_000

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

const node = (event: string | null, more: object = {}) => ({ kind: 'EventsNode', event, ...more })
const funnel = (events: (string | object | null)[], funnelsFilter: object = {}, more: object = {}) => ({
  kind: 'FunnelsQuery',
  series: events.map((each) => (typeof each === 'object' && each ? each : node(each))),
  dateRange: { date_from: '2026-01-05', date_to: '2026-01-20' },
  funnelsFilter,
  ...more,
})
const countsOf = async (query: object, options: AskOptions) =>
  (await ask(engine, query, options)).results.map(({ count }: any) => count)

test('a funnel returns how many people reached each step and how long they took', async () => {
  const options = await given(
    ['ann', 'signup', '2026-01-05T10:00:00Z'],
    ['ann', 'buy', '2026-01-05T10:00:10Z'],
    ['ben', 'signup', '2026-01-05T10:00:00Z'],
    ['ben', 'buy', '2026-01-05T10:00:30Z'],
    ['cat', 'signup', '2026-01-05T10:00:00Z'],
    ['cat', 'buy', '2026-01-05T10:02:00Z'],
    ['dan', 'signup', '2026-01-06T10:00:00Z'],
    ['eve', 'buy', '2026-01-06T10:00:00Z'],
  )
  const { results, hasMore } = await ask(engine, funnel([node('signup', { custom_name: 'Signed up' }), 'buy']), options)
  expect(hasMore).toBe(false)
  expect(results).toEqual([
    {
      action_id: 'signup',
      name: 'signup',
      custom_name: 'Signed up',
      order: 0,
      people: [],
      count: 4,
      type: 'events',
      average_conversion_time: null,
      median_conversion_time: null,
    },
    {
      action_id: 'buy',
      name: 'buy',
      custom_name: null,
      order: 1,
      people: [],
      count: 3,
      type: 'events',
      average_conversion_time: 160 / 3,
      median_conversion_time: 30,
    },
  ])
})

test('a funnel returns 0 for every step without events', async () => {
  expect(await countsOf(funnel(['signup', 'buy']), await given())).toEqual([0, 0])
  expect(
    (await ask(engine, funnel(['signup', 'buy'], { funnelVizType: 'time_to_convert' }), await given())).results,
  ).toEqual({ bins: [], average_conversion_time: null })
})

test.each<[string, object, number[]]>([
  ['ordered', {}, [3, 2]],
  ['strict', { funnelOrderType: 'strict' }, [3, 1]],
  ['unordered', { funnelOrderType: 'unordered' }, [4, 3]],
])('a funnel with order "%s" accepts the right events between and before the steps', async (_, filter, expected) => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z'],
    ['ann', 'b', '2026-01-05T11:00:00Z'],
    ['ben', 'a', '2026-01-05T10:00:00Z'],
    ['ben', 'other', '2026-01-05T10:30:00Z'],
    ['ben', 'b', '2026-01-05T11:00:00Z'],
    ['cat', 'b', '2026-01-05T10:00:00Z'],
    ['cat', 'a', '2026-01-05T11:00:00Z'],
    ['dan', 'b', '2026-01-05T10:00:00Z'],
  )
  expect(await countsOf(funnel(['a', 'b'], filter), options)).toEqual(expected)
})

test('a strict funnel allows repeated steps and ignores filtered events', async () => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z', { on: 'web' }],
    ['ann', 'a', '2026-01-05T10:01:00Z', { on: 'web' }],
    ['ann', 'other', '2026-01-05T10:02:00Z'],
    ['ann', 'b', '2026-01-05T10:03:00Z', { on: 'web' }],
    ['ann', 'b', '2026-01-05T10:04:00Z', { on: 'web' }],
    ['ann', 'c', '2026-01-05T10:05:00Z', { on: 'web' }],
  )
  expect(await countsOf(funnel(['a', 'b', 'c'], { funnelOrderType: 'strict' }), options)).toEqual([1, 0, 0])
  expect(
    await countsOf(
      funnel(['a', 'b', 'c'], { funnelOrderType: 'strict' }, { properties: [{ key: 'on', value: 'web' }] }),
      options,
    ),
  ).toEqual([1, 1, 1])
})

test.each([
  ['at the end of the window', '2026-01-05T11:00:00.000Z', 1],
  ['1 ms later', '2026-01-05T11:00:00.001Z', 0],
])('a funnel counts a step %s', async (_, when, expected) => {
  const options = await given(['ann', 'a', '2026-01-05T10:00:00Z'], ['ann', 'b', when])
  for (const funnelOrderType of ['ordered', 'strict', 'unordered']) {
    expect(
      await countsOf(
        funnel(['a', 'b'], { funnelOrderType, funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour' }),
        options,
      ),
    ).toEqual([1, expected])
  }
})

test('the conversion window starts at the first step and restarts when it repeats', async () => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z'],
    ['ann', 'b', '2026-01-05T10:50:00Z'],
    ['ann', 'a', '2026-01-05T10:55:00Z'],
    ['ann', 'c', '2026-01-05T11:30:00Z'],
    ['ann', 'b', '2026-01-05T11:40:00Z'],
    ['ann', 'c', '2026-01-05T11:50:00Z'],
  )
  const { results } = await ask(
    engine,
    funnel(['a', 'b', 'c'], { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour' }),
    options,
  )
  expect(results.map(({ count, average_conversion_time }: any) => [count, average_conversion_time])).toEqual([
    [1, null],
    [1, 2_700],
    [1, 600],
  ])
})

test('one event matches one funnel step, and simultaneous steps count in order', async () => {
  expect(await countsOf(funnel(['a', null]), await given(['ann', 'a', '2026-01-05T10:00:00Z']))).toEqual([1, 0])
  const options = await given(
    ['ann', 'c', '2026-01-05T10:00:00Z'],
    ['ann', 'b', '2026-01-05T10:00:00Z'],
    ['ann', 'a', '2026-01-05T10:00:00Z'],
  )
  for (const funnelOrderType of ['ordered', 'strict', 'unordered'])
    expect(await countsOf(funnel(['a', 'b', 'c'], { funnelOrderType }), options)).toEqual([1, 1, 1])
})

test('steps of an unordered funnel have generic names', async () => {
  const options = await given(['ann', 'b', '2026-01-05T10:00:00Z'], ['ann', 'a', '2026-01-05T10:00:05Z'])
  const { results } = await ask(engine, funnel(['a', 'b'], { funnelOrderType: 'unordered' }), options)
  expect(results).toMatchObject([
    { name: 'Completed 1 step', action_id: null, count: 1 },
    { name: 'Completed 2 steps', action_id: null, count: 1, average_conversion_time: 5 },
  ])
})

test('a funnel excludes a person with the excluded event between two steps', async () => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z'],
    ['ann', 'x', '2026-01-05T10:30:00Z'],
    ['ann', 'b', '2026-01-05T11:00:00Z'],
    ['ben', 'x', '2026-01-05T09:30:00Z'],
    ['ben', 'a', '2026-01-05T10:00:00Z'],
    ['ben', 'b', '2026-01-05T11:00:00Z'],
    ['ben', 'x', '2026-01-05T11:30:00Z'],
    ['cat', 'a', '2026-01-05T10:00:00Z'],
    ['cat', 'x', '2026-01-05T10:30:00Z'],
    ['dan', 'a', '2026-01-05T10:00:00Z'],
    ['dan', 'x', '2026-01-20T10:30:00Z'],
    ['eve', 'a', '2026-01-05T10:00:00Z'],
    ['eve', 'b', '2026-01-05T11:00:00Z'],
    ['eve', 'x', '2026-01-05T12:00:00Z'],
    ['eve', 'c', '2026-01-05T13:00:00Z'],
  )
  const exclusion = (funnelFromStep: number, funnelToStep: number) => ({
    exclusions: [node('x', { funnelFromStep, funnelToStep })],
  })
  expect(await countsOf(funnel(['a', 'b', 'c']), options)).toEqual([5, 3, 1])
  expect(await countsOf(funnel(['a', 'b', 'c'], exclusion(0, 1)), options)).toEqual([3, 2, 1])
  expect(await countsOf(funnel(['a', 'b', 'c'], exclusion(1, 2)), options)).toEqual([3, 1, 0])
  expect(await countsOf(funnel(['a', 'b', 'c'], exclusion(0, 2)), options)).toEqual([1, 0, 0])
})

const BROKEN = { breakdownFilter: { breakdown: 'browser' } }
const touch = () =>
  given(
    ['ann', 'a', '2026-01-05T09:00:00Z'],
    ['ann', 'a', '2026-01-05T10:00:00Z', { browser: 'Chrome' }],
    ['ann', 'b', '2026-01-05T11:00:00Z', { browser: 'Safari' }],
    ['ben', 'a', '2026-01-05T10:00:00Z', { browser: 'Chrome' }],
    ['ben', 'b', '2026-01-05T11:00:00Z', { browser: 'Chrome' }],
    ['cat', 'a', '2026-01-05T10:00:00Z'],
  )

test.each<[object, Record<string, number[]>]>([
  [{}, { Chrome: [2, 2], null: [1, 0] }],
  [{ breakdownAttributionType: 'last_touch' }, { Safari: [1, 1], Chrome: [1, 1], null: [1, 0] }],
  [{ breakdownAttributionType: 'all_events' }, { Chrome: [2, 1], null: [2, 0] }],
  [
    { breakdownAttributionType: 'step', breakdownAttributionValue: 0 },
    { Chrome: [2, 2], null: [1, 0] },
  ],
  [
    { breakdownAttributionType: 'step', breakdownAttributionValue: 1 },
    { Safari: [1, 1], Chrome: [1, 1], null: [1, 0] },
  ],
])('a funnel attributes one breakdown value to a person with %j', async (filter, expected) => {
  const { results } = await ask(engine, funnel(['a', 'b'], filter, BROKEN), await touch())
  expect(
    Object.fromEntries(
      results.map((steps: any) => [String(steps[0].breakdown_value[0]), steps.map(({ count }: any) => count)]),
    ),
  ).toEqual(expected)
})

test('a funnel accepts property values, an empty value and dates as run variables', async () => {
  const options = await touch()
  const query = funnel(['a', 'b'], {}, { breakdownFilter: { breakdowns: [{ property: 'browser', type: 'event' }] } })
  const run = async (variables: Record<string, unknown>) =>
    (await ask(engine, query, { ...options, variables })).results.map((steps: any) => [
      steps[0].breakdown,
      steps.map(({ count }: any) => count),
    ])
  expect(await run({ browser: 'Chrome' })).toEqual([[['Chrome'], [2, 1]]])
  expect(await run({ browser: '' })).toEqual([[[null], [2, 0]]])
  expect(await run({ browser: 'Chrome', date_from: '2026-01-06' })).toEqual([])
  expect(await run({ date_to: '2026-01-05T10:30:00Z' })).toEqual([
    [['Chrome'], [2, 0]],
    [[null], [1, 0]],
  ])
})

test('a funnel combines values beyond the limit as "Other" and counts a person with two of them once', async () => {
  const options = await given(
    ...(['Chrome', 'Safari', 'Firefox'].map((browser): [string, string, string, object] => [
      'ann',
      'a',
      '2026-01-05T10:00:00Z',
      { browser },
    ]) as any),
    ['ben', 'a', '2026-01-05T10:00:00Z', { browser: 'Chrome' }],
  )
  const query = (more: object) =>
    funnel(
      ['a', 'b'],
      { breakdownAttributionType: 'all_events' },
      { breakdownFilter: { breakdown: 'browser', breakdown_limit: 1, ...more } },
    )
  const { results, hasMore } = await ask(engine, query({}), options)
  expect(results.map(([first]: any) => [first.breakdown_value, first.count])).toEqual([
    [['Chrome'], 2],
    [['Other'], 1],
  ])
  expect(hasMore).toBe(true)
  expect((await ask(engine, query({ breakdown_hide_other_aggregation: true }), options)).results).toHaveLength(1)
})

test('funnel trends return the conversion rate of people who started on each day', async () => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z'],
    ['ann', 'a', '2026-01-06T10:00:00Z'],
    ['ann', 'b', '2026-01-06T11:00:00Z'],
    ['ben', 'a', '2026-01-05T10:00:00Z'],
    ['cat', 'a', '2026-01-05T10:00:00Z'],
    ['cat', 'a', '2026-01-07T00:00:00Z'],
  )
  const query = funnel(
    ['a', 'b'],
    { funnelVizType: 'trends' },
    { dateRange: { date_from: '2026-01-05', date_to: '2026-01-08' } },
  )
  expect((await ask(engine, query, options)).results).toEqual([
    {
      count: 4,
      data: [33.33, 100, 0, 0],
      days: ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08'],
      labels: ['5-Jan-2026', '6-Jan-2026', '7-Jan-2026', '8-Jan-2026'],
    },
  ])
})

test('funnel trends by month measure conversion between two of three steps', async () => {
  const options = await given(
    ['ann', 'a', '2026-01-05T10:00:00Z'],
    ['ann', 'b', '2026-01-05T11:00:00Z'],
    ['ben', 'a', '2026-01-06T10:00:00Z'],
    ['ben', 'b', '2026-01-06T11:00:00Z'],
    ['ben', 'c', '2026-01-06T12:00:00Z'],
    ['cat', 'a', '2026-01-06T10:00:00Z'],
  )
  const query = funnel(
    ['a', 'b', 'c'],
    { funnelVizType: 'trends', funnelFromStep: 1, funnelToStep: 2 },
    { interval: 'month' },
  )
  expect((await ask(engine, query, options)).results).toMatchObject([{ data: [50], days: ['2026-01-01'] }])
})

test('a time-to-convert funnel returns a histogram of durations', async () => {
  const took = (seconds: number): [string, string, string][] => [
    [`p${seconds}`, 'a', '2026-01-05T10:00:00Z'],
    [`p${seconds}`, 'b', new Date(at('2026-01-05T10:00:00Z') + seconds * 1_000).toISOString()],
  ]
  const options = await given(...[10, 11, 29, 30, 49].flatMap(took), ['ann', 'a', '2026-01-05T10:00:00Z'])
  const ask2 = async (filter: object) =>
    (await ask(engine, funnel(['a', 'b'], { funnelVizType: 'time_to_convert', ...filter }), options)).results
  expect(await ask2({ binCount: 2 })).toEqual({
    bins: [
      [10, 3],
      [30, 2],
    ],
    average_conversion_time: 25.8,
  })
  expect(await ask2({})).toEqual({
    bins: [
      [10, 3],
      [30, 2],
    ],
    average_conversion_time: 25.8,
  })
  expect(await ask2({ binCount: 4 })).toEqual({
    bins: [
      [10, 2],
      [20, 1],
      [30, 1],
      [40, 1],
    ],
    average_conversion_time: 25.8,
  })
})

test('no funnel result counts people of another project', async () => {
  const other = await given(['ann', 'a', '2026-01-05T10:00:00Z'], ['ann', 'b', '2026-01-05T11:00:00Z'])
  const options = await given(['ann', 'a', '2026-01-05T10:30:00Z'])
  expect(await countsOf(funnel(['a', 'b']), options)).toEqual([1, 0])
  expect(await countsOf(funnel(['a', 'b']), other)).toEqual([1, 1])
})

test('a funnel handles twenty steps and a person with very many events', async () => {
  const events = Array.from({ length: 20 }, (_, index): [string, string, string] => [
    'ann',
    `s${index}`,
    new Date(at('2026-01-05T10:00:00Z') + index).toISOString(),
  ])
  const options = await given(...events)
  await engine.command(
    `INSERT INTO db.events (project_id, uuid, event, distinct_id, timestamp, properties) SELECT ${project}, generateUUIDv4(), if(number % 2, 's0', 's1'), 'robot', toDateTime64('2026-01-05 10:00:00', 3, 'UTC') + toIntervalSecond(number), '{}' FROM numbers(30000)`,
  )
  const steps = events.map(([, event]) => event)
  for (const funnelOrderType of ['ordered', 'strict', 'unordered'])
    expect(await countsOf(funnel(steps, { funnelOrderType }), options)).toEqual([
      2,
      2,
      ...Array.from({ length: 18 }, () => 1),
    ])
})

// Few timestamps, so that many events are simultaneous, around the night of a clock change.
const BEGIN = at('2026-03-27T20:00:00Z')
const someEvents = fc.array(
  fc.record({
    event: fc.constantFrom('a', 'b', 'c', 'd'),
    person: fc.constantFrom('ann', 'ben', 'cat', 'dan'),
    session: fc.constant(''),
    at: fc.integer({ min: 0, max: 60 }).map((hour) => BEGIN + hour * 3_600_000),
    properties: fc.record(
      { browser: fc.constantFrom('Chrome', 'Safari', 'Firefox', ''), plan: fc.constantFrom('pro', 'free') },
      { requiredKeys: [] },
    ),
  }),
  { minLength: 8, maxLength: 26 },
)

const someStep = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c').map((event) => ({ event })) },
  fc.constant({ event: null }),
  fc.constantFrom('a', 'b').map((event) => ({ event, plan: 'pro' })),
)

const someQuestion = fc
  .record({
    order: fc.constantFrom('ordered' as const, 'strict' as const, 'unordered' as const),
    steps: fc.array(someStep, { minLength: 2, maxLength: 4 }),
    isExcluding: fc.boolean(),
    stretch: fc.tuple(fc.nat(3), fc.nat(3)),
    hours: fc.constantFrom(0, 1, 3, 12, 24, 48, 240),
    zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
    from: fc.constantFrom('2026-03-27', '2026-03-28', '2026-03-29'),
    to: fc.constantFrom('2026-03-29', '2026-03-30', '2026-03-31'),
    breakdown: fc.constantFrom(undefined, 'browser'),
    attribution: fc.constantFrom('first_touch' as const, 'last_touch' as const, 'all_events' as const, 'step' as const),
    attributionStep: fc.nat(3),
    limit: fc.integer({ min: 1, max: 5 }),
    view: fc.constantFrom('steps' as const, 'trends' as const, 'time_to_convert' as const),
  })
  .map(({ isExcluding, stretch: [one, two], hours, steps, ...question }) => {
    const isUnordered = question.order === 'unordered'
    const different = isUnordered
      ? steps.filter(
          (step, index) => steps.findIndex((each) => JSON.stringify(each) === JSON.stringify(step)) === index,
        )
      : steps
    const enough = different.length > 1 ? different : [{ event: 'a' }, { event: 'b' }]
    const last = enough.length - 1
    const first = isUnordered ? 0 : Math.min(one, two, last - 1)
    const exclusion = {
      event: 'd',
      from: first,
      to: isUnordered ? last : Math.max(first + 1, Math.min(Math.max(one, two), last)),
    }
    return {
      ...question,
      steps: enough,
      windowMs: hours === 0 ? 1_000 : hours * 3_600_000,
      exclusions: isExcluding ? [exclusion] : [],
      attributionStep: isUnordered ? 0 : Math.min(question.attributionStep, last),
      isByDay: question.view === 'trends',
    }
  })

const mean = (numbers: readonly number[]) =>
  numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : null
const median = (numbers: readonly number[]) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted.length
    ? (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
    : null
}
const round = (value: number | null) => (value === null ? null : Math.round(value * 1_000) / 1_000)

const stepsOf = (people: readonly Funnelled[], { steps }: ReferenceFunnel) =>
  steps.map((_, index) => {
    const gaps = people
      .filter(({ times }) => index > 0 && times.length > index && times[index]! > times[index - 1]!)
      .map(({ times }) => (times[index]! - times[index - 1]!) / 1_000)
    return [people.filter(({ times }) => times.length > index).length, round(mean(gaps)), round(median(gaps))]
  })

const daysOf = (people: readonly Funnelled[], { steps, from, to }: ReferenceFunnel) => {
  const days: string[] = []
  for (let day = from; day <= to; day = new Date(at(day) + 86_400_000).toISOString().slice(0, 10)) days.push(day)
  return days.map((day) => {
    const entered = people.filter((each) => each.day === day)
    const converted = entered.filter(({ times }) => times.length === steps.length)
    return entered.length ? Math.round((converted.length / entered.length) * 10_000) / 100 : 0
  })
}

const timesOf = (people: readonly Funnelled[], { steps }: ReferenceFunnel) => {
  const seconds = people
    .filter(({ times }) => times.length === steps.length)
    .map(({ times }) => (times.at(-1)! - times[0]!) / 1_000)
  return { people: seconds.length, average: round(mean(seconds)), low: seconds.length ? Math.min(...seconds) : null }
}

const nodesOf = ({ event, plan }: { event: string | null; plan?: string }) =>
  node(event, plan ? { properties: [{ key: 'plan', value: plan }] } : {})

test('funnels equal the reference in people, times and days', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, fc.array(someQuestion, { minLength: 8, maxLength: 8 }), async (events, questions) => {
      project += 1
      await store(engine, project, events)
      for (const question of questions) {
        const {
          order,
          steps,
          exclusions,
          windowMs,
          zone,
          from,
          to,
          breakdown,
          attribution,
          attributionStep,
          limit,
          view,
        } = question
        const query = funnel(
          steps.map(nodesOf),
          {
            funnelOrderType: order,
            funnelVizType: view,
            funnelWindowInterval: windowMs / 1_000,
            funnelWindowIntervalUnit: 'second',
            breakdownAttributionType: attribution,
            breakdownAttributionValue: attributionStep,
            exclusions: exclusions.map(({ from: funnelFromStep, to: funnelToStep, ...step }) => ({
              ...nodesOf(step),
              funnelFromStep,
              funnelToStep,
            })),
          },
          {
            dateRange: { date_from: from, date_to: to },
            ...(breakdown ? { breakdownFilter: { breakdown, breakdown_limit: limit } } : {}),
          },
        )
        const { results, hasMore } = await ask(engine, query, {
          projectId: project,
          zone,
          now: '2026-05-01T00:00:00Z',
        })
        const people = funnelOf(events, question)
        const values = [
          ...new Set(
            people
              .filter(({ times }) => view !== 'time_to_convert' || times.length === steps.length)
              .map(({ value }) => value),
          ),
        ].sort()
        const of = { steps: stepsOf, trends: daysOf, time_to_convert: timesOf }[view]
        const wanted = (breakdown ? values : ['null']).map((value) => [
          value,
          of(
            people.filter((each) => each.value === value),
            question,
          ),
        ])
        const lines: any[] = breakdown ? results : view === 'trends' ? results : [results]
        const found = lines.map((line) => {
          const value = breakdown ? String((view === 'steps' ? line[0] : line).breakdown_value[0]) : 'null'
          if (view === 'steps')
            return [
              value,
              line.map(({ count, average_conversion_time, median_conversion_time }: any) => [
                count,
                round(average_conversion_time),
                round(median_conversion_time),
              ]),
            ]
          if (view === 'trends') return [value, line.data]
          return [
            value,
            {
              people: line.bins.reduce((sum: number, [, count]: any) => sum + count, 0),
              average: round(line.average_conversion_time),
              low: line.bins[0]?.[0] ?? null,
            },
          ]
        })
        expect({ question, found: found.sort(([a], [b]) => (a < b ? -1 : 1)), hasMore }).toEqual({
          question,
          found: wanted,
          hasMore: values.includes('Other'),
        })
      }
    }),
    { numRuns: randomRuns(3), endOnFailure: true },
  )
})
