import fc from 'fast-check'
import { planRun, type RunPlan } from '../../src/endpoints/planRun.ts'
import { planOf } from '../../src/endpoints/materialization/plan.ts'
import { parseQuery } from '../../src/sql/compile.ts'
import type { Endpoint, EndpointVersion } from '../../src/storage/metadata/metadata.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { createSpeeds, type SourceName } from '../../src/endpoints/speeds.ts'

const MINUTE = 60_000
const ALLOWANCE = {
  seconds: 10,
  memoryBytes: 1e9,
  rows: 100,
  streamRows: 100,
  perMinute: 100,
  perHour: 100,
  atOnce: 10,
}

const measured = (...runs: readonly (readonly [SourceName, number])[]) => {
  const clock = { now: 0 }
  const speeds = createSpeeds({ now: () => clock.now })
  const note = (source: SourceName, ms: number) => speeds.note('v', source, ms)
  for (const [source, ms] of runs) note(source, ms)
  return { clock, note, choose: () => speeds.choose('v'), ofOther: () => speeds.choose('w') }
}
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test('reads the table until both sources are measured', () => {
  expect(measured().choose()).toEqual({ source: 'table', reason: 'not_measured' })
  const few = measured(...times(9, ['table', 50] as const), ...times(2, ['live', 1] as const))
  expect(few.choose()).toMatchObject({ source: 'table', reason: 'not_measured', tableMs: 50 })
  few.note('live', 1)
  expect(few.choose()).toEqual({ source: 'live', reason: 'live_is_quicker', liveMs: 1, tableMs: 50 })
  expect(few.ofOther()).toEqual({ source: 'table', reason: 'not_measured' })
})

test('reads the events only if they are clearly quicker, and then until they are slower', () => {
  const { choose, note } = measured(...times(9, ['table', 10] as const), ...times(9, ['live', 9] as const))
  expect(choose()).toMatchObject({ source: 'table', reason: 'table_is_quicker' })
  for (let run = 0; run < 5; run += 1) note('live', 7)
  expect(choose().source).toBe('live')
  for (let run = 0; run < 5; run += 1) note('live', 9)
  expect(choose().source).toBe('live')
  for (let run = 0; run < 5; run += 1) note('live', 11)
  expect(choose()).toMatchObject({ source: 'table', reason: 'table_is_quicker', liveMs: 11, tableMs: 10 })
})

test('one slow run changes nothing', () => {
  const { choose, note } = measured(...times(4, ['table', 2] as const), ...times(4, ['live', 5] as const))
  note('table', 5_000)
  expect(choose().source).toBe('table')
})

test('measures the table again after half an hour', () => {
  const { clock, choose, note } = measured(...times(3, ['table', 50] as const), ...times(3, ['live', 5] as const))
  expect(choose().source).toBe('live')
  clock.now = 29 * MINUTE
  for (let run = 0; run < 3; run += 1) note('live', 5)
  expect(choose().source).toBe('live')
  clock.now = 31 * MINUTE
  expect(choose()).toMatchObject({ source: 'table', reason: 'not_measured', liveMs: 5 })
  for (let run = 0; run < 3; run += 1) note('table', 2)
  expect(choose()).toMatchObject({ source: 'table', reason: 'table_is_quicker' })
})

test('never reads the slower source for long, whatever the measures', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100 }), fc.nat({ max: 100 }), (live, table) => {
      const { choose, note } = measured(...times(3, ['live', live] as const))
      for (let run = 0; run < 20; run += 1) {
        const { source } = choose()
        note(source, source === 'live' ? live : table)
      }
      expect(choose().source).toBe(live * 1.25 < table ? 'live' : 'table')
    }),
  )
})

test('always reads the table if configured', () => {
  const speeds = createSpeeds({ isTableFixed: true })
  for (let run = 0; run < 9; run += 1) {
    speeds.note('v', 'live', 1)
    speeds.note('v', 'table', 100)
  }
  expect(speeds.choose('v')).toEqual({ source: 'table', reason: 'not_measured' })
})

test('a run reads the source that was quicker, and says so', () => {
  const parsed = parseQuery('SELECT count() AS n FROM events WHERE event = {variables.event}')
  const plan = planOf(parsed, [{ codeName: 'event', type: 'String', values: [] } as never])
  if (!('table' in plan)) throw new Error('The query can be materialized')
  const { signature } = plan.table
  const table = {
    table: 'rollup_1',
    watermark: '2026-01-01 00:00:00.000',
    layers: [{ id: 1, rows: 1, events: 1 }],
    bytes: 1,
    builtAt: '',
    signature,
  }
  const version = { id: 'v' } as EndpointVersion
  const prepared = {
    queryId: 'v',
    stored: { endpoint: {} as Endpoint, version },
    work: { kind: 'sql', parsed, values: { event: { type: 'String', value: 'a' } }, assumed: {} },
    maxAgeSeconds: 60,
    toleratesNewEvents: false,
  } as const
  const request = { projectId: 1, endpoint: 'e', variables: {}, key: { id: 'k', label: 'k' }, signal: NO_CALLER }
  const { choose, note } = measured(...times(3, ['table', 50] as const), ...times(3, ['live', 5] as const))
  const planned = (more: object = {}) =>
    planRun(
      prepared,
      { ...request, ...more },
      {
        materializations: { isEnabled: () => true, stored: () => table },
        allowance: ALLOWANCE,
        choose,
      },
    )
  const texts = ({ sources }: RunPlan) => (sources().stored?.statements ?? sources().live)().map(({ text }) => text)
  expect(planned().choice).toEqual({ source: 'live', reason: 'live_is_quicker', liveMs: 5, tableMs: 50 })
  expect(texts(planned()).join()).not.toContain('rollup_1')
  expect(planned({ refresh: 'direct' }).choice).toEqual({ source: 'live', reason: 'requested' })
  for (let run = 0; run < 9; run += 1) note('table', 1)
  expect(planned().choice).toMatchObject({ source: 'table', reason: 'table_is_quicker' })
  expect(texts(planned()).join()).toContain('rollup_1')
})

test('knows a limited number of versions', () => {
  const speeds = createSpeeds()
  for (const version of ['first', ...Array.from({ length: 5_000 }, (_, at) => `${at}`), 'last'])
    for (let run = 0; run < 3; run += 1) {
      speeds.note(version, 'live', 1)
      speeds.note(version, 'table', 100)
    }
  expect(speeds.choose('first').reason).toBe('not_measured')
  expect(speeds.choose('last').source).toBe('live')
})
