import { join } from 'node:path'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, type Reply } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

// A run of a key whose time is not tested may wait for the processor.
const KEY_LIMITS = {
  slow: { per_minute: 3, seconds: 60 },
  hourly: { per_hour: 2, seconds: 60 },
  narrow: { at_once: 1, seconds: 60 },
  small: { rows: 2, stream_rows: 4, seconds: 60 },
  hasty: { seconds: 1 },
  poor: { memory_mb: 20, seconds: 60 },
  thrifty: { memory_mb: 100, seconds: 60 },
  greedy: { at_once: 100, seconds: 2 },
  other: { seconds: 60 },
}

let service: RunningService
const keyed = (label: string) => ({ ...service, key: `the-key-called-${label}` })
const run = (name: string, label: string, body: object = {}): Promise<Reply> =>
  api(keyed(label), 'POST', `/endpoints/${name}/run`, body)

beforeAll(async () => {
  // Half of this engine's memory is below the default memory limit of a run.
  service = await startService({
    env: {
      TRAILMARK_ENGINE_MEMORY_MB: '1500',
      TRAILMARK_KEY_LIMITS: JSON.stringify(KEY_LIMITS),
      TRAILMARK_RUNS_PER_MINUTE: '200',
      TRAILMARK_RUN_SECONDS: '2',
    },
  })
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  for (const label of [...Object.keys(KEY_LIMITS), 'unlisted'])
    await metadata.keys.put({
      projectId: service.projectId,
      label,
      secret: `the-key-called-${label}`,
      scopes: ['endpoint:read'],
    })
  await metadata.close()
  const endless =
    'SELECT count(), {variables.n} FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1'
  await api(service, 'POST', '/insight_variables/', { name: 'n', type: 'Number' })
  for (const [name, query] of [
    ['one', 'SELECT 1'],
    ['ten', 'SELECT arrayJoin(range(10)) AS n'],
    ['endless', endless],
    [
      'groups',
      `SELECT count() FROM (SELECT s, count() AS c FROM (SELECT concat('visitor ', toString(a), ' ', toString(b), repeat('.', {variables.n})) AS s
        FROM (SELECT arrayJoin(range(2000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000)) AS b) AS y) AS e GROUP BY s) AS g`,
    ],
    ['heavy', 'SELECT length(groupUniqArray(n)) FROM (SELECT arrayJoin(range(20000000)) AS n)'],
  ]) {
    const { status, body } = await api(service, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query } })
    expect([status, body.detail]).toEqual([201, undefined])
  }
})
afterAll(() => service.stop())

test('the service runs queries on an engine with little memory', async () => {
  expect((await run('one', 'other')).status).toBe(200)
  for (const path of ['/event_definitions/', '/property_definitions/?type=person', '/persons/'])
    expect([path, (await api(service, 'GET', path)).status]).toEqual([path, 200])
})

test.each([
  ['slow', 3],
  ['hourly', 2],
] as const)(
  'the key "%s" gets 429 with Retry-After after %d runs without affecting other keys',
  async (label, count) => {
    for (let n = 0; n < count; n += 1) expect((await run('one', label)).status).toBe(200)
    const refused = await run('one', label)
    expect(refused).toMatchObject({
      status: 429,
      body: { type: 'throttled_error', code: 'rate_limited', request_id: expect.any(String) },
    })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(label === 'slow' ? 60 : 3_600)
    expect((await run('one', label, { format: 'csv' })).status).toBe(429)
    expect((await run('one', 'other')).status).toBe(200)
  },
)

test('a key limited to one concurrent run rejects a second run', async () => {
  const first = run('endless', 'narrow', { variables: { n: -1 }, client_query_id: 'first' })
  let second: Reply
  do second = await run('one', 'narrow')
  while (second.status === 200) // the first request has not arrived yet
  expect(second).toMatchObject({ status: 429, body: { code: 'too_many_at_once' } })
  expect(second.headers.get('retry-after')).toBe('1')
  await api(keyed('other'), 'DELETE', '/query/first/')
  expect(await first).toMatchObject({ body: { code: 'query_cancelled' } })
  expect((await run('one', 'narrow')).status).toBe(200)
})

test('a stream counts as concurrent until it is sent', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    let reply: Reply
    do reply = await run('ten', 'narrow', { format: 'csv' })
    while (reply.status === 429 && turn > 0) // the end of the previous stream is registered with a delay
    expect(reply.status).toBe(200)
  }
})

test('a HEAD request for a stream does not occupy a run slot', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    let status: number
    do
      ({ status } = await fetch(`${service.url}/api/projects/${service.projectId}/endpoints/ten/run?format=csv`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${keyed('narrow').key}` },
      }))
    while (status === 429 && turn > 0) // as above
    expect(status).toBe(200)
  }
})

test('the row limit caps pages and rejects longer streams', async () => {
  expect((await run('ten', 'small')).body).toMatchObject({ results: { length: 2 }, hasMore: true })
  expect((await run('ten', 'small', { limit: 5 })).body).toMatchObject({
    results: { length: 2 },
    limit: 2,
    hasMore: true,
  })
  expect(await run('ten', 'small', { format: 'csv' })).toMatchObject({ status: 400, body: { code: 'query_too_large' } })
  expect((await run('ten', 'small', { format: 'csv', limit: 4 })).status).toBe(200)
  expect((await run('ten', 'other')).body).toMatchObject({ results: { length: 10 }, hasMore: false })
})

test('the time limit applies to all keys by environment variable and to one key by label', async () => {
  expect(await run('endless', 'unlisted', { variables: { n: 0 } })).toMatchObject({
    status: 400,
    body: { code: 'query_timeout', detail: expect.stringContaining('longer than 2 s') },
  })
  expect(await run('endless', 'hasty', { variables: { n: 0 } })).toMatchObject({
    status: 400,
    body: { code: 'query_timeout', detail: expect.stringContaining('longer than 1 s') },
  })
})

test('the memory limit rejects a query that needs more and reports the limit', async () => {
  expect(await run('heavy', 'poor')).toMatchObject({
    status: 400,
    body: { code: 'query_memory_limit', detail: expect.stringContaining('20 MB') },
  })
  expect((await run('one', 'poor')).status).toBe(200)
})

test('a query with more groups than fit in its memory uses the disk, up to a limit', async () => {
  expect((await run('groups', 'thrifty', { variables: { n: 1 } })).body).toMatchObject({ results: [[2_000_000]] })
  expect(await run('groups', 'poor', { variables: { n: 100 } })).toMatchObject({
    status: 400,
    body: { code: 'query_memory_limit' },
  })
})

test('the queue of a project rejects excess queries as retryable and runs later ones', async () => {
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => run('endless', 'greedy', { variables: { n: n + 1 } })),
  )
  const refused = replies.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const reply of refused) {
    expect(reply.body).toMatchObject({ type: 'throttled_error', code: 'query_capacity' })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(replies.every(({ status, body }) => status === 503 || body.code === 'query_timeout')).toBe(true)
  expect((await run('one', 'other')).status).toBe(200)
})
