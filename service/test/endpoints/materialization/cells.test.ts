import fc from 'fast-check'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import type { BoundValue } from '../../../src/sql/compile.ts'
import { materialize, type SeenEvent, store } from './support/store.ts'

let engine: TestEngine
let projects = 10_000

beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000
const BUILT = Date.parse('2026-02-01T00:00:00Z')

const hour = fc.constantFrom(0, 1, 2, 22, 23, 24, 25, 47, 48, 49, 72, 100).map((each) => START + each * HOUR)
const instant = fc.oneof(
  fc.tuple(hour, fc.constantFrom(-1, 0, 1)).map(([at, ms]) => at + ms),
  fc.tuple(hour, fc.integer({ min: 0, max: HOUR - 1 })).map(([at, ms]) => at + ms),
)
const seenEvent: fc.Arbitrary<SeenEvent> = fc.record({
  event: fc.constantFrom('visit', 'visit', 'buy'),
  person: fc.constantFrom('ann', 'ben', 'cat', 'dan', 'eve'),
  at: instant,
  seenAt: fc.constantFrom(BUILT - HOUR, BUILT - 1, BUILT, BUILT + HOUR),
  properties: fc.record(
    {
      plan: fc.constantFrom('free', 'pro', '', 'Ärger', '\u{1f600}', '\uff5e', null),
      items: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom('7', 'many', true, null)),
      paid: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})
const timestamp = instant.map((ms): BoundValue => ({
  type: "DateTime64(3, 'UTC')",
  value: new Date(ms).toISOString().replace('T', ' ').replace('Z', ''),
}))
const day = fc
  .constantFrom('2026-01-01', '2026-01-02', '2026-01-03', '2026-01-05')
  .map((value): BoundValue => ({ type: 'Date', value }))
const VALUES = {
  event: fc.constantFrom('visit', 'buy', 'none').map((value): BoundValue => ({ type: 'String', value })),
  from: fc.oneof(timestamp, day),
  to: fc.oneof(timestamp, day),
} as const
const TYPES = { event: 'String', from: 'Date', to: 'Date' }
const RANGE = 'timestamp >= {variables.from} AND timestamp < {variables.to}'

/** Queries that the service finishes. */
const QUERIES: Readonly<Record<string, string>> = {
  'counts by day': `SELECT toStartOfDay(timestamp) AS day, count() AS n FROM events WHERE event = {variables.event} AND ${RANGE} GROUP BY day ORDER BY day`,
  'sums by plan': `SELECT properties.plan AS plan, sum(toInt(properties.items)) AS items, count() AS n FROM events WHERE event = {variables.event} AND timestamp >= {variables.from} GROUP BY plan ORDER BY plan`,
  'null first, text backwards': `SELECT properties.plan AS plan, countIf(properties.paid) AS n, sumIf(toInt(properties.items), properties.paid) AS s FROM events WHERE ${RANGE} GROUP BY plan ORDER BY plan DESC NULLS FIRST`,
  'counts with a page': `SELECT distinct_id, count() AS n FROM events WHERE timestamp <= {variables.to} GROUP BY distinct_id ORDER BY n DESC, distinct_id LIMIT 3 OFFSET 1`,
  'people by day': `SELECT toStartOfDay(timestamp) AS day, uniq(distinct_id) AS people, count() AS n FROM events WHERE event = {variables.event} AND ${RANGE} GROUP BY day ORDER BY day`,
  'people by hour and plan': `SELECT toStartOfHour(timestamp) AS hour, properties.plan AS plan, uniqExact(distinct_id) AS people, avg(toFloat(properties.items)) AS mean FROM events WHERE ${RANGE} GROUP BY hour, plan ORDER BY hour, plan`,
  'extremes by week': `SELECT toStartOfWeek(timestamp) AS week, min(timestamp) AS first, max(toInt(properties.items)) AS most FROM events WHERE ${RANGE} GROUP BY week ORDER BY week`,
  'groups of all time': `SELECT event, properties.plan AS plan, uniq(distinct_id) AS people FROM events WHERE event = {variables.event} GROUP BY event, plan ORDER BY plan`,
  'people and sums by day': `SELECT toStartOfDay(timestamp) AS day, count(DISTINCT distinct_id) AS people, uniqIf(distinct_id, properties.paid) AS paying, uniq(properties.plan, distinct_id) AS pairs, count() AS n, sum(toInt(properties.items)) AS items FROM events WHERE event = {variables.event} AND ${RANGE} GROUP BY day ORDER BY day`,
  'people by plan': `SELECT properties.plan AS plan, uniq(distinct_id) AS people, uniqExactIf(properties.items, event = 'buy') AS items FROM events WHERE ${RANGE} GROUP BY plan ORDER BY people DESC, plan`,
  'people by day and plan, backwards': `SELECT toStartOfDay(timestamp) AS day, properties.plan AS plan, uniq(person_id) AS people FROM events WHERE ${RANGE} GROUP BY day, plan ORDER BY day DESC, plan DESC`,
  'people in all': `SELECT count(DISTINCT distinct_id) AS people, count() AS n, sum(toInt(properties.items)) AS items FROM events WHERE event = {variables.event} AND ${RANGE}`,
  'counts in all': `SELECT count() AS n, sum(toInt(properties.items)) AS items FROM events WHERE ${RANGE}`,
  'people ever': `SELECT uniq(person_id) AS people, avg(toFloat(properties.items)) AS mean FROM events WHERE event = {variables.event}`,
  'counts of all time': `SELECT properties.plan AS plan, count() AS n FROM events WHERE event = {variables.event} GROUP BY plan ORDER BY n DESC, plan`,
}
const namesIn = (query: string) => [
  ...new Set([...query.matchAll(/\{variables\.(\w+)\}/g)].map(([, name]) => name as keyof typeof VALUES)),
]

describe('a run finished from cells returns the rows of a live run', () => {
  test.each(Object.entries(QUERIES))('%s', async (_, query) => {
    const names = namesIn(query)
    const types = Object.fromEntries(names.map((each) => [each, TYPES[each]]))
    const values = fc.record(Object.fromEntries(names.map((each) => [each, VALUES[each]])))
    let finishedRuns = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(seenEvent, { minLength: 30, maxLength: 60 }),
        fc.array(seenEvent, { minLength: 1, maxLength: 5 }),
        fc.array(values, { minLength: 6, maxLength: 10 }),
        fc.boolean(),
        async (events, late, runs, isComplete) => {
          const projectId = (projects += 1)
          await store(engine, projectId, events)
          const watermark = isComplete ? BUILT + 2 * HOUR : BUILT
          const stored = await materialize(engine, projectId, query, types, watermark, isComplete)
          const check = async () => {
            for (const each of runs) {
              const { live, finished } = await stored.run(each)
              if (!finished) continue
              finishedRuns += 1
              expect({ each, rows: finished }).toEqual({ each, rows: live })
            }
          }
          try {
            await check()
            // Events that arrive between runs, some of them for days that are in memory.
            if (isComplete) return
            await store(
              engine,
              projectId,
              late.map((each) => ({ ...each, seenAt: BUILT + 3 * HOUR })),
            )
            await check()
          } finally {
            await stored.drop()
          }
        },
      ),
      { numRuns: randomRuns(3), endOnFailure: true },
    )
    expect(finishedRuns).toBeGreaterThan(0)
  })
})
