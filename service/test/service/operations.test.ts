import { request as httpRequest } from 'node:http'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, countOf, event, request, type Reply } from '../support/api.ts'
import { trailmarkJson } from '../support/cli.ts'
import { childrenOf, until } from '../support/engine.ts'
import { createMetricsKey, readMetrics } from '../support/metrics.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let metricsKey: string

beforeAll(async () => {
  service = await startService({
    env: { TRAILMARK_LOG_FORMAT: 'json', TRAILMARK_LOG_LEVEL: 'debug', TRAILMARK_INGEST_MEMORY_MB: '1' },
  })
  metricsKey = await createMetricsKey(service)
})
afterAll(() => service.stop())

const metrics = () => readMetrics(service, metricsKey)

const logLines = (): Record<string, any>[] =>
  service
    .output()
    .split('\n')
    .slice(0, -1) // the last line may be incomplete
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

test('metrics count events by outcome', async () => {
  const before = await metrics()
  const uuid = uuidv7()
  await capture(service, event('counted', { uuid }), event('counted', { uuid }), event('counted'), event('', {}), {
    event: 'nobody',
  })
  await capture(service, event('counted', { uuid }))
  await capture({ ...service, token: 'no-project' }, event('counted'))
  const after = await metrics()
  const more = (name: string) => after[name]! - (before[name] ?? 0)
  // A body without a known token is rejected before it is parsed, so its events cannot be counted.
  expect(more('trailmark_events_received_total')).toBe(6)
  expect(more('trailmark_events_stored_total')).toBe(2)
  expect(more('trailmark_events_repeated_total')).toBe(2)
  expect(more('trailmark_events_refused_total{reason="missing_event_name"}')).toBe(1)
  expect(more('trailmark_events_refused_total{reason="missing_distinct_id"}')).toBe(1)
  expect(more('trailmark_refusals_total{code="invalid_token"}')).toBe(1)
  expect(more('trailmark_requests_total{method="POST",route="/e",status="200"}')).toBe(2)
  expect(more('trailmark_requests_total{method="POST",route="/e",status="401"}')).toBe(1)
  expect(after).toMatchObject({
    trailmark_writer_waiting_events: 0,
    trailmark_writer_waiting_bytes: 0,
  })
  expect(after.process_resident_memory_bytes).toBeGreaterThan(10_000_000)
  // An engine that waits for the processor for 1 s is not up.
  await until(async () => (await metrics()).trailmark_engine_up === 1)
})

test('metrics count runs by outcome', async () => {
  await api(service, 'POST', '/endpoints/', {
    name: 'told',
    query: { kind: 'HogQLQuery', query: "SELECT count() FROM events WHERE event = 'told'" },
  })
  await api(service, 'POST', '/endpoints/', {
    name: 'wrong',
    query: { kind: 'HogQLQuery', query: "SELECT toDate('never') FROM events" },
  })
  const before = await metrics()
  await api(service, 'POST', '/endpoints/told/run')
  await api(service, 'POST', '/endpoints/told/run')
  await api(service, 'POST', '/endpoints/absent/run')
  const after = await metrics()
  const more = (name: string) => after[name]! - (before[name] ?? 0)
  expect(more('trailmark_run_seconds_count{outcome="ok"}')).toBe(2)
  expect(more('trailmark_run_seconds_count{outcome="not_found"}')).toBe(1)
  expect([more('trailmark_run_cache_total{result="miss"}'), more('trailmark_run_cache_total{result="hit"}')]).toEqual([
    1, 1,
  ])
})

test('metrics require a key for all projects with the metrics scope', async () => {
  expect((await request(`${service.url}/metrics`)).status).toBe(401)
  expect(
    await request(`${service.url}/metrics`, { headers: { authorization: `Bearer ${service.key}` } }),
  ).toMatchObject({ status: 403, body: { detail: expect.stringContaining('--scopes metrics:read --all-projects') } })
})

test('metrics count crashes of the engine', async () => {
  const before = (await metrics()).trailmark_engine_restarts_total!
  process.kill(childrenOf(service.process.pid!)[0]!, 'SIGKILL')
  await until(async () => (await metrics()).trailmark_engine_restarts_total === before + 1)
  await until(async () => (await metrics()).trailmark_engine_up === 1)
})

describe('rejected events', () => {
  const refused = (query = '') => api(service, 'GET', `/refused_events/${query}`)

  test('can be listed with the reason, newest first', async () => {
    const { body } = await capture(
      service,
      event('good'),
      { event: 'no person', properties: { plan: 'gold' } },
      event('bad id', { uuid: 'not-a-uuid' }),
      'a text',
    )
    expect(body.refused).toHaveLength(3)
    const { body: page } = await refused('?limit=3')
    expect(
      page.results
        .map(({ code, detail, event: name, sample }: Record<string, unknown>) => [code, detail, name, sample])
        .sort(),
    ).toEqual(
      [
        [
          'invalid_uuid',
          '"uuid" must be a UUID of 36 characters, or absent.',
          'bad id',
          expect.stringContaining('"distinct_id":"visitor"'),
        ],
        [
          'missing_distinct_id',
          '"distinct_id" must be a number or a string with a visible character, inside "properties" or next to it.',
          'no person',
          expect.stringContaining('"plan":"gold"'),
        ],
        ['not_an_object', 'An event must be an object.', '', '"a text"'],
      ].sort(),
    )
    expect(Date.now() - Date.parse(page.results[0].refused_at)).toBeLessThan(60_000)
    // None of them is stored as an event.
    expect(await countOf(service, 'no person')).toBe(0)
  })

  test('can be paged and filtered by reason', async () => {
    await capture(service, ...Array.from({ length: 5 }, () => event('paged', { uuid: 'x' })))
    const ids: string[] = []
    let next: string | null = null
    do {
      const { body }: Reply<{ results: { id: string; code: string }[]; next: string | null }> = await refused(
        `?limit=2&code=invalid_uuid${next ? `&before=${next}` : ''}`,
      )
      expect(body.results.every(({ code }) => code === 'invalid_uuid')).toBe(true)
      ids.push(...body.results.map(({ id }) => id))
      next = body.next
    } while (next)
    expect(ids.length).toBeGreaterThanOrEqual(6)
    expect(ids).toEqual([...new Set(ids)].sort().reverse())
  })

  test('are not visible to other projects', async () => {
    const project = await trailmarkJson(service.data, 'project', 'create', 'Another')
    const key = await trailmarkJson(
      service.data,
      'key',
      'create',
      'another',
      '--scopes',
      'all',
      '--project',
      String(project.id),
    )
    const another = { ...service, token: project.api_token, key: key.value, projectId: project.id }
    expect((await api(another, 'GET', '/refused_events/')).body).toEqual({ results: [], next: null })
    await capture(another, { event: 'theirs' })
    expect((await api(another, 'GET', '/refused_events/')).body.results).toHaveLength(1)
    expect(JSON.stringify((await refused()).body)).not.toContain('theirs')
    // Queries cannot read the table either.
    expect(
      (
        await api(service, 'POST', '/endpoints/', {
          name: 'peek',
          query: { kind: 'HogQLQuery', query: 'SELECT * FROM refused_events' },
        })
      ).status,
    ).toBe(400)
  })

  test.each([
    ['?limit=0', '"limit" must be an integer from 1 to 1000, got "0".'],
    ['?before=yesterday', '"before" must be the id of a rejected event, such as the value of "next".'],
    ['?code=ugly', '"code" must be one of not_an_object'],
  ])('reject the invalid URL parameters %s with the reason', async (query, detail) => {
    expect(await refused(query)).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } })
  })
})

describe('the log', () => {
  test('records who changed what with the request ID and without secrets', async () => {
    const created = await api(service, 'POST', '/endpoints/', {
      name: 'logged',
      query: { kind: 'HogQLQuery', query: 'SELECT 1' },
    })
    await request(`${service.url}/e/?token=${service.token}&api_key=${service.key}`, { method: 'POST', body: '[]' })
    await request(`${service.url}/api/projects/1/endpoints/?personal_api_key=${service.key}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    await until(() => logLines().some(({ request_id: id }) => id === created.headers.get('x-request-id')))
    expect(logLines().find(({ request_id: id }) => id === created.headers.get('x-request-id'))).toMatchObject({
      level: 'info',
      message: 'Request',
      method: 'POST',
      route: '/api/projects/:projectId/endpoints',
      status: 201,
      label: 'first key',
    })
    expect(logLines().some(({ level, route }) => level === 'debug' && route === '/e')).toBe(true)
    expect(service.output()).not.toContain(service.key)
    expect(service.output()).not.toContain(metricsKey)
  })
})

describe('deliveries over the memory limit', () => {
  test('are accepted after a stalled body is dropped', async () => {
    const { hostname, port } = new URL(service.url)
    const stalled = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: '/e/',
      headers: { 'content-length': 3_000_000 },
    })
    stalled.on('error', () => {})
    stalled.write(Buffer.alloc(900_000, ' '))
    await until(async () => (await metrics()).trailmark_bodies_held_bytes! >= 900_000)
    const { status } = await capture(service, event('beside', {}, { text: 'x'.repeat(400_000) }))
    stalled.destroy()
    expect(status).toBe(200)
  })
})
