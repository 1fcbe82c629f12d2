import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { ask, store } from './support/store.ts'
import type { SeenEvent } from './support/reference.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const NAMES = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB'] as const
type Name = (typeof NAMES)[number]
const LIMITS: Record<Name, [number, number]> = {
  LCP: [2500, 4000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
  FCP: [1800, 3000],
  TTFB: [800, 1800],
}

/** One report of a metric. `id`: of the metric of a page view; later reports replace earlier ones. */
interface Report {
  readonly name: Name
  readonly id: string
  readonly value: number
  readonly at: number
  readonly isSoft: boolean
  readonly page: string | undefined
  readonly device: string
}

const toEvent = ({ name, id, value, at, isSoft, page, device }: Report): SeenEvent => ({
  event: '$web_vitals',
  person: 'ann',
  session: 's',
  at,
  properties: {
    [`$web_vitals_${name}_value`]: value,
    [`$web_vitals_${name}_event`]: { name, id, value, navigationType: isSoft ? 'soft-navigation' : 'navigate' },
    ...(page === undefined ? {} : { $pathname: page }),
    $device_type: device,
  },
})

/** What the definitions say, computed from the reports one by one. */
const expected = (reports: readonly Report[]) => {
  const last = new Map<string, Report>()
  for (const report of [...reports].sort((a, b) => a.at - b.at)) last.set(`${report.name} ${report.id}`, report)
  const values = (name: Name) =>
    [...last.values()]
      .filter((each) => each.name === name)
      .map(({ value }) => value)
      .sort((a, b) => a - b)
  return (name: Name) => {
    const sorted = values(name)
    const [good, poor] = LIMITS[name]
    const at = (level: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * level))] ?? null
    const p75 = at(0.75)
    return {
      count: sorted.length,
      good: sorted.filter((value) => value <= good).length,
      needs_improvement: sorted.filter((value) => value > good && value <= poor).length,
      poor: sorted.filter((value) => value > poor).length,
      p75,
      p90: at(0.9),
      p99: at(0.99),
      rating: p75 === null ? null : p75 <= good ? 'good' : p75 <= poor ? 'needs improvement' : 'poor',
    }
  }
}

const START = Date.UTC(2026, 0, 26)
const reportArbitrary = fc
  .record({
    name: fc.constantFrom(...NAMES),
    view: fc.nat(30),
    share: fc.double({ min: 0, max: 2.5, noNaN: true }),
    // Each report has a different time, as on real pages.
    page: fc.constantFrom('/', '/shop', '/pay', undefined),
    device: fc.constantFrom('Desktop', 'Mobile'),
    isSoft: fc.boolean(),
  })
  .map(({ view, share, ...rest }) => ({
    ...rest,
    id: `v6-${view}-${rest.isSoft}`,
    value: share * LIMITS[rest.name][1],
  }))

const DATES = { dateRange: { date_from: '2026-01-26', date_to: '2026-01-30' } }
const results = async (projectId: number, query: object) =>
  (await ask(engine, { kind: 'WebVitalsQuery', ...DATES, ...query }, { projectId })) as any

let projects = 10
test('quantiles, ratings, breakdowns and intervals equal those of the last report of each metric and page view', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reportArbitrary, { minLength: 1, maxLength: 120 }), async (random) => {
      const projectId = (projects += 1)
      const reports = random.map((each, index): Report => ({ ...each, at: START + index * 3_333_333 }))
      await store(engine, projectId, reports.map(toEvent))
      const ofPeriod = reports.filter(({ at }) => at < START + 5 * 86_400_000)
      for (const navigation of ['hard', 'soft']) {
        const seen = ofPeriod.filter(({ isSoft }) => isSoft === (navigation === 'soft'))
        const all = await results(projectId, { navigation, metrics: NAMES })
        for (const name of NAMES) {
          const wanted = expected(seen)(name)
          expect(all.results[0]?.metrics[name] ?? expected([])(name)).toEqual(wanted)
        }
        const byDay = await results(projectId, { navigation, metrics: NAMES, interval: 'day' })
        expect(byDay.series.days).toHaveLength(5)
        const perDay = NAMES.map((name) =>
          byDay.series.counts[name].reduce((sum: number, each: number) => sum + each, 0),
        )
        expect(perDay).toEqual(NAMES.map((name) => expected(seen)(name).count))

        const byPage = await results(projectId, { navigation, breakdownBy: 'Page', metrics: NAMES })
        // A metric belongs to the page of its last report.
        const last = new Map<string, Report>()
        for (const report of seen) last.set(`${report.name} ${report.id}`, report)
        const pages = new Set([...last.values()].map(({ page }) => page ?? null))
        expect(new Set(byPage.results.map((row: any) => row.breakdown_value))).toEqual(pages)
        for (const row of byPage.results)
          for (const name of NAMES)
            expect(row.metrics[name]).toEqual(
              expected([...last.values()].filter(({ page }) => (page ?? null) === row.breakdown_value))(name),
            )
      }
    }),
    { numRuns: 8 },
  )
})

test('series have the p75 of each interval, and null without values', async () => {
  const at = (day: number) => START + day * 86_400_000
  const report = (day: number, value: number, index: number): Report => ({
    name: 'LCP',
    id: `${day} ${index}`,
    value,
    at: at(day) + index,
    isSoft: false,
    page: '/',
    device: 'Desktop',
  })
  await store(
    engine,
    2,
    [100, 200, 300, 400].map((value, index) => toEvent(report(0, value, index))),
  )
  await store(engine, 2, [toEvent(report(2, 5000, 0))])
  const { series, thresholds, results: rows } = await results(2, { interval: 'day', metrics: ['LCP'] })
  expect(series.data).toEqual({ LCP: [400, null, 5000, null, null] })
  expect(series.counts).toEqual({ LCP: [4, 0, 1, 0, 0] })
  expect(thresholds).toEqual({ LCP: [2500, 4000] })
  expect(rows[0].metrics.LCP).toMatchObject({ count: 5, good: 4, poor: 1, p75: 400, p99: 5000, rating: 'good' })
})

test('events of other SDKs count: several metrics in one event, no id, no navigation type, numbers as text', async () => {
  const event = (properties: object): SeenEvent => ({
    event: '$web_vitals',
    person: 'ann',
    session: '',
    at: START + 1,
    properties: { ...properties },
  })
  await store(engine, 3, [
    event({ $web_vitals_LCP_value: 1000, $web_vitals_FCP_value: 500, $web_vitals_CLS_value: null }),
    event({ $web_vitals_LCP_value: '3000', $web_vitals_LCP_event: 'broken' }),
    event({ $web_vitals_LCP_value: 'slow' }),
  ])
  const { results: rows } = await results(3, {})
  expect(rows).toHaveLength(1)
  expect(rows[0].metrics.LCP).toMatchObject({ count: 2, p75: 3000 })
  expect(rows[0].metrics.FCP).toMatchObject({ count: 1, p75: 500 })
  expect(rows[0].metrics.CLS).toEqual(expected([])('CLS'))
})

test('pages are limited, the ones with the most values first', async () => {
  const reports = Array.from({ length: 30 }, (_, index): Report => ({
    name: 'FCP',
    id: `p${index}`,
    value: index,
    at: START + index,
    isSoft: false,
    page: index < 20 ? '/often' : index < 29 ? '/less' : '/once',
    device: 'Desktop',
  }))
  await store(engine, 4, reports.map(toEvent))
  const first = await results(4, { breakdownBy: 'Page', limit: 2 })
  expect(first.results.map((row: any) => [row.breakdown_value, row.metrics.FCP.count])).toEqual([
    ['/often', 20],
    ['/less', 9],
  ])
  expect(first.hasMore).toBe(true)
  const rest = await results(4, { breakdownBy: 'Page', limit: 2, offset: 2 })
  expect(rest.results.map((row: any) => row.breakdown_value)).toEqual(['/once'])
  const mobile = await results(4, { properties: [{ key: '$pathname', value: '/less' }] })
  expect(mobile.results[0].metrics.FCP.count).toBe(9)
})

test.each([
  [{ metrics: ['FID'] }, 'metrics'],
  [{ metrics: [] }, 'metrics'],
  [{ navigation: 'any' }, 'navigation'],
  [{ breakdownBy: 'City' }, 'breakdownBy'],
  [{ breakdownBy: 'Page', interval: 'day' }, 'interval'],
  [{ percentile: 75 }, 'percentile'],
])('%j is rejected with its field', async (query, field) => {
  await expect(results(1, query)).rejects.toMatchObject({ details: { detail: expect.stringContaining(field) } })
})
