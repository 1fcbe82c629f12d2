import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { api, capture, event, type Reply } from '../support/api.ts'
import { type EngineAccess, engineOf, until } from '../support/engine.ts'
import { materializedTableOf } from '../support/materializedTables.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let engine: EngineAccess

const BOUGHT = { kind: 'EventsNode', event: 'bought' }
const BY_PLAN = {
  dateRange: { date_from: '2026-01-01', date_to: '2026-01-05' },
  breakdownFilter: { breakdown: 'plan' },
}
const INSIGHTS: Readonly<Record<string, { query: object; kind: string }>> = {
  trend: {
    query: {
      kind: 'TrendsQuery',
      series: [BOUGHT, { ...BOUGHT, math: 'dau' }],
      ...BY_PLAN,
      compareFilter: { compare: true },
    },
    kind: 'buckets',
  },
  funnel: { query: { kind: 'FunnelsQuery', series: [BOUGHT, BOUGHT], ...BY_PLAN }, kind: 'rows' },
  retention: {
    query: {
      kind: 'RetentionQuery',
      retentionFilter: {
        retentionType: 'retention_recurring',
        targetEntity: { id: 'bought' },
        returningEntity: { id: 'bought' },
      },
      ...BY_PLAN,
    },
    kind: 'buckets',
  },
}
const create = (name: string, query: object, more: object = {}) =>
  api(service, 'POST', '/endpoints/', { name, query, is_materialized: true, ...more })
const run = (name: string, body: object = {}) => api(service, 'POST', `/endpoints/${name}/run`, body)
const status = async (name: string) => (await api(service, 'GET', `/endpoints/${name}/materialization_status/`)).body
const ready = (name: string) => until(async () => (await status(name)).ready === true)
const expectRejected = (reply: Reply, code: string, attr: string) =>
  expect([reply.status, reply.body.code, reply.body.attr]).toEqual([400, code, attr])

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0', TRAILMARK_SHADOW_PERCENT: '100' } })
  engine = engineOf(service.data)
  const bought = (n: number) =>
    event(
      'bought',
      { timestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + n * 600_000).toISOString() },
      { plan: n % 2 ? 'pro' : 'free', distinct_id: `p${n % 3}` },
    )
  await capture(service, ...Array.from({ length: 20 }, (_, n) => bought(n)))
})
afterAll(async () => {
  await service.stop()
  rmSync(service.data, { recursive: true, force: true })
})

describe.each(Object.entries(INSIGHTS))('a materialized %s', (name, { query, kind }) => {
  test('equals a live run for each breakdown value, including each new event immediately', async () => {
    expect(await create(name, query)).toMatchObject({
      status: 201,
      body: { is_materialized: true, materialization: { enabled: true, date_variables: false } },
    })
    await ready(name)
    await capture(
      service,
      event('bought', { timestamp: '2026-01-02T00:07:00Z' }, { plan: 'pro', distinct_id: `late ${name}` }),
    )
    for (const variables of [{}, { plan: 'pro' }, { plan: '' }]) {
      const answer = (await run(name, { variables, refresh: 'force' })).body
      const live = (await run(name, { variables, refresh: 'direct' })).body
      expect([answer.endpoint_materialized, live.endpoint_materialized]).toEqual([true, undefined])
      expect(answer.results).toEqual(live.results)
    }
    expect(JSON.stringify((await run(name, { variables: { plan: 'pro' } })).body.results)).not.toContain('free')
  })

  test('rejects dates by default, even for a direct run', async () => {
    for (const refresh of ['cache', 'force', 'direct']) {
      const reply = await run(name, {
        variables: { plan: 'pro', date_from: '2026-01-02', date_to: '2026-01-03' },
        refresh,
      })
      expectRejected(reply, 'invalid_variables', 'variables')
      expect(reply.body.errors).toMatchObject([
        { path: 'date_from', code: 'not_available' },
        { path: 'date_to', code: 'not_available' },
      ])
      expect(reply.body.detail).toContain('because this endpoint is materialized')
    }
  })

  test('accepts exact ranges if date_variables is set', async () => {
    const changed = await api(service, 'PATCH', `/endpoints/${name}/`, { date_variables: true })
    expect([changed.status, changed.body.materialization.date_variables]).toEqual([200, true])
    for (const variables of [
      { date_from: '2026-01-01T00:35:00Z', date_to: '2026-01-01T02:21:00.000Z' },
      { date_to: '2026-01-01', plan: 'free' },
    ]) {
      const answer = (await run(name, { variables, refresh: 'force' })).body
      expect(answer.endpoint_materialized).toBe(true)
      expect(answer.results).toEqual((await run(name, { variables, refresh: 'direct' })).body.results)
    }
    expect(
      (await api(service, 'PATCH', `/endpoints/${name}/`, { date_variables: false })).body.materialization
        .date_variables,
    ).toBe(false)
    expect((await run(name, { variables: { date_from: '2026-01-02' } })).status).toBe(400)
  })

  test('can be previewed', async () => {
    const { body } = await api(service, 'POST', `/endpoints/${name}/materialization_preview/`, {})
    expect(body).toMatchObject({
      can_materialize: true,
      preview: {
        kind,
        rows: expect.any(Number),
        events: expect.any(Number),
        stored_query: expect.stringContaining('SELECT'),
      },
    })
    expect(body.preview.rows).toBeLessThanOrEqual(body.preview.events)
  })

  test('lists its variables in its OpenAPI document', async () => {
    const variables = async () => {
      const { paths } = (await api(service, 'GET', `/endpoints/${name}/openapi.json`)).body
      const [path] = Object.values<any>(paths)
      return Object.keys(path.post.requestBody.content['application/json'].schema.properties.variables.properties)
    }
    expect(await variables()).toEqual(['plan'])
    await api(service, 'PATCH', `/endpoints/${name}/`, { is_materialized: false })
    expect(await variables()).toEqual(['plan', 'date_from', 'date_to'])
    expect((await run(name, { variables: { date_from: '2026-01-02' } })).status).toBe(200)
  })
})

test('a materialized insight looks up no person until ids are merged, and equals a live run before and after', async () => {
  const query = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'bought', math: 'dau' }],
    dateRange: { date_from: '2026-01-01', date_to: '2026-01-01' },
  }
  await create('people', query)
  await ready('people')
  const people = async (isMerged: boolean) => {
    const { body } = await run('people', { refresh: 'force', debug: true })
    const live = await run('people', { refresh: 'direct' })
    expect([body.endpoint_materialized, body.clickhouse.includes('person_distinct_ids')]).toEqual([true, isMerged])
    expect(body.results).toEqual(live.body.results)
    return body.results[0].data
  }
  expect(await people(false)).toEqual([3])
  await capture(service, event('$identify', {}, { distinct_id: 'p0', $anon_distinct_id: 'p1' }))
  expect(await people(true)).toEqual([2])
})

test('a new version of a materialized insight accepts dates if the previous version did', async () => {
  const { query } = INSIGHTS.trend!
  expect((await create('ranges', query, { date_variables: true })).body.materialization.date_variables).toBe(true)
  const second = await api(service, 'PATCH', '/endpoints/ranges/', { query: { ...query, interval: 'hour' } })
  expect([
    second.body.current_version,
    second.body.is_materialized,
    second.body.materialization.date_variables,
  ]).toEqual([2, true, true])
  expect((await run('ranges', { variables: { date_from: '2026-01-05' } })).status).toBe(200)
})

test('a materialized insight that differs from a live run is disabled and reported', async () => {
  await create('doubted', INSIGHTS.trend!.query)
  await ready('doubted')
  const table = await materializedTableOf(service, join(service.data, 'definitions.db'), 'doubted')
  await engine.ask('writer', `INSERT INTO db.${table} SELECT * FROM db.${table}`)
  expect((await run('doubted', { refresh: 'force' })).body.endpoint_materialized).toBe(true)
  await until(async () => !(await status('doubted')).ready)
  expect(await status('doubted')).toMatchObject({
    enabled: true,
    status: 'Failed',
    error: expect.stringContaining('other rows'),
  })
})

test('materializing an insight over a session property is rejected with code, field and fix', async () => {
  const reply = await create('sessions', {
    kind: 'TrendsQuery',
    series: [{ ...BOUGHT, properties: [{ key: '$is_bounce', type: 'session', value: '1' }] }],
  })
  expectRejected(reply, 'session_property', 'is_materialized')
  expect(reply.body).toMatchObject({
    field: 'query.series.0.properties.0',
    fix: expect.any(String),
    errors: [{ path: 'query.series.0.properties.0', code: 'session_property' }],
  })
})

test.each([
  [
    'an insight that is not materialized',
    { name: 'x', query: { kind: 'TrendsQuery', series: [BOUGHT] }, date_variables: true },
  ],
  [
    'SQL',
    {
      name: 'x',
      query: { kind: 'HogQLQuery', query: 'SELECT count() FROM events' },
      is_materialized: true,
      date_variables: true,
    },
  ],
])('creating an endpoint rejects "date_variables" for %s', async (_, body) => {
  expectRejected(await api(service, 'POST', '/endpoints/', body), 'invalid_input', 'date_variables')
})
