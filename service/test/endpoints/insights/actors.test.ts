import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { dayIn, type SeenEvent } from './support/reference.ts'
import { ask, store } from './support/store.ts'

let engine: TestEngine
/** Names of persons by their ids. */
let names: Readonly<Record<string, string>>

const PEOPLE = ['ann', 'ben', 'cat', 'dan', 'eve']
const ZONE = 'Europe/Berlin'
const DAYS = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08']
const HOUR = 3_600_000

const EVENTS: readonly SeenEvent[] = fc
  .sample(
    fc.record({
      event: fc.constantFrom('visit', 'cart', 'buy'),
      person: fc.constantFrom(...PEOPLE),
      // Some are on the days before and after those of the insights.
      hours: fc.integer({ min: -30, max: 110 }),
      plan: fc.constantFrom('pro "x"', 'a/b', undefined),
    }),
    { numRuns: 120, seed: 3 },
  )
  .map(({ event, person, hours, plan }) => ({
    event,
    person,
    session: '',
    at: Date.parse('2026-01-05T00:00:00Z') + hours * HOUR,
    properties: plan ? { plan } : {},
  }))

beforeAll(async () => {
  engine = await startTestEngine()
  await store(engine, 1, EVENTS)
  await store(
    engine,
    2,
    EVENTS.map((each) => ({ ...each, person: `their ${each.person}` })),
  )
  const rows = await engine.rows({
    text: 'SELECT toString(reinterpretAsUUID(sipHash128(toUInt32(1), person))), arrayJoin({people:Array(String)}) AS person',
    params: { people: PEOPLE },
  })
  names = Object.fromEntries(rows) as Record<string, string>
})
afterAll(() => engine.stop())

const node = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, ...more })
const RANGE = { date_from: DAYS[0], date_to: DAYS.at(-1) }
const trends = (series: object, more: object = {}) => ({
  kind: 'TrendsQuery',
  series: [series],
  dateRange: RANGE,
  ...more,
})
const BY_PLAN = { breakdownFilter: { breakdown: 'plan' } }
const options = { zone: ZONE, now: '2026-02-01T12:00:00Z' }

/** Runs a query of actors and returns the answer and the names, sorted. */
const actors = async (source: object, more: object = {}) => {
  const answer = (await ask(engine, { kind: 'ActorsQuery', source, ...more }, options)) as any
  return { answer, people: answer.results.map(([{ id }]: any) => names[id] ?? id).sort() as string[] }
}
const ofPoint = (source: object, more: object = {}) => actors({ kind: 'InsightActorsQuery', source, ...more })
const ofStep = (source: object, funnelStep: number, more: object = {}) =>
  actors({ kind: 'FunnelsActorsQuery', source, funnelStep, ...more })

const distinct = (events: readonly SeenEvent[]) => [...new Set(events.map(({ person }) => person))].sort()
const dayAfter = (index: number) => new Date(Date.parse(DAYS[0]!) + index * 24 * HOUR).toISOString().slice(0, 10)
const dayOf = ({ at }: SeenEvent) => dayIn(ZONE, at)

test.each(['total', 'dau', 'unique_session'])('a point with the math %s has the people of its events', async (math) => {
  for (const day of DAYS)
    for (const plan of ['pro "x"', 'a/b', null]) {
      const events = EVENTS.filter(
        (each) => each.event === 'visit' && dayOf(each) === day && (each.properties.plan ?? null) === plan,
      )
      const { people, answer } = await ofPoint(trends(node('visit', { math }), BY_PLAN), { day, breakdown: plan })
      expect(people).toEqual(distinct(events))
      expect(answer.columns).toEqual(['actor', 'event_count'])
      expect(answer.results.reduce((sum: number, [, count]: any) => sum + count, 0)).toBe(events.length)
    }
})

test('a point of weekly active people has those of the week, one of first times the new ones', async () => {
  const visits = EVENTS.filter(({ event }) => event === 'visit')
  const firsts = PEOPLE.flatMap((person) =>
    visits
      .filter((each) => each.person === person)
      .sort((a, b) => a.at - b.at)
      .slice(0, 1),
  )
  for (const day of DAYS) {
    const week = visits.filter(
      (each) => dayOf(each) <= day && Date.parse(dayOf(each)) > Date.parse(day) - 7 * 24 * HOUR,
    )
    expect((await ofPoint(trends(node('visit', { math: 'weekly_active' })), { day })).people).toEqual(distinct(week))
    expect((await ofPoint(trends(node('visit', { math: 'first_time_for_user' })), { day })).people).toEqual(
      distinct(firsts.filter((each) => dayOf(each) === day)),
    )
  }
})

test('points of the period before, of totals, of values beyond the limit and of whole periods have their people', async () => {
  const cart = EVENTS.filter(({ event }) => event === 'cart')
  const query = trends(node('cart'), {
    dateRange: { date_from: DAYS[1], date_to: DAYS[1] },
    compareFilter: { compare: true },
  })
  expect((await ofPoint(query, { day: DAYS[0], compare: 'previous' })).people).toEqual(
    distinct(cart.filter((each) => dayOf(each) === DAYS[0])),
  )
  const whole = distinct(cart.filter((each) => DAYS.includes(dayOf(each))))
  expect((await ofPoint(trends(node('cart')))).people).toEqual(whole)
  const total = trends(node('cart'), { trendsFilter: { display: 'BoldNumber' } })
  expect((await ofPoint(total, { day: DAYS[0] })).people).toEqual(whole)
  const limited = trends(node('cart'), { breakdownFilter: { breakdown: 'plan', breakdown_limit: 1 } })
  const { results } = await ask(engine, limited, options)
  const shown = results.map(({ breakdown_value }) => breakdown_value)
  expect(shown).toContain('Other')
  expect((await ofPoint(limited, { breakdown: 'Other' })).people).toEqual(
    distinct(cart.filter((each) => DAYS.includes(dayOf(each)) && !shown.includes(each.properties.plan ?? null))),
  )
})

test('steps of a funnel have the people who reached them, and those who left before', async () => {
  const query = { kind: 'FunnelsQuery', series: ['visit', 'cart', 'buy'].map((each) => node(each)), dateRange: RANGE }
  const reached = (person: string): number => {
    const events = EVENTS.filter((each) => each.person === person && DAYS.includes(dayOf(each))).sort(
      (a, b) => a.at - b.at,
    )
    let at = -Infinity
    let steps = 0
    for (const step of ['visit', 'cart', 'buy']) {
      const next = events.find((each) => each.event === step && each.at > at)
      if (!next) break
      at = next.at
      steps += 1
    }
    return steps
  }
  const counts = (await ask(engine, query, options)).results.map(({ count }) => count)
  for (const step of [1, 2, 3]) {
    const { people, answer } = await ofStep(query, step)
    expect(people).toEqual(PEOPLE.filter((person) => reached(person) >= step))
    expect(people).toHaveLength(counts[step - 1])
    expect(answer.columns).toEqual(['actor', 'steps'])
  }
  for (const step of [2, 3])
    expect((await ofStep(query, -step)).people).toEqual(PEOPLE.filter((person) => reached(person) === step - 1))
  const broken = { ...query, ...BY_PLAN, funnelsFilter: { funnelVizType: 'trends' } }
  const values = (await ask(engine, { ...broken, funnelsFilter: {} }, options)).results as any
  for (const steps of values) {
    const [value] = steps[0].breakdown_value
    expect((await ofStep(broken, 2, { funnelStepBreakdown: value })).people).toHaveLength(steps[1].count)
  }
})

const retention = (retentionFilter: object = {}, more: object = {}) => ({
  kind: 'RetentionQuery',
  retentionFilter: {
    retentionType: 'retention_recurring',
    targetEntity: { id: 'visit', type: 'events' },
    returningEntity: { id: 'cart', type: 'events' },
    period: 'Day',
    totalIntervals: 3,
    ...retentionFilter,
  },
  dateRange: RANGE,
  ...more,
})
const ofCell = (source: object, date: string, interval?: number) =>
  actors({ kind: 'RetentionActorsQuery', source, date, ...(interval === undefined ? {} : { interval }) })

test('a retention cell lists the people of the cohort who returned in that interval', async () => {
  const { results } = (await ask(engine, retention(), options)) as any
  for (const [cohort, { date, values }] of results.entries()) {
    const on = (name: string, index: number) =>
      distinct(EVENTS.filter((each) => each.event === name && dayOf(each) === dayAfter(index)))
    const began = on('visit', cohort)
    for (const [after, { count }] of values.entries()) {
      const returned = began.filter((person) => after === 0 || on('cart', cohort + after).includes(person))
      const { people, answer } = await ofCell(retention(), date, after)
      expect(people).toEqual(returned)
      expect(people).toHaveLength(count)
      expect(answer.columns).toEqual(['actor', 'intervals'])
    }
  }
  // Without an interval, and with every way to count.
  for (const filter of [{ cumulative: true }, { retentionType: 'retention_first_time' }, { period: 'Week' }]) {
    const query = retention(filter)
    for (const { date, values } of ((await ask(engine, query, options)) as any).results) {
      expect((await ofCell(query, date)).people).toHaveLength(values[0].count)
      for (const after of [1, 2]) expect((await ofCell(query, date, after)).people).toHaveLength(values[after].count)
    }
  }
})

test('a query of actors returns people in pages', async () => {
  const source = { kind: 'InsightActorsQuery', source: trends(node('visit')) }
  const { people: all } = await actors(source)
  const first = await actors(source, { limit: 2 })
  const rest = await actors(source, { limit: 100, offset: 2 })
  expect(first.answer).toMatchObject({ hasMore: true, limit: 2, offset: 0 })
  expect(rest.answer.hasMore).toBe(false)
  expect([...first.people, ...rest.people].sort()).toEqual(all)
})

const cell = (more: object = {}, query: object = {}) => ({
  kind: 'RetentionActorsQuery',
  date: '2026-01-05T00:00:00+01:00',
  source: retention({}, query),
  ...more,
})
const point = (more: object = {}) => ({ kind: 'InsightActorsQuery', source: trends(node('visit')), ...more })
const step = (more: object = {}, funnel: object = {}) => ({
  kind: 'FunnelsActorsQuery',
  funnelStep: 1,
  source: { kind: 'FunnelsQuery', series: [node('visit'), node('buy')], ...funnel },
  ...more,
})
test.each([
  ['source.kind', { kind: 'RetentionQuery' }],
  ['source.date', cell({ date: '2026-01-05' })],
  ['source.interval', cell({ interval: 3 })],
  ['source.source.breakdownFilter', cell({}, BY_PLAN)],
  ['source.source.aggregation_group_type_index', cell({}, { aggregation_group_type_index: 0 })],
  ['source.source.retentionFilter.period', cell({ source: retention({ period: 'Year' }) })],
  ['source.source.kind', point({ source: { kind: 'FunnelsQuery' } })],
  ['source.source.series.0.math', point({ source: trends(node('visit', { math: 'mode' })) })],
  ['source.series', point({ series: 1 })],
  ['source.day', point({ day: '2026-02-01' })],
  ['source.breakdown', point({ breakdown: 'pro' })],
  ['source.compare', point({ compare: 'previous' })],
  ['source.funnelStep', step({ funnelStep: 3 })],
  ['source.funnelStep', step({ funnelStep: -1 })],
  ['source.source.aggregation_group_type_index', step({}, { aggregation_group_type_index: 0 })],
])('a query of actors rejects %s by name', async (field, source) => {
  await expect(actors(source)).rejects.toMatchObject({ details: { extra: { field: `query.${field}` } } })
})
