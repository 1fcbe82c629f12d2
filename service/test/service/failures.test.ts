import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { ERRORS } from '../../src/http/errors.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, type Reply } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

// Every way a run can fail: one error shape, a stable code and the invalid field. Failures that need many concurrent
// runs are in limits.test.ts, failures of materialization in materialization.test.ts.

const KEY_LIMITS = {
  hasty: { seconds: 1 },
  poor: { memory_mb: 20 },
  small: { stream_rows: 4 },
  rare: { per_minute: 1 },
}
const ENDLESS =
  'SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1'

let service: RunningService
const keyed = (key: string) => ({ ...service, key })

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_KEY_LIMITS: JSON.stringify(KEY_LIMITS) } })
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const put = (label: string, scopes: string[], projectId = service.projectId) =>
    metadata.keys.put({ projectId, label, secret: `the-key-called-${label}`, scopes })
  for (const label of Object.keys(KEY_LIMITS)) await put(label, ['endpoint:read'])
  await put('writing', ['endpoint:write'])
  const other = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await put('other', ['endpoint:read'], other.id)
  await metadata.close()

  for (const name of ['plan', 'city'])
    expect((await api(service, 'POST', '/insight_variables/', { name, type: 'String' })).status).toBe(201)
  const SQL: Record<string, string> = {
    plans:
      'SELECT properties.plan FROM events WHERE properties.plan = {variables.plan} AND properties.city = {variables.city}',
    one: 'SELECT 1',
    ten: 'SELECT arrayJoin(range(10)) AS n',
    dividing: "SELECT intDiv(1, length(properties.plan) - 3) FROM events WHERE event = 'bought'",
    endless: ENDLESS,
    heavy: 'SELECT length(groupUniqArray(n)) FROM (SELECT arrayJoin(range(20000000)) AS n)',
    versioned: 'SELECT 1',
    deleted: 'SELECT 1',
    resting: 'SELECT 1',
  }
  for (const [name, query] of Object.entries(SQL)) {
    const { status, body } = await api(service, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query } })
    expect([name, status, body.detail]).toEqual([name, 201, undefined])
  }
  const series = [{ kind: 'EventsNode', event: 'bought' }]
  expect(
    (await api(service, 'POST', '/endpoints/', { name: 'trend', query: { kind: 'TrendsQuery', series } })).status,
  ).toBe(201)
  await api(service, 'PATCH', '/endpoints/versioned/', { query: { kind: 'HogQLQuery', query: 'SELECT 2' } })
  await api(service, 'PATCH', '/endpoints/versioned/', { version: 1, is_active: false })
  await api(service, 'PATCH', '/endpoints/resting/', { is_active: false })
  await api(service, 'DELETE', '/endpoints/deleted/')
  await capture(service, event('bought', {}, { plan: 'pro' }))
})
afterAll(() => service.stop())

const expectShape = ({ status, headers, body }: Reply) => {
  expect(body).toMatchObject({
    type: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/),
    detail: expect.stringMatching(/.{10}/s),
    request_id: headers.get('x-request-id'),
  })
  expect([null, 'string']).toContain(body.attr === null ? null : typeof body.attr)
  expect(Object.values(ERRORS)).toContainEqual(expect.objectContaining({ status, type: body.type }))
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(JSON.stringify(body)).not.toMatch(/project_id|DB::|node:|\.ts:|SELECT/)
}

const RIGHT = { plan: 'pro', city: 'Bern' }

interface Case {
  readonly endpoint: string
  readonly body?: object
  readonly key?: string
  readonly answer: readonly [status: number, type: string, code: string, attr: string | null]
  readonly says?: RegExp
}

const CASES: Record<string, Case> = {
  'an unknown key': { endpoint: 'one', key: 'nobody', answer: [401, 'authentication_error', 'invalid_api_key', null] },
  'a key without the scope': {
    endpoint: 'one',
    key: 'writing',
    answer: [403, 'authentication_error', 'permission_denied', null],
    says: /endpoint:read/,
  },
  'a key of another project': { endpoint: 'one', key: 'other', answer: [404, 'invalid_request', 'not_found', null] },
  'an unknown endpoint': { endpoint: 'nothing', answer: [404, 'invalid_request', 'not_found', null] },
  'a deleted endpoint': { endpoint: 'deleted', answer: [404, 'invalid_request', 'not_found', null] },
  'an inactive endpoint': {
    endpoint: 'resting',
    answer: [404, 'invalid_request', 'not_found', null],
    says: /not active/,
  },
  'an unknown version': {
    endpoint: 'versioned',
    body: { version: 7 },
    answer: [404, 'invalid_request', 'version_not_found', 'version'],
  },
  'an inactive version': {
    endpoint: 'versioned',
    body: { version: 1 },
    answer: [400, 'validation_error', 'version_inactive', 'version'],
  },
  'a fractional version': {
    endpoint: 'one',
    body: { version: 1.5 },
    answer: [400, 'validation_error', 'invalid_input', 'version'],
  },
  'version 0': {
    endpoint: 'one',
    body: { version: 0 },
    answer: [400, 'validation_error', 'invalid_input', 'version'],
  },
  'a limit below one': {
    endpoint: 'one',
    body: { limit: 0 },
    answer: [400, 'validation_error', 'invalid_input', 'limit'],
  },
  'an offset below zero': {
    endpoint: 'one',
    body: { limit: 1, offset: -1 },
    answer: [400, 'validation_error', 'invalid_input', 'offset'],
  },
  'an offset without a limit': {
    endpoint: 'one',
    body: { offset: 1 },
    answer: [400, 'validation_error', 'invalid_input', 'offset'],
  },
  'unknown variables, sorted by name': {
    endpoint: 'plans',
    body: { variables: { ...RIGHT, zone: 1, age: 2 } },
    answer: [400, 'validation_error', 'invalid_variables', 'variables'],
    says: /"age".*"zone"/,
  },
  'all variables missing': {
    endpoint: 'plans',
    body: {},
    answer: [400, 'validation_error', 'invalid_variables', 'variables'],
    says: /"plan" is required.*"city" is required/,
  },
  'a null variable': {
    endpoint: 'plans',
    body: { variables: { ...RIGHT, city: null } },
    answer: [400, 'validation_error', 'invalid_variables', 'variables'],
    says: /"city" is required and may not be null/,
  },
  'a variable of the wrong type': {
    endpoint: 'plans',
    body: { variables: { ...RIGHT, city: 5 } },
    answer: [400, 'validation_error', 'invalid_variables', 'variables'],
    says: /"city"/,
  },
  'an offset for an insight': {
    endpoint: 'trend',
    body: { limit: 1, offset: 1 },
    answer: [400, 'validation_error', 'invalid_input', 'limit'],
  },
  'an offset without a limit for an insight': {
    endpoint: 'trend',
    body: { offset: 1 },
    answer: [400, 'validation_error', 'invalid_input', 'offset'],
    says: /no pages/,
  },
  'a limit for an insight': {
    endpoint: 'trend',
    body: { limit: 1 },
    answer: [400, 'validation_error', 'invalid_input', 'limit'],
    says: /no pages/,
  },
  'refresh "direct" without a materialized table': {
    endpoint: 'one',
    body: { refresh: 'direct' },
    answer: [400, 'validation_error', 'not_materialized', 'refresh'],
  },
  filters_override: {
    endpoint: 'one',
    body: { filters_override: {} },
    answer: [400, 'validation_error', 'invalid_input', 'filters_override'],
  },
  'filters_override for an insight': {
    endpoint: 'trend',
    body: { filters_override: {} },
    answer: [400, 'validation_error', 'invalid_input', 'filters_override'],
  },
  query_override: {
    endpoint: 'one',
    body: { query_override: {} },
    answer: [400, 'validation_error', 'invalid_input', 'query_override'],
  },
  'a query that the engine rejects': {
    endpoint: 'dividing',
    answer: [400, 'validation_error', 'illegal_division', 'query'],
    says: /ILLEGAL_DIVISION/,
  },
  'a query that times out': {
    endpoint: 'endless',
    key: 'hasty',
    answer: [400, 'validation_error', 'query_timeout', null],
    says: /1 s/,
  },
  'a query that needs too much memory': {
    endpoint: 'heavy',
    key: 'poor',
    answer: [400, 'validation_error', 'query_memory_limit', null],
    says: /20 MB/,
  },
  'a response over the row limit': {
    endpoint: 'ten',
    key: 'small',
    body: { format: 'csv' },
    answer: [400, 'validation_error', 'query_too_large', null],
  },
}

test.each(Object.entries(CASES))(
  'a failed run returns the documented error: %s',
  async (_, { endpoint, body = {}, key, answer, says }) => {
    const reply = await api(key ? keyed(`the-key-called-${key}`) : service, 'POST', `/endpoints/${endpoint}/run`, body)
    expect([reply.status, reply.body.type, reply.body.code, reply.body.attr]).toEqual(answer)
    if (says) expect(reply.body.detail).toMatch(says)
    expectShape(reply)
  },
)

test('a run without an API key returns 401', async () => {
  const reply = await fetch(`${service.url}/api/projects/1/endpoints/one/run`, { method: 'POST' })
  expect(reply.status).toBe(401)
  expect(await reply.json()).toEqual({
    type: 'authentication_error',
    code: 'not_authenticated',
    detail: expect.stringContaining('Authorization: Bearer'),
    attr: null,
    request_id: reply.headers.get('x-request-id'),
  })
})

test('a key over its rate limit gets 429 with Retry-After', async () => {
  const run = () => api(keyed('the-key-called-rare'), 'POST', '/endpoints/one/run')
  expect((await run()).status).toBe(200)
  const reply = await run()
  expect([reply.status, reply.body.type, reply.body.code]).toEqual([429, 'throttled_error', 'rate_limited'])
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  expectShape(reply)
})

test.each(['version=1.5', 'version=0', 'limit=x', 'limit=0', 'limit=1&offset=-1', 'offset=1'])(
  'a run with ?%s in the URL returns the invalid field',
  async (query) => {
    const reply = await api(service, 'GET', `/endpoints/one/run?${query}`)
    expect([reply.status, reply.body.code, reply.body.attr]).toEqual([
      400,
      'invalid_input',
      /(\w+)=[^&]*$/.exec(query)![1],
    ])
    expectShape(reply)
  },
)

test('a run succeeds after failed runs', async () => {
  expect((await api(service, 'POST', '/endpoints/one/run')).body.results).toEqual([[1]])
})

// Must be last: it breaks the service.
test('an internal error returns 500 with a request ID that the log contains with the cause', async () => {
  const client = createClient({ url: `file:${join(service.data, 'definitions.db')}`, timeout: 60_000 })
  await client.execute('DROP TABLE endpoint_versions')
  client.close()
  const reply = await api(service, 'POST', '/endpoints/one/run')
  expect([reply.status, reply.body]).toEqual([
    500,
    {
      type: 'server_error',
      code: 'internal_error',
      detail: expect.any(String),
      attr: null,
      request_id: reply.headers.get('x-request-id'),
    },
  ])
  expectShape(reply)
  // The log is read through a pipe, so it may follow the response.
  await until(() => service.output().includes(`Request ${reply.body.request_id} POST`))
  await until(() => service.output().includes('endpoint_versions'))
})
