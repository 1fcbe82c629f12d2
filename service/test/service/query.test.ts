import { join } from 'node:path'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, request } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
let second: Pick<SharedService, 'url' | 'token' | 'key' | 'projectId'>

const ONLY_QUERIES = 'a-key-for-queries'
const ONLY_ENDPOINTS = 'a-key-for-endpoints'

beforeAll(async () => {
  service = await sharedService()
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'token-of-another-project' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'key-of-another-project',
    scopes: ['query:read'],
  })
  await metadata.keys.put({
    projectId: service.projectId,
    label: 'queries',
    secret: ONLY_QUERIES,
    scopes: ['query:read'],
  })
  await metadata.keys.put({
    projectId: service.projectId,
    label: 'endpoints',
    secret: ONLY_ENDPOINTS,
    scopes: ['endpoint:read'],
  })
  await metadata.close()
  second = { url: service.url, token: project.token, key: 'key-of-another-project', projectId: project.id }
  await api(service, 'POST', '/insight_variables/', { name: 'wanted', type: 'String' })
  await capture(service, event('seen', {}, { n: 1 }), event('seen', {}, { n: 2 }), event('other'))
})
afterAll(() => service.stop())

type Project = typeof second

const send = (body: object, at: Project = service) => api(at, 'POST', '/query/', body)
const sql = (query: string, more: object = {}, at: Project = service) =>
  send({ query: { kind: 'HogQLQuery', query }, ...more }, at)
const trend = (more: object = {}) => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'seen' }],
  dateRange: { date_from: '-1d' },
  ...more,
})

/** Takes minutes unless it is canceled, and reads rows all the time. */
const slow = (mark: string) =>
  `SELECT count(), '${mark}' AS mark FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1`

test('runs patterns of the same aggregate that are joined by OR', async () => {
  const { status, body } = await sql(
    "SELECT match(argMin(event, timestamp), 'x') OR match(argMin(event, timestamp), 'e') OR argMin(event, timestamp) LIKE 'z%' FROM events",
  )
  expect([status, body.results]).toEqual([200, [[1]]])
})

test('runs SQL and responds like a run of an endpoint, without fields of an endpoint', async () => {
  const { status, body } = await sql(
    'SELECT event, count() AS n FROM events WHERE event = {variables.wanted} GROUP BY 1',
    {
      variables: { wanted: 'seen' },
    },
  )
  expect([status, body]).toEqual([
    200,
    {
      results: [['seen', 2]],
      columns: ['event', 'n'],
      types: [
        ['event', expect.any(String)],
        ['n', 'UInt64'],
      ],
      hasMore: false,
      execution_id: expect.any(String),
      is_cached: false,
      last_refresh: expect.any(String),
      cache_target_age: expect.any(String),
      timezone: 'UTC',
    },
  ])
  expect((await api(service, 'GET', '/endpoints/')).body.results).toEqual([])
})

test('runs insights with their variables', async () => {
  const { body } = await send({ query: trend({ breakdownFilter: { breakdown: 'n' } }), variables: { n: '2' } })
  expect(body.results.map(({ label, count }: any) => [label, count])).toEqual([['2', 1]])
})

test('a query reads only its own project', async () => {
  expect((await sql('SELECT count() FROM events', {}, second)).body.results).toEqual([[0]])
  expect((await api({ ...second, projectId: service.projectId }, 'POST', '/query/', { query: trend() })).status).toBe(
    404,
  )
})

test.each([
  ['an unknown column', { kind: 'HogQLQuery', query: 'SELECT nothing FROM events' }],
  ['a syntax error', { kind: 'HogQLQuery', query: 'SELECT FROM' }],
  ['an undefined variable', { kind: 'HogQLQuery', query: 'SELECT {variables.absent}' }],
  ['an unknown kind', { kind: 'OtherQuery' }],
  ['an invalid insight', { kind: 'TrendsQuery', series: [] }],
])('rejects %s with the error of storing it', async (_, query) => {
  const stored = await api(service, 'POST', '/endpoints/', { name: 'stored', query })
  const ran = await send({ query })
  expect(stored.status).toBe(400)
  expect([ran.status, ran.body]).toEqual([stored.status, { ...stored.body, request_id: ran.body.request_id }])
})

test.each([
  ['no query', {}, 'query'],
  ['a version', { query: trend(), version: 1 }, 'version'],
  ['a page of an insight', { query: trend(), limit: 1 }, 'limit'],
  ['an offset without a limit', { query: { kind: 'HogQLQuery', query: 'SELECT 1' }, offset: 1 }, 'offset'],
  ['a run without a table', { query: trend(), refresh: 'direct' }, 'refresh'],
  ['a missing variable', { query: { kind: 'HogQLQuery', query: 'SELECT {variables.wanted}' } }, 'variables'],
  ['an age of 0', { query: trend(), max_age_seconds: 0 }, 'max_age_seconds'],
  ['an insight as CSV', { query: trend(), format: 'csv' }, 'format'],
])('rejects a query request with %s', async (_, body, attr) => {
  expect(await send(body)).toMatchObject({ status: 400, body: { attr } })
})

test('pages by limit and offset and by cursor', async () => {
  const query = 'SELECT event, toInt(properties.n) AS n FROM events ORDER BY event, n'
  expect((await sql(query, { limit: 1, offset: 1 })).body).toMatchObject({ results: [['seen', 1]], hasMore: true })
  const first = await sql(query, { limit: 2, cursor: '*' })
  const rest = await sql(query, { limit: 2, cursor: first.body.next_cursor })
  expect([first.body.results.length, rest.body.results, rest.body.next_cursor]).toEqual([2, [['seen', 2]], null])
})

test('streams all rows as CSV or NDJSON', async () => {
  const query = 'SELECT event, count() AS n FROM events GROUP BY event ORDER BY event'
  expect((await sql(query, { format: 'csv' })).body).toBe('"event","n"\n"other",1\n"seen",2\n')
  expect((await sql(query, { format: 'ndjson' })).body).toBe('{"event":"other","n":1}\n{"event":"seen","n":2}\n')
})

test('shows the SQL with debug', async () => {
  const { body } = await sql('SELECT 7', { debug: true })
  expect(body).toMatchObject({
    hogql: 'SELECT 7',
    clickhouse: expect.stringContaining('7'),
    cache_key: expect.any(String),
  })
})

test('caches a result until the next event, or for max_age_seconds in spite of events', async () => {
  const count = (more: object = {}) => sql("SELECT count() FROM events WHERE event = 'cached'", more)
  const seen = async (more: object = {}) => {
    const { body } = await count(more)
    return [body.is_cached, body.results[0][0]]
  }
  expect(await seen()).toEqual([false, 0])
  expect(await seen()).toEqual([true, 0])
  await capture(service, event('cached', {}, { distinct_id: 'to erase' }))
  expect(await seen({ max_age_seconds: 300 })).toEqual([true, 0])
  expect(await seen()).toEqual([false, 1])
  expect(await seen({ refresh: 'force' })).toEqual([false, 1])
  const [person] = (await api(service, 'GET', '/persons?distinct_id=to%20erase')).body.results
  expect((await api(service, 'DELETE', `/persons/${person.id}?delete_events=true`)).status).toBe(204)
  expect(await seen({ max_age_seconds: 300 })).toEqual([false, 0])
})

describe('a run in progress', () => {
  const progress = (id: string, key = service.key, at: Project = service) => api({ ...at, key }, 'GET', `/query/${id}`)
  const cancel = (id: string, key = service.key) => api({ ...service, key }, 'DELETE', `/query/${id}`)

  test.each([
    ['a query', ONLY_QUERIES],
    ['an endpoint', ONLY_ENDPOINTS],
  ])('reports progress and is canceled: %s', async (of, key) => {
    const id = `${of} / in progress`
    const path = encodeURIComponent(id)
    await api(service, 'POST', '/endpoints/', { name: 'slow', query: { kind: 'HogQLQuery', query: slow('endpoint') } })
    const answer =
      of === 'a query'
        ? sql(slow('query'), { client_query_id: id }, { ...service, key })
        : api({ ...service, key }, 'POST', '/endpoints/slow/run', { client_query_id: id })
    await until(async () => {
      const { status, body } = await progress(path, key)
      return status === 200 && body.status === 'running' && body.elapsed_ms > 0
    })
    const { body } = await progress(path, key)
    expect(body).toEqual({
      status: 'running',
      read_rows: expect.any(Number),
      total_rows: expect.any(Number),
      elapsed_ms: expect.any(Number),
    })
    expect(body.total_rows).toBeGreaterThanOrEqual(body.read_rows)
    expect((await progress(path, second.key, second)).status).toBe(404)
    expect((await cancel(path, key)).status).toBe(204)
    expect(await answer).toMatchObject({ status: 400, body: { code: 'query_cancelled' } })
    await until(async () => (await progress(path)).status === 404)
  })

  test('is not found before it begins and after it ends', async () => {
    expect(await progress('none')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    await sql('SELECT 1', { client_query_id: 'done' })
    expect((await progress('done')).status).toBe(404)
    expect((await cancel('done')).status).toBe(404)
  })
})

describe('web analytics', () => {
  const overview = { kind: 'WebOverviewQuery', dateRange: { date_from: '-1d' } }
  const pages = { kind: 'WebStatsTableQuery', breakdownBy: 'Page', dateRange: { date_from: '-1d' } }
  const view = (id: string, path: string) =>
    event('$pageview', {}, { distinct_id: id, $session_id: `session of ${id}`, $pathname: path })

  beforeAll(() => capture(service, view('ann', '/'), view('ann', '/in'), view('ben', '/')))

  test('runs as a query and as an endpoint', async () => {
    const { body } = await send({ query: { ...overview, interval: 'hour' } })
    expect(body.results.map(({ key, value }: any) => [key, value]).slice(0, 3)).toEqual([
      ['visitors', 2],
      ['views', 3],
      ['sessions', 2],
    ])
    expect(body.series.data.views.reduce((sum: number, each: number) => sum + each, 0)).toBe(3)
    expect((await send({ query: pages })).body).toMatchObject({
      results: [
        ['/', [2, null], [2, null], expect.any(Number)],
        ['/in', [1, null], [1, null], expect.any(Number)],
      ],
      columns: expect.arrayContaining(['context.columns.visitors']),
      hasMore: false,
    })
    expect((await api(service, 'POST', '/endpoints/', { name: 'pages', query: pages })).status).toBe(201)
    expect((await api(service, 'POST', '/endpoints/pages/run')).body.results).toHaveLength(2)
    expect((await send({ query: pages }, second)).body.results).toEqual([])
  })

  test('is not materialized', async () => {
    const reply = await api(service, 'POST', '/endpoints/', { name: 'stored', query: overview, is_materialized: true })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: 'query.kind', code: 'session_property' }] } })
  })

  test('counts the visitors online now with the query of the docs', async () => {
    const { body } = await sql(
      "SELECT count(DISTINCT person_id) AS online FROM events WHERE timestamp > now() - INTERVAL 5 MINUTE AND event != '$pageleave'",
    )
    expect(body.results[0][0]).toBeGreaterThanOrEqual(2)
  })
})

test('the OpenAPI document describes the query route', async () => {
  const { body } = await request(`${service.url}/api/openapi.json`)
  const path = body.paths['/api/projects/{projectId}/query']
  expect(Object.keys(path.post.requestBody.content['application/json'].schema.properties)).toContain('max_age_seconds')
  expect(Object.keys(path.post.responses['2XX'].content['application/json'].schema.properties)).toContain('is_cached')
})

test('the schema names the tables, columns and functions that a query may use', async () => {
  const { status, body } = await api(service, 'GET', '/schema/')
  expect(status).toBe(200)
  expect(body.tables).toContainEqual(
    expect.objectContaining({
      name: 'person_distinct_ids',
      columns: [
        { name: 'distinct_id', type: 'text' },
        { name: 'person_id', type: 'uuid' },
      ],
    }),
  )
  expect(body.relations).toContainEqual({ name: 'person', table: 'persons' })
  expect(body.functions).toContainEqual({ name: 'uniq', kind: 'aggregate', signature: 'any... -> number' })
  expect(JSON.stringify(body)).not.toContain('project_id')
})
