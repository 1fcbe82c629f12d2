import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRetentionStore } from '../../src/retention/store.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, rowsOf } from '../support/api.ts'
import { type EngineAccess, engineOf, until } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

const DAY_MS = 24 * 3_600_000
const SHORT_INTERVALS = pathToFileURL(join(__dirname, '../support/shortIntervals.mjs')).href

let service: RunningService
let other: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>
let engine: EngineAccess

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const sold = (days: number, distinct_id: string, more: Record<string, unknown> = {}) =>
  event('sold', { timestamp: daysAgo(days) }, { distinct_id, ...more })
const namesOf = async (target: Parameters<typeof rowsOf>[0] = service) =>
  (await rowsOf(target, 'SELECT event, distinct_id FROM events ORDER BY event, distinct_id')).map((row) =>
    row.join(' '),
  )
/** Stored rows of the service's project, whether they are hidden or not. */
const stored = async (table = 'events', project = service.projectId) =>
  Number((await engine.ask('writer', `SELECT count() FROM db.${table} WHERE project_id = ${project}`))[0]![0])
const keep = (policy: object) =>
  api(service, 'PUT', '/retention', { days: null, events: [], heatmap_days: null, recording_days: null, ...policy })
/** The rows of an endpoint from its table. */
const materialized = async (name: string) => {
  let rows: unknown
  await until(async () => {
    const { body } = await api(service, 'POST', `/endpoints/${name}/run`, {})
    rows = body.results
    return body.endpoint_materialized === true
  })
  return rows
}

/** The number of events of the materialized trend. */
const trend = async () => ((await materialized('trend')) as { count: number }[])[0]!.count

beforeAll(async () => {
  service = await startService({
    env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0', NODE_OPTIONS: `--import=${SHORT_INTERVALS}` },
  })
  engine = engineOf(service.data)
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'the-key-of-another',
    scopes: ['endpoint:read', 'endpoint:write', 'project:read', 'project:write'],
  })
  await metadata.close()
  other = { url: service.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
  const batch = [
    sold(400, 'ann'),
    sold(40, 'bob'),
    sold(1, 'cleo'),
    event("o'$exception\\", { timestamp: daysAgo(400) }, { distinct_id: 'ann' }),
    event("o'$exception\\", { timestamp: daysAgo(1) }, { distinct_id: 'bob' }),
    event(
      '$$heatmap',
      { timestamp: daysAgo(40) },
      {
        distinct_id: 'bob',
        $heatmap_data: { 'https://example.com/': [{ type: 'click', x: 1, y: 1 }] },
        $viewport_width: 100,
        $viewport_height: 100,
      },
    ),
  ]
  await capture(service, ...batch)
  await capture(other, ...batch)
  await api(service, 'POST', '/endpoints/', {
    name: 'sales',
    query: {
      kind: 'HogQLQuery',
      query: "SELECT distinct_id AS id, count() AS n FROM events WHERE event = 'sold' GROUP BY id ORDER BY id",
    },
    is_materialized: true,
  })
  await api(service, 'POST', '/endpoints/', {
    name: 'trend',
    query: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'sold' }],
      interval: 'week',
      dateRange: { date_from: '-98d' },
    },
    is_materialized: true,
  })
  expect(await trend()).toBe(2)
  expect(await materialized('sales')).toEqual([
    ['ann', 1],
    ['bob', 1],
    ['cleo', 1],
  ])
}, 240_000)
afterAll(async () => {
  await service.stop()
  rmSync(service.data, { recursive: true, force: true })
})

test('what is older than a project keeps is hidden at once, also in materialized tables, and no other project changes', async () => {
  const before = await namesOf(other)
  const { status, body } = await keep({ days: 30, heatmap_days: 30 })
  expect([status, body]).toEqual([
    200,
    {
      days: 30,
      events: [],
      heatmap_days: 30,
      recording_days: null,
      hidden_before: {
        events: expect.stringMatching(/T00:00:00.000Z$/),
        heatmaps: expect.stringMatching(/T00:00:00.000Z$/),
        recordings: null,
      },
      changed_at: expect.any(String),
      changed_by: 'first key',
      deletes_at: new Date(Date.parse(body.changed_at) + DAY_MS).toISOString(),
    },
  ])
  const left = ["o'$exception\\ bob", 'sold cleo']
  expect(await namesOf()).toEqual(left)
  expect((await api(service, 'POST', '/endpoints/sales/run', {})).body.results).toEqual([['cleo', 1]])
  expect(await materialized('sales')).toEqual([['cleo', 1]])
  expect(await trend()).toBe(1)
  expect((await api(service, 'GET', '/heatmaps/pages?date_from=-90d')).body.results).toEqual([])
  expect(
    (await api(service, 'GET', '/events/?after=2020-01-01T00:00:00Z')).body.results
      .map((each: { event: string }) => each.event)
      .sort(),
  ).toEqual(left.map((each) => each.split(' ')[0]))
  expect(await namesOf(other)).toEqual(before)

  // A late event is stored, and hidden.
  await capture(service, sold(50, 'late'))
  expect(await namesOf()).toEqual(left)
  expect(await materialized('sales')).toEqual([['cleo', 1]])
  expect(await trend()).toBe(1)
})

test('an event can be kept longer or shorter than others, and what is hidden is shown again until it is deleted', async () => {
  await keep({
    days: 30,
    events: [
      { event: "o'$exception\\", days: 500 },
      { event: 'sold', days: null },
    ],
  })
  expect(await namesOf()).toEqual([
    "o'$exception\\ ann",
    "o'$exception\\ bob",
    'sold ann',
    'sold bob',
    'sold cleo',
    'sold late',
  ])
  await keep({ events: [{ event: 'sold', days: 100 }] })
  expect(await namesOf()).toEqual(["o'$exception\\ ann", "o'$exception\\ bob", 'sold bob', 'sold cleo', 'sold late'])
  expect(await materialized('sales')).toEqual([
    ['bob', 1],
    ['cleo', 1],
    ['late', 1],
  ])
  expect(
    await keep({
      events: [
        { event: 'x', days: 1 },
        { event: 'x', days: 2 },
      ],
    }),
  ).toMatchObject({
    status: 400,
    body: { attr: 'events', detail: '"events" has "x" twice.' },
  })
  expect(await keep({ days: 0 })).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('hidden rows are deleted a day after the change, with a receipt', async () => {
  await keep({ days: 30, heatmap_days: 30 })
  expect([await stored(), await stored('heatmaps')]).toEqual([6, 1])
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const store = metadata.store(createRetentionStore)
  await store.change(service.projectId, (state) => ({ ...state, changedAt: daysAgo(2) }))
  await metadata.close()
  const receipt = async () =>
    (await api(service, 'GET', '/deletions')).body.results.find(
      ({ kind, state }: { kind: string; state: string }) => kind === 'retention' && state === 'done',
    )
  await until(async () => (await receipt()) !== undefined)
  expect(await receipt()).toMatchObject({ deleted: { events: 4, heatmaps: 1 }, created_by: 'retention' })
  expect([await stored(), await stored('heatmaps')]).toEqual([2, 0])
  expect(await stored('events', other.projectId)).toBe(5)
  expect(await materialized('sales')).toEqual([['cleo', 1]])
  // Once a month.
  expect(Date.parse((await api(service, 'GET', '/retention')).body.deletes_at)).toBeGreaterThan(Date.now())
  expect(
    (await api(service, 'GET', '/deletions')).body.results.filter(({ kind }: { kind: string }) => kind === 'policy')[0],
  ).toMatchObject({
    target: { after: { days: 30 } },
    created_by: 'first key',
  })
})

test('events are deleted by name, property and time, after a dry run, and late deliveries of them are refused', async () => {
  await keep({})
  const old = [
    sold(3, 'dan', { 'card.no': '42', plan: 'pro' }),
    sold(3, 'eve', { 'card.no': 42, plan: 'free' }),
    sold(3, 'fay'),
  ]
  await capture(service, ...old, event('seen', {}, { 'card.no': '42' }))
  const target = { events: ['sold'], properties: [{ key: 'card.no', value: '42' }], date_from: daysAgo(10) }
  const { status, body: requested } = await api(service, 'POST', '/deletions', target)
  expect([status, requested.state]).toEqual([201, 'counting'])
  const get = async () => (await api(service, 'GET', `/deletions/${requested.id}`)).body
  await until(async () => (await get()).state === 'counted')
  expect(await get()).toMatchObject({ found: { events: 2 }, people: 2, deleted: null, created_by: 'first key' })
  expect(await namesOf()).toHaveLength(6)

  expect((await api(other, 'POST', `/deletions/${requested.id}/start`)).status).toBe(404)
  expect((await api(service, 'POST', `/deletions/${requested.id}/start`)).status).toBe(200)
  await until(async () => (await get()).state === 'done')
  expect(await get()).toMatchObject({ deleted: { events: 2 }, parts_left: null, ended_at: expect.any(String) })
  expect(await namesOf()).toEqual(["o'$exception\\ bob", 'seen visitor', 'sold cleo', 'sold fay'])
  expect(await materialized('sales')).toEqual([
    ['cleo', 1],
    ['fay', 1],
  ])
  expect((await api(service, 'POST', `/deletions/${requested.id}/start`)).status).toBe(400)

  const late = await capture(
    service,
    sold(3, 'dan', { 'card.no': '42' }),
    sold(3, 'gus', { 'card.no': '43' }),
    event('sold', {}, { distinct_id: 'dan', 'card.no': '42' }),
  )
  expect(late.body.refused).toEqual([{ index: 0, code: 'erased', detail: expect.any(String) }])
  expect(await namesOf()).toEqual([
    "o'$exception\\ bob",
    'seen visitor',
    'sold cleo',
    'sold dan',
    'sold fay',
    'sold gus',
  ])
})

test('a deletion can be canceled, and one without a condition is rejected', async () => {
  const { body } = await api(service, 'POST', '/deletions', { date_to: daysAgo(2) })
  await until(async () => (await api(service, 'GET', `/deletions/${body.id}`)).body.state === 'counted')
  expect((await api(service, 'POST', `/deletions/${body.id}/cancel`)).body.state).toBe('canceled')
  expect((await api(service, 'POST', `/deletions/${body.id}/start`)).status).toBe(400)
  expect((await api(service, 'POST', `/deletions/${body.id}/cancel`)).status).toBe(400)
  expect((await api(service, 'POST', '/deletions', {})).status).toBe(400)
  expect((await api(service, 'POST', '/deletions', { date_from: daysAgo(1), date_to: daysAgo(2) })).body.attr).toBe(
    'date_from',
  )
  expect(await namesOf()).toContain('sold fay')
})

test('an erased person stays erased: late events are refused, later ones are stored', async () => {
  const [person] = (await api(service, 'GET', '/persons/?distinct_id=fay')).body.results
  expect((await api(service, 'DELETE', `/persons/${person.id}/?delete_events=true`)).status).toBe(204)
  const reply = await capture(service, sold(2, 'fay'), sold(0, 'fay'), sold(2, 'cleo'))
  expect(reply.body.refused).toEqual([{ index: 0, code: 'erased', detail: expect.any(String) }])
  expect((await namesOf()).filter((name) => /fay|cleo/.test(name))).toEqual(['sold cleo', 'sold cleo', 'sold fay'])
})
