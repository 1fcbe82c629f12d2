import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { materializeInsight } from './support/insights.ts'
import { store } from './support/store.ts'

// The calendars are written by hand, so that a live and a materialized run cannot share a bug.

let engine: TestEngine
let projects = 10

beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const at = (text: string) => Date.parse(text)
const AFTER_ALL = at('2026-12-01T00:00:00Z')

/** An event a millisecond before each bound, at it and a millisecond after it, each of a separate person. */
const storeAround = async (edges: readonly number[]) => {
  const projectId = (projects += 2)
  const times = [...new Set(edges.flatMap((edge) => [edge - 1, edge, edge + 1]))].sort((a, b) => a - b)
  await store(
    engine,
    projectId,
    times.map((each, n) => ({
      event: 'visit',
      person: `p${n}`,
      at: each,
      seenAt: AFTER_ALL - 1,
      properties: { own: 2 ** n },
    })),
  )
  return { projectId, times }
}

interface Asked {
  readonly zone: string
  readonly now?: number
  readonly variables?: object
}

/** The parts of a result that these tests read: of trends, one number, and retention. */
interface Trend {
  readonly data: readonly number[]
}
interface BoldNumber {
  readonly aggregated_value: number
}
interface Cohort {
  readonly values: readonly { readonly count: number }[]
}

const ask = async <Item>(
  projectId: number,
  query: object,
  { zone, now = AFTER_ALL, variables = {} }: Asked,
): Promise<readonly Item[]> => {
  const stored = await materializeInsight(engine, projectId, query, AFTER_ALL)
  const { live, materialized, isUsed } = await stored.run({
    zone,
    now,
    variables: variables as Readonly<Record<string, unknown>>,
  })
  await stored.drop()
  expect([stored.kind, isUsed, materialized]).toEqual(['buckets', true, live])
  return (materialized as { results: readonly Item[] }).results
}

const SERIES = { kind: 'EventsNode', event: 'visit' }
const between = (times: readonly number[], begin: number, end: number) =>
  times.flatMap((each, n) => (begin <= each && each < end ? [2 ** n] : []))
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

interface Calendar {
  readonly zone: string
  readonly interval: 'week' | 'month'
  /** The first day and the last. */
  readonly days: readonly [string, string]
  /** The starts of the intervals, and the end of the last. */
  readonly begins: readonly string[]
}

// Weeks begin on Sunday. In Berlin the clocks change on 2026-03-29 and 2026-10-25, in New York on 2026-03-08, on Lord
// Howe, by half an hour, on 2026-04-05; until 1972-01-07 those of Monrovia were 44 minutes and 30 seconds behind.
const CALENDARS: readonly Calendar[] = [
  {
    zone: 'UTC',
    interval: 'week',
    days: ['2026-02-22', '2026-03-14'],
    begins: ['2026-02-22T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z', '2026-03-15T00:00:00Z'],
  },
  {
    zone: 'Europe/Berlin',
    interval: 'week',
    days: ['2026-03-22', '2026-04-11'],
    begins: ['2026-03-21T23:00:00Z', '2026-03-28T23:00:00Z', '2026-04-04T22:00:00Z', '2026-04-11T22:00:00Z'],
  },
  {
    zone: 'Europe/Berlin',
    interval: 'week',
    days: ['2026-10-18', '2026-11-07'],
    begins: ['2026-10-17T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-31T23:00:00Z', '2026-11-07T23:00:00Z'],
  },
  {
    zone: 'America/New_York',
    interval: 'week',
    days: ['2026-03-01', '2026-03-21'],
    begins: ['2026-03-01T05:00:00Z', '2026-03-08T05:00:00Z', '2026-03-15T04:00:00Z', '2026-03-22T04:00:00Z'],
  },
  {
    zone: 'Australia/Lord_Howe',
    interval: 'week',
    days: ['2026-03-29', '2026-04-18'],
    begins: ['2026-03-28T13:00:00Z', '2026-04-04T13:00:00Z', '2026-04-11T13:30:00Z', '2026-04-18T13:30:00Z'],
  },
  {
    zone: 'Africa/Monrovia',
    interval: 'week',
    days: ['1971-12-26', '1972-01-15'],
    begins: ['1971-12-26T00:44:30Z', '1972-01-02T00:44:30Z', '1972-01-09T00:00:00Z', '1972-01-16T00:00:00Z'],
  },
  {
    zone: 'UTC',
    interval: 'month',
    days: ['2026-01-01', '2026-04-30'],
    begins: [
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00Z',
      '2026-03-01T00:00:00Z',
      '2026-04-01T00:00:00Z',
      '2026-05-01T00:00:00Z',
    ],
  },
  {
    zone: 'Europe/Berlin',
    interval: 'month',
    days: ['2026-03-01', '2026-05-31'],
    begins: ['2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z', '2026-04-30T22:00:00Z', '2026-05-31T22:00:00Z'],
  },
  {
    zone: 'Europe/Berlin',
    interval: 'month',
    days: ['2027-12-01', '2028-02-29'],
    begins: ['2027-11-30T23:00:00Z', '2027-12-31T23:00:00Z', '2028-01-31T23:00:00Z', '2028-02-29T23:00:00Z'],
  },
  {
    zone: 'America/New_York',
    interval: 'month',
    days: ['2026-10-01', '2026-12-31'],
    begins: ['2026-10-01T04:00:00Z', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z', '2027-01-01T05:00:00Z'],
  },
  {
    zone: 'Australia/Lord_Howe',
    interval: 'month',
    days: ['2026-03-01', '2026-05-31'],
    begins: ['2026-02-28T13:00:00Z', '2026-03-31T13:00:00Z', '2026-04-30T13:30:00Z', '2026-05-31T13:30:00Z'],
  },
  {
    zone: 'Africa/Monrovia',
    interval: 'month',
    days: ['1971-11-01', '1972-02-29'],
    begins: [
      '1971-11-01T00:44:30Z',
      '1971-12-01T00:44:30Z',
      '1972-01-01T00:44:30Z',
      '1972-02-01T00:00:00Z',
      '1972-03-01T00:00:00Z',
    ],
  },
]

const named = CALENDARS.map(
  (calendar) => [`${calendar.interval}s in ${calendar.zone} from ${calendar.days[0]}`, calendar] as const,
)

describe.each(named)('materialized %s', (_, { zone, interval, days: [date_from, date_to], begins }) => {
  const edges = begins.map(at)
  const now = at('2029-01-01T00:00:00Z')
  const intervals = edges.slice(1).map((end, n) => [edges[n]!, end] as const)

  test('contain the events of each interval, to the millisecond', async () => {
    const { projectId, times } = await storeAround(edges)
    const query = {
      kind: 'TrendsQuery',
      interval,
      series: [SERIES, { ...SERIES, math: 'dau' }, { ...SERIES, math: 'sum', math_property: 'own' }],
      dateRange: { date_from, date_to },
    }
    const results = await ask<Trend>(projectId, query, { zone, now })
    const inEach = intervals.map(([begin, end]) => between(times, begin, end))
    expect(results.map(({ data }) => data)).toEqual([
      inEach.map(({ length }) => length),
      inEach.map(({ length }) => length),
      inEach.map(sum),
    ])
    expect(sum(results[2]!.data)).toBe(sum(between(times, edges[0]!, edges.at(-1)!)))
  })

  test('contain the people who begin in each interval and return in later ones', async () => {
    const { projectId, times } = await storeAround(edges)
    // All people return exactly at the start of the last interval.
    await store(
      engine,
      projectId,
      times.map((__, n) => ({
        event: 'visit',
        person: `p${n}`,
        at: edges.at(-2)!,
        seenAt: AFTER_ALL - 1,
        properties: {},
      })),
    )
    const retentionFilter = {
      retentionType: 'retention_recurring',
      period: interval === 'week' ? 'Week' : 'Month',
      totalIntervals: intervals.length,
      targetEntity: { id: 'visit' },
      returningEntity: { id: 'visit' },
    }
    const results = await ask<Cohort>(
      projectId,
      { kind: 'RetentionQuery', retentionFilter, dateRange: { date_from, date_to } },
      { zone, now },
    )
    const last = intervals.length - 1
    const sizes = intervals.map(([begin, end], n) => (n === last ? times.length : between(times, begin, end).length))
    expect(results.map(({ values }) => values[0]!.count)).toEqual(sizes)
    for (const [n, { values }] of results.entries()) if (n < last) expect(values[last - n]!.count).toBe(sizes[n])
  })
})

interface Window {
  readonly zone: string
  readonly math: 'weekly_active' | 'monthly_active'
  readonly days: readonly [string, string]
  /** For each day: the start of its trailing 7 or 30 days, and its end. */
  readonly windows: readonly (readonly [string, string])[]
}

const WINDOWS: readonly Window[] = [
  {
    zone: 'Europe/Berlin',
    math: 'weekly_active',
    days: ['2026-03-28', '2026-03-30'],
    windows: [
      ['2026-03-21T23:00:00Z', '2026-03-28T23:00:00Z'],
      ['2026-03-22T23:00:00Z', '2026-03-29T22:00:00Z'],
      ['2026-03-23T23:00:00Z', '2026-03-30T22:00:00Z'],
    ],
  },
  {
    zone: 'Australia/Lord_Howe',
    math: 'weekly_active',
    days: ['2026-04-04', '2026-04-06'],
    windows: [
      ['2026-03-28T13:00:00Z', '2026-04-04T13:00:00Z'],
      ['2026-03-29T13:00:00Z', '2026-04-05T13:30:00Z'],
      ['2026-03-30T13:00:00Z', '2026-04-06T13:30:00Z'],
    ],
  },
  {
    zone: 'Africa/Monrovia',
    math: 'weekly_active',
    days: ['1972-01-08', '1972-01-10'],
    windows: [
      ['1972-01-02T00:44:30Z', '1972-01-09T00:00:00Z'],
      ['1972-01-03T00:44:30Z', '1972-01-10T00:00:00Z'],
      ['1972-01-04T00:44:30Z', '1972-01-11T00:00:00Z'],
    ],
  },
  {
    zone: 'America/New_York',
    math: 'monthly_active',
    days: ['2026-03-07', '2026-03-09'],
    windows: [
      ['2026-02-06T05:00:00Z', '2026-03-08T05:00:00Z'],
      ['2026-02-07T05:00:00Z', '2026-03-09T04:00:00Z'],
      ['2026-02-08T05:00:00Z', '2026-03-10T04:00:00Z'],
    ],
  },
  {
    zone: 'Africa/Monrovia',
    math: 'monthly_active',
    days: ['1972-01-30', '1972-02-01'],
    windows: [
      ['1972-01-01T00:44:30Z', '1972-01-31T00:00:00Z'],
      ['1972-01-02T00:44:30Z', '1972-02-01T00:00:00Z'],
      ['1972-01-03T00:44:30Z', '1972-02-02T00:00:00Z'],
    ],
  },
]

test.each(WINDOWS.map((window) => [window.math, window.zone, window] as const))(
  'a materialized %s in %s counts people active within the exact trailing days',
  async (math, zone, { days: [date_from, date_to], windows }) => {
    const spans = windows.map(([begin, end]) => [at(begin), at(end)] as const)
    const { projectId, times } = await storeAround(spans.flat())
    const [{ data }] = (await ask<Trend>(
      projectId,
      { kind: 'TrendsQuery', series: [{ ...SERIES, math }], dateRange: { date_from, date_to } },
      { zone },
    )) as [Trend]
    expect(data).toEqual(spans.map(([begin, end]) => between(times, begin, end).length))
  },
)

test.each([
  ['weekly_active', '2026-03-23T10:07:30.501Z'],
  ['monthly_active', '2026-02-28T10:07:30.501Z'],
])('a materialized total-value %s counts back from the exact time of the run', async (math, begin) => {
  const [from, until] = [at(begin), at('2026-03-30T09:07:30.501Z')]
  const { projectId, times } = await storeAround([from, until])
  const query = {
    kind: 'TrendsQuery',
    series: [{ ...SERIES, math }],
    trendsFilter: { display: 'BoldNumber' },
    dateRange: { date_from: '2026-03-30T00:00:00', date_to: '2026-03-30T09:07:30.500Z', explicitDate: true },
  }
  const [{ aggregated_value: value }] = (await ask<BoldNumber>(projectId, query, { zone: 'Europe/Berlin' })) as [
    BoldNumber,
  ]
  expect(value).toBe(between(times, from, until).length)
})
