import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { api, capture, event, type Reply } from '../support/api.ts'
import { type EngineAccess, engineOf, until } from '../support/engine.ts'
import { materializedTableOf, materializedTables } from '../support/materializedTables.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let engine: EngineAccess

const QUERY =
  'SELECT properties.plan AS plan, count() AS n, uniq(distinct_id) AS people FROM events WHERE event = {variables.event_name} AND timestamp >= {variables.since} GROUP BY plan ORDER BY plan'
const sql = (query: string) => ({ kind: 'HogQLQuery', query })
const create = (name: string, query: string, more: object = {}) =>
  api(service, 'POST', '/endpoints/', { name, query: sql(query), ...more })
const run = (name: string, body: object = {}) => api(service, 'POST', `/endpoints/${name}/run`, body)
const status = async (name: string, version?: number) =>
  (await api(service, 'GET', `/endpoints/${name}/materialization_status/${version ? `?version=${version}` : ''}`)).body
const ready = (name: string) => until(async () => (await status(name)).ready === true)
const tables = () => materializedTables((sql) => engine.ask('writer', sql))
const VALUES = { event_name: 'bought', since: '2026-01-01T00:30:00Z' }
const expectRejected = (reply: Reply, code: string, attr: string) =>
  expect([reply.status, reply.body.code, reply.body.attr]).toEqual([400, code, attr])

const bought = (n: number) =>
  event(
    'bought',
    { timestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + n * 600_000).toISOString() },
    { plan: n % 2 ? 'pro' : 'free', distinct_id: `p${n % 3}` },
  )

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0', TRAILMARK_SHADOW_PERCENT: '100' } })
  engine = engineOf(service.data)
  for (const [name, type] of [
    ['event_name', 'String'],
    ['since', 'Date'],
  ])
    await api(service, 'POST', '/insight_variables/', { name, type })
  await capture(service, ...Array.from({ length: 20 }, (_, n) => bought(n)))
})
afterAll(async () => {
  await service.stop()
  rmSync(service.data, { recursive: true, force: true })
})

test('a materialized endpoint returns the same rows, including each new event immediately', async () => {
  const created = await create('sales', QUERY, { is_materialized: true })
  expect([created.status, created.body.is_materialized, created.body.materialization.enabled]).toEqual([
    201,
    true,
    true,
  ])
  await ready('sales')
  expect(await status('sales')).toMatchObject({
    name: 'sales_v1',
    enabled: true,
    ready: true,
    status: 'Completed',
    can_materialize: true,
    last_materialized_at: expect.any(String),
  })
  const first = (await run('sales', { variables: VALUES })).body
  expect(first.endpoint_materialized).toBe(true)
  expect(first.results).toEqual([
    ['free', 8, 3],
    ['pro', 9, 3],
  ])

  await capture(
    service,
    bought(4),
    bought(5),
    event('bought', { timestamp: '2026-01-05T00:00:00Z' }, { plan: 'max', distinct_id: 'new' }),
  )
  const then = (await run('sales', { variables: VALUES })).body
  expect([then.endpoint_materialized, then.is_cached]).toEqual([true, false])
  expect(then.results).toEqual([
    ['free', 9, 3],
    ['max', 1, 1],
    ['pro', 10, 3],
  ])
  const live = (await run('sales', { variables: VALUES, refresh: 'direct' })).body
  expect(live.endpoint_materialized).toBeUndefined()
  expect(live.results).toEqual(then.results)
  expect((await run('sales', { variables: VALUES })).body.is_cached).toBe(true)
})

test('a materialized endpoint serves pages, CSV and debug runs from the table', async () => {
  const page = (await run('sales', { variables: VALUES, limit: 1, offset: 1, debug: true })).body
  expect([page.results.length, page.hasMore, page.endpoint_materialized]).toEqual([1, true, true])
  expect(page.clickhouse).toContain('rollup_')
  expect(page.source).toEqual({ read: 'memory', reason: 'not_measured' })
  const direct = (await run('sales', { variables: VALUES, refresh: 'direct', debug: true })).body
  expect(direct.source).toEqual({ read: 'live', reason: 'requested' })
  expect(direct.clickhouse).not.toContain('rollup_')
  const live = (await run('sales', { variables: VALUES, format: 'csv', refresh: 'direct' })).body
  expect((await run('sales', { variables: VALUES, format: 'csv' })).body).toBe(live)
  let cursor: string | null = '*'
  const rows: unknown[] = []
  while (cursor) {
    const answer: Reply = await run('sales', { variables: VALUES, limit: 1, cursor })
    rows.push(...answer.body.results)
    cursor = answer.body.next_cursor
  }
  expect(rows).toEqual((await run('sales', { variables: VALUES })).body.results)
})

test('a materialized endpoint requires every variable and checks its type', async () => {
  expectRejected(await run('sales', { variables: { event_name: 'bought' } }), 'invalid_variables', 'variables')
  expectRejected(await run('sales', { variables: { ...VALUES, since: null } }), 'invalid_variables', 'variables')
  expectRejected(await run('sales', { variables: { ...VALUES, other: 1 } }), 'invalid_variables', 'variables')
})

test('creating a materialized endpoint rejects an unsupported query with code, position and fix', async () => {
  const reply = await create('likes', 'SELECT count() FROM events WHERE event LIKE {variables.event_name}', {
    is_materialized: true,
  })
  expectRejected(reply, 'unsupported_operator', 'is_materialized')
  expect(reply.body).toMatchObject({
    position: { line: 1, column: 34 },
    fix: expect.any(String),
    errors: [{ code: 'unsupported_operator' }],
    request_id: expect.any(String),
  })
  expect((await api(service, 'GET', '/endpoints/likes/')).status).toBe(404)
  await create('likes', 'SELECT count() FROM events WHERE event LIKE {variables.event_name}')
  expectRejected(
    await api(service, 'PATCH', '/endpoints/likes/', { is_materialized: true }),
    'unsupported_operator',
    'is_materialized',
  )
  expect(await status('likes')).toMatchObject({
    enabled: false,
    ready: false,
    can_materialize: false,
    reason: expect.stringContaining('LIKE'),
    obstacles: [{ code: 'unsupported_operator' }],
  })
})

test('a run with refresh "direct" is rejected on an endpoint that is not materialized', async () => {
  expectRejected(
    await run('likes', { variables: { event_name: 'x' }, refresh: 'direct' }),
    'not_materialized',
    'refresh',
  )
  expectRejected(
    await run('likes', { variables: { event_name: 'x' }, refresh: 'direct', format: 'csv' }),
    'not_materialized',
    'refresh',
  )
})

test('an inactive endpoint cannot be materialized', async () => {
  expectRejected(
    await create('asleep', QUERY, { is_materialized: true, is_active: false }),
    'not_materializable',
    'is_materialized',
  )
})

test('a materialization preview returns rows, bytes and speed-up and stores nothing', async () => {
  await create('maybe', QUERY)
  const before = await tables()
  const { status: code, body } = await api(service, 'POST', '/endpoints/maybe/materialization_preview/', {})
  expect(code).toBe(200)
  expect(body).toMatchObject({
    can_materialize: true,
    enabled: false,
    preview: { kind: 'states', rows: expect.any(Number), bytes: expect.any(Number), events: 23 },
  })
  expect(body.preview.rows).toBeGreaterThan(0)
  expect(body.preview.bytes).toBeGreaterThan(0)
  expect(body.preview.expected_speed_up).toBeGreaterThan(1)
  expect(await tables()).toEqual(before)
  expect((await api(service, 'POST', '/endpoints/likes/materialization_preview/', {})).body).toMatchObject({
    can_materialize: false,
  })
  expect((await api(service, 'POST', '/endpoints/none/materialization_preview/', {})).status).toBe(404)
  expect((await api(service, 'POST', '/endpoints/maybe/materialization_preview/', { version: 9 })).status).toBe(404)
})

test('a new version is materialized like the previous one or reports the reason if it is not', async () => {
  await create('growing', QUERY, { is_materialized: true })
  await ready('growing')
  const second = await api(service, 'PATCH', '/endpoints/growing/', { query: sql(QUERY.replace('uniq', 'uniqExact')) })
  expect([second.body.current_version, second.body.is_materialized, second.body.materialization_error]).toEqual([
    2,
    true,
    undefined,
  ])
  await ready('growing')
  const third = await api(service, 'PATCH', '/endpoints/growing/', {
    query: sql(QUERY.replace('event = ', 'event LIKE ')),
  })
  expect([third.status, third.body.is_materialized]).toEqual([200, false])
  expect(third.body.materialization_error).toContain('LIKE')
  expect((await run('growing', { variables: VALUES, version: 1 })).body.endpoint_materialized).toBe(true)
  expect((await run('growing', { variables: VALUES })).body.endpoint_materialized).toBeUndefined()
})

test('deactivating or deleting an endpoint or disabling materialization drops the materialized table', async () => {
  await api(service, 'PATCH', '/endpoints/growing/', { is_active: false })
  expect((await status('growing', 1)).enabled).toBe(false)
  await create('short', QUERY, { is_materialized: true })
  await ready('short')
  expect((await api(service, 'PATCH', '/endpoints/short/', { is_materialized: false })).body.is_materialized).toBe(
    false,
  )
  const answer = (await run('short', { variables: VALUES, refresh: 'force' })).body
  expect([answer.endpoint_materialized, answer.results.length]).toEqual([undefined, 3])
  expect((await api(service, 'DELETE', '/endpoints/short/')).status).toBe(204)
})

test('a materialized table that differs from a live run is disabled, reported and can be rebuilt', async () => {
  await create('watched', QUERY, { is_materialized: true })
  await ready('watched')
  const table = await materializedTableOf(service, join(service.data, 'definitions.db'), 'watched')
  await engine.ask('writer', `INSERT INTO db.${table} SELECT * FROM db.${table}`)
  expect((await run('watched', { variables: VALUES, refresh: 'force' })).body.endpoint_materialized).toBe(true)
  await until(async () => !(await status('watched')).ready)
  expect(await status('watched')).toMatchObject({
    enabled: true,
    status: 'Failed',
    error: expect.stringContaining('other rows'),
  })
  const live = (await run('watched', { variables: VALUES, refresh: 'force' })).body
  expect([live.endpoint_materialized, live.results]).toEqual([
    undefined,
    (await run('sales', { variables: VALUES })).body.results,
  ])
  await until(() => service.output().includes('is turned off'))
  await api(service, 'PATCH', '/endpoints/watched/', { is_materialized: true })
  await ready('watched')
  expect((await run('watched', { variables: VALUES, refresh: 'force' })).body.endpoint_materialized).toBe(true)
})

describe('materialized unique users by day with variables', () => {
  const USERS =
    'SELECT toDate(timestamp) AS day, uniq(person_id) AS users, count() AS n FROM events WHERE event = {variables.event_name} AND timestamp >= {variables.since} GROUP BY day ORDER BY day'
  const READERS =
    'SELECT distinct_id AS id, person.properties.plan AS plan FROM events WHERE person.properties.plan = {variables.event_name} ORDER BY id'
  const read = (distinct_id: string, day: number, more: object = {}) =>
    event('read', { timestamp: `2026-02-0${day}T10:20:00Z`, ...more }, { distinct_id })
  const values = { event_name: 'read', since: '2026-02-01T10:20:00Z' }
  const expectRun = async (name: string, variables: object, expected: unknown[][]) => {
    const { body } = await run(name, { variables })
    expect([body.endpoint_materialized, body.results]).toEqual([true, expected])
    const direct = (await run(name, { variables, refresh: 'direct' })).body
    expect([direct.endpoint_materialized, direct.results]).toEqual([undefined, expected])
  }

  test('include merges and properties set after the table was built', async () => {
    await capture(service, read('phone', 1), read('laptop', 1), read('eve', 1), read('laptop', 2), read('phone', 2))
    expect((await create('users', USERS, { is_materialized: true })).status).toBe(201)
    expect((await create('readers', READERS, { is_materialized: true })).status).toBe(201)
    await ready('users')
    await ready('readers')
    await expectRun('users', values, [
      ['2026-02-01', 3, 3],
      ['2026-02-02', 2, 2],
    ])
    await expectRun('readers', { event_name: 'pro' }, [])

    await capture(
      service,
      event('$identify', {}, { distinct_id: 'laptop', $anon_distinct_id: 'phone' }),
      read('late', 1, { $set: { plan: 'pro' } }),
    )
    await expectRun('users', values, [
      ['2026-02-01', 3, 4],
      ['2026-02-02', 1, 2],
    ])
    await expectRun('readers', { event_name: 'pro' }, [['late', 'pro']])
    await capture(service, event('$set', { $set: { plan: 'pro' } }, { distinct_id: 'phone' }))
    const { results } = (await run('readers', { variables: { event_name: 'pro' } })).body
    expect(results.map(([id]: [string]) => id)).toEqual([
      'laptop',
      'laptop',
      'laptop',
      'late',
      'phone',
      'phone',
      'phone',
    ])
  })

  test('return the rows of a live run in pages and streams', async () => {
    const formats = ['csv', 'ndjson'].flatMap((format) => [
      ['users', { variables: values, format }],
      ['readers', { variables: { event_name: 'pro' }, format }],
    ]) as [string, object][]
    for (const [name, body] of formats)
      expect((await run(name, body)).body).toEqual((await run(name, { ...body, refresh: 'direct' })).body)
    const rows: unknown[] = []
    for (let cursor: string | null = '*'; cursor;) {
      const { body }: Reply = await run('readers', { variables: { event_name: 'pro' }, limit: 2, cursor })
      expect(body.endpoint_materialized).toBe(true)
      rows.push(...body.results)
      cursor = body.next_cursor
    }
    expect(rows).toEqual((await run('readers', { variables: { event_name: 'pro' }, refresh: 'direct' })).body.results)
  })

  test('exclude an erased person from every response', async () => {
    const [found] = (await api(service, 'GET', '/persons/?distinct_id=phone')).body.results
    await api(service, 'DELETE', `/persons/${found.id}/?delete_events=true`)
    await ready('users')
    await expectRun('users', values, [['2026-02-01', 2, 2]])
  })

  test('reject a session column with its position', async () => {
    const reply = await create('sessions', `SELECT avg(session.$session_duration) FROM events`, {
      is_materialized: true,
    })
    expectRejected(reply, 'source_not_supported', 'is_materialized')
    expect(reply.body).toMatchObject({ position: { line: 1, column: 12 }, fix: expect.stringContaining('$session_id') })
  })
})

test('a run falls back to a live query as JSON and CSV when its materialized table was dropped', async () => {
  await create('gone', QUERY, { is_materialized: true })
  await ready('gone')
  // With another value, because cells of the same one stay in memory.
  const other = { ...VALUES, event_name: 'other' }
  const [table] = /rollup_\w+/.exec((await run('gone', { variables: other, debug: true })).body.clickhouse)!
  await engine.ask('writer', `DROP TABLE db.${table} SYNC`)
  const { status: code, body } = await run('gone', { variables: VALUES, refresh: 'force' })
  expect([code, body.endpoint_materialized, body.results.length]).toEqual([200, undefined, 3])
  const csv = await run('gone', { variables: VALUES, format: 'csv' })
  expect(csv).toMatchObject({
    status: 200,
    body: (await run('gone', { variables: VALUES, format: 'csv', refresh: 'direct' })).body,
  })
})

test('materialized tables survive a restart of the service', async () => {
  const expected = (await run('sales', { variables: VALUES })).body.results
  const { data, key } = service
  await service.kill()
  service = { ...(await startService({ data, env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0' } })), key }
  engine = engineOf(service.data)
  const answer = (await run('sales', { variables: VALUES })).body
  expect([answer.endpoint_materialized, answer.results]).toEqual([true, expected])
})

test('a materialized run reads events beside its table only if some have arrived since it was built', async () => {
  await create('quiet', QUERY, { is_materialized: true })
  await ready('quiet')
  const rare = (plan: string) => event('rare', { timestamp: '2026-01-07T00:00:00Z' }, { plan, distinct_id: 'new' })
  let turn = 0
  // A value of its own for each run, so that none is cached.
  const debugged = async () => {
    turn += 1
    const variables = { event_name: 'rare', since: new Date(Date.parse('2026-01-01T00:00:00Z') + turn).toISOString() }
    const { body } = await run('quiet', { variables, debug: true })
    expect(body.endpoint_materialized).toBe(true)
    return { readsNew: body.clickhouse.includes('__seen` >='), results: body.results }
  }
  await until(async () => !(await debugged()).readsNew)
  await capture(service, rare('free'))
  expect(await debugged()).toEqual({ readsNew: true, results: [['free', 1, 1]] })
  await capture(service, rare('pro'))
  expect(await debugged()).toEqual({
    readsNew: true,
    results: [
      ['free', 1, 1],
      ['pro', 1, 1],
    ],
  })
  await api(service, 'DELETE', '/endpoints/quiet')
})
