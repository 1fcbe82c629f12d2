import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../../ingest/support/startIngest.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { ask, type AskOptions } from './support/store.ts'
import { TABLES } from '../../support/schema.ts'

let engine: TestEngine
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: TABLES })
let uuids = 0
const event = (name: string, id: string, day: number, properties: object = {}, hour = 10) => ({
  uuid: `00000000-0000-0000-0000-${String(++uuids).padStart(12, '0')}`,
  event: name,
  timestamp: new Date(Date.UTC(2026, 0, day, hour)).toISOString(),
  properties: { distinct_id: id, ...properties },
})
const company = (key: string) => ({ $groups: { company: key } })

beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
  await deliver(startIngest(storage), 1, [
    event('visit', 'anon 1', 5, { $session_id: 's1', $current_url: '/in', ...company('acme') }),
    event(
      '$identify',
      'ann',
      5,
      { $anon_distinct_id: 'anon 1', $session_id: 's1', $set: { plan: 'pro', age: 40 } },
      11,
    ),
    event('visit', 'ann', 5, { $session_id: 's1', $current_url: '/out', ...company('zeta') }, 12),
    event('visit', 'anon 2', 6, { $session_id: 's2', $current_url: '/other', ...company('acme') }),
    event('$identify', 'ann', 6, { $anon_distinct_id: 'anon 2', $set: { plan: 'pro' } }, 11),
    event('visit', 'ben', 6, { $set: { plan: 'free', age: '20' } }, 12),
    event('visit', 'cat', 7, { $process_person_profile: false }),
    event('$groupidentify', 'ben', 7, { $group_type: 'company', $group_key: 'acme', $group_set: { size: 'big' } }),
  ])
  await deliver(startIngest(storage), 2, [
    event('visit', 'ben', 6, {
      $set: { plan: 'theirs' },
      $session_id: 's1',
      $current_url: '/theirs',
      ...company('acme'),
    }),
    event('$identify', 'ann', 7, { $anon_distinct_id: 'cat', $set: { plan: 'theirs' } }),
    event('$groupidentify', 'ben', 7, { $group_type: 'company', $group_key: 'acme', $group_set: { size: 'theirs' } }),
  ])
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const trends = (series: object = {}, more: object = {}) => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'visit', ...series }],
  dateRange: { date_from: '2026-01-05', date_to: '2026-01-07' },
  ...more,
})
const linesOf = async (query: object, options: AskOptions = {}): Promise<unknown> =>
  Object.fromEntries((await ask(engine, query, options)).results.map(({ label, data }) => [label, data]))

test.each([
  ['dau', [1, 2, 1]],
  ['weekly_active', [1, 2, 3]],
  ['first_time_for_user', [1, 1, 1]],
  ['avg_count_per_actor', [2, 1, 1]],
  ['total', [2, 2, 1]],
])('a trend of %s counts a person once for all distinct IDs', async (math, data) => {
  expect(await linesOf(trends({ math }))).toEqual({ visit: data })
})

test('a trend counts groups by type', async () => {
  expect(await linesOf(trends({ math: 'unique_group', math_group_type_index: 0 }))).toEqual({ visit: [2, 1, 0] })
  expect(await linesOf(trends({ math: 'unique_group', math_group_type_index: 3 }))).toEqual({ visit: [0, 0, 0] })
})

test('a trend aggregates properties of persons and sessions', async () => {
  expect(await linesOf(trends({ math: 'max', math_property: 'age', math_property_type: 'person_properties' }))).toEqual(
    { visit: [40, 40, 0] },
  )
  expect(
    await linesOf(
      trends({ math: 'max', math_property: '$session_duration', math_property_type: 'session_properties' }),
    ),
  ).toEqual({ visit: [7200, 0, 0] })
})

test.each<[string, object, unknown]>([
  [
    'a person',
    { breakdown: 'plan', breakdown_type: 'person' },
    { pro: [2, 1, 0], free: [0, 1, 0], '(none)': [0, 0, 1] },
  ],
  [
    'a session',
    { breakdown: '$entry_current_url', breakdown_type: 'session' },
    { '/in': [2, 0, 0], '/other': [0, 1, 0], '(none)': [0, 1, 1] },
  ],
  [
    'a group',
    { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 },
    { big: [1, 1, 0], '(none)': [1, 1, 1] },
  ],
  [
    'several',
    {
      breakdowns: [
        { property: 'plan', type: 'person' },
        { property: '$pageview_count', type: 'session' },
        { property: 'size', type: 'group', group_type_index: 0 },
      ],
    },
    expect.objectContaining({ 'pro::0::big': [1, 1, 0], 'pro::0::(none)': [1, 0, 0] }),
  ],
])('breaks a trend down by a property of %s', async (_, breakdownFilter, lines) => {
  expect(await linesOf(trends({}, { breakdownFilter }))).toEqual(lines)
})

test.each<[string, object, number[]]>([
  ['a person', { key: 'plan', type: 'person', value: 'pro' }, [2, 1, 0]],
  ['a person with is_not', { key: 'plan', type: 'person', operator: 'is_not', value: 'pro' }, [0, 1, 1]],
  ['a person, by number', { key: 'age', type: 'person', operator: 'lt', value: 30 }, [0, 1, 0]],
  ['a session', { key: '$session_duration', type: 'session', operator: 'gt', value: 100 }, [2, 0, 0]],
  [
    'a session, by time',
    { key: '$start_timestamp', type: 'session', operator: 'is_date_before', value: '2026-01-06' },
    [2, 0, 0],
  ],
  ['a group', { key: 'size', type: 'group', group_type_index: 0, value: ['big'] }, [1, 1, 0]],
])('filters a trend by a property of %s', async (_, filter, data) => {
  expect(await linesOf(trends({}, { properties: [filter] }))).toEqual({ visit: data })
})

test('a run variable selects one value of a breakdown by a person property', async () => {
  const query = trends({ math: 'dau' }, { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } })
  expect(await linesOf(query, { variables: { plan: 'free' } })).toEqual({ free: [0, 1, 0] })
  expect(await linesOf(query, { variables: { plan: '' } })).toEqual({ '(none)': [0, 0, 1] })
})

test('a trend in another project reads only its people', async () => {
  expect(
    await linesOf(trends({}, { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } }), { projectId: 2 }),
  ).toEqual({ theirs: [0, 1, 0] })
})

test.each<[string, object, unknown]>([
  ['persons', {}, [3, 1]],
  ['groups of a type', { aggregation_group_type_index: 0 }, [2, 1]],
  ['groups of a type without events', { aggregation_group_type_index: 3 }, [0, 0]],
])('a funnel counts %s', async (_, more, counts) => {
  const visit = { kind: 'EventsNode', event: 'visit' }
  const { results } = await ask(engine, {
    kind: 'FunnelsQuery',
    series: [visit, visit],
    dateRange: { date_from: '2026-01-05', date_to: '2026-01-07' },
    ...more,
  })
  expect((results as { count: number }[]).map(({ count }) => count)).toEqual(counts)
})

test.each<[string, object, unknown]>([
  [
    'persons',
    {},
    [
      [1, 1, 0],
      [1, 0, 0],
      [1, 0, 0],
    ],
  ],
  [
    'groups of a type',
    { aggregation_group_type_index: 0 },
    [
      [2, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
  ],
])('retention counts %s', async (_, more, counts) => {
  const retentionFilter = {
    retentionType: 'retention_first_time',
    targetEntity: { id: 'visit', type: 'events' },
    returningEntity: { id: 'visit', type: 'events' },
    period: 'Day',
    totalIntervals: 3,
  }
  const { results } = await ask(engine, {
    kind: 'RetentionQuery',
    retentionFilter,
    dateRange: { date_from: '2026-01-05', date_to: '2026-01-07' },
    ...more,
  })
  expect((results as { values: { count: number }[] }[]).map(({ values }) => values.map(({ count }) => count))).toEqual(
    counts,
  )
})
