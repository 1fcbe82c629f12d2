/** @jest-environment node */
import { gzipSync } from 'node:zlib'
import { type Collector, createCollector } from 'trailmark/testing'

let collector: Collector
beforeAll(async () => {
  collector = await createCollector()
})
afterAll(() => collector.stop())
afterEach(() => collector.reset())

const eventOf = (event: unknown, properties: object = {}, more: object = {}) => ({
  event,
  properties: { distinct_id: 'ada', ...properties },
  ...more,
})
const batch = (events: readonly unknown[], token = collector.token) => JSON.stringify({ api_key: token, batch: events })
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}, host = collector.url) =>
  fetch(host + path, { method: 'POST', body: body as BodyInit, headers })

test.each<[string, string, (text: string) => string | Buffer]>([
  ['JSON', '/e/', (text) => text],
  ['gzip', '/e/', (text) => gzipSync(text)],
  [
    'a form of base64',
    '/e/?compression=base64',
    (text) => `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`,
  ],
  ['base64', '/e/?compression=base64', (text) => Buffer.from(text).toString('base64')],
  ['a beacon of text', '/batch/?beacon=1', (text) => text],
])('decodes %s', async (_, path, encode) => {
  const body = encode(batch([eventOf('purchase', { amount: 42, note: 'é+/' })]))
  const response = await post(path, body, { 'Content-Type': 'text/plain' })
  expect(await response.json()).toEqual({ status: 1 })
  expect(collector.events()).toMatchObject([
    { event: 'purchase', distinctId: 'ada', properties: { amount: 42, note: 'é+/' } },
  ])
})

test('answers flags with what the test has set, and the remote configuration', async () => {
  collector.setFlags({ on: true, off: false, checkout: { value: 'short', payload: { steps: 2 } } })
  collector.setSurveys([{ id: 's1' }])
  collector.setConfig({ heatmaps: true })
  const ask = async (body: object) =>
    (
      await post('/flags/?v=2&config=true', JSON.stringify({ token: collector.token, distinct_id: 'ada', ...body }))
    ).json()
  expect(await ask({})).toMatchObject({
    flags: {
      on: { enabled: true, variant: null },
      off: { enabled: false },
      checkout: { enabled: true, variant: 'short', metadata: { payload: '{"steps":2}' } },
    },
    featureFlags: { on: true, off: false, checkout: 'short' },
    surveys: true,
    heatmaps: true,
  })
  expect(await ask({ disable_flags: true })).toMatchObject({ flags: {}, heatmaps: true })
  const get = (path: string) => fetch(collector.url + path)
  expect(await (await get(`/array/${collector.token}/config`)).json()).toMatchObject({ heatmaps: true })
  expect(await (await get(`/api/surveys/?token=${collector.token}`)).json()).toEqual({ surveys: [{ id: 's1' }] })
  collector.reset()
  expect(await ask({})).toMatchObject({ flags: {}, surveys: false, heatmaps: false })
})

test.each<[string, unknown]>([
  ['not_an_object', 'text'],
  ['missing_event_name', eventOf(' ')],
  ['event_name_too_long', eventOf('x'.repeat(201))],
  ['invalid_properties', { event: 'x', properties: [1] }],
  ['missing_distinct_id', eventOf('x', { distinct_id: ' ' })],
  ['distinct_id_too_long', eventOf('x', { distinct_id: 'x'.repeat(1001) })],
  ['invalid_uuid', eventOf('x', {}, { uuid: 'none' })],
  ['invalid_timestamp', eventOf('x', {}, { timestamp: 'yesterday' })],
])('keeps %s as bad, with the reason, and the rest of the batch', async (code, event) => {
  const response = await post('/e/', batch([eventOf('fine'), event]))
  expect(await response.json()).toMatchObject({ status: 1, refused: [{ index: 1, code }] })
  expect(collector.bad()).toMatchObject([{ code, reason: expect.stringMatching(/\w+.*\.$/), sample: event }])
  expect(collector.events().map((each) => each.event)).toEqual(['fine'])
})

test.each<[string, string | Buffer, number, string]>([
  ['a body that is not JSON', '{', 400, 'invalid_json'],
  ['a body without events', '{"api_key":"x"}', 400, 'invalid_input'],
  ['damaged gzip', gzipSync('{}').subarray(0, 12), 400, 'invalid_encoding'],
])('rejects %s', async (_, body, status, code) => {
  const response = await post('/e/', body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code, type: 'validation_error' })
  expect(collector.bad()).toMatchObject([{ code }])
})

test('an unknown token is rejected and names both', async () => {
  expect((await post('/e/', batch([eventOf('purchase')], 'other'))).status).toBe(401)
  expect((await post('/flags/', '{"token":"other"}')).status).toBe(401)
  expect(collector.events()).toEqual([])
  expect(collector.bad().map(({ code, event }) => [code, event])).toEqual([
    ['unknown_token', 'purchase'],
    ['unknown_token', undefined],
  ])
  expect(collector.bad()[0]!.reason).toContain('"other"')
})

test('eight workers that send at the same time share nothing', async () => {
  const workers = Array.from({ length: 8 }, () => collector.project())
  await Promise.all(
    workers.flatMap((worker, at) =>
      Array.from({ length: 5 }, (_, count) =>
        post('/e/', gzipSync(batch([eventOf(`of ${at}`, { count })], worker.token))),
      ),
    ),
  )
  workers[0]!.setFlags({ mine: true })
  for (const [at, worker] of workers.entries()) {
    expect(worker.events().map(({ event }) => event)).toEqual(Array(5).fill(`of ${at}`))
    expect(worker.requests()).toHaveLength(5)
  }
  const flags = await post('/flags/', JSON.stringify({ token: workers[1]!.token }))
  expect(await flags.json()).toMatchObject({ flags: {} })
  expect(collector.events()).toEqual([])
  expect(collector.bad()).toEqual([])
})

test('a site whose token cannot change has a host of its own', async () => {
  const project = collector.project()
  const body = batch([eventOf('purchase')], 'built-in')
  expect((await post('/e/', body, {}, collector.hostFor(project))).status).toBe(200)
  expect(project.events('purchase')).toHaveLength(1)
  expect(collector.bad()).toEqual([])
})

test('a retry of an event counts once', async () => {
  const body = batch([eventOf('purchase', {}, { uuid: '0195f000-0000-7000-8000-000000000042' })])
  await post('/e/', body)
  await post('/e/?retry_count=1', body)
  expect(collector.events()).toHaveLength(1)
})

test('waitFor resolves with a later event that has the properties, and its timeout says what is there', async () => {
  const waiting = collector.waitFor('purchase', { amount: 42 })
  await post('/e/', batch([eventOf('purchase', { amount: 1 }), eventOf('purchase', { amount: 42 })]))
  expect((await waiting).properties.amount).toBe(42)
  const late = collector.waitFor('purchase', { amount: 43 }, { timeout: 1 })
  await expect(late).rejects.toThrow('amount: expected 43, got ')
})

test('quiet waits for a request that is still arriving', async () => {
  let send: (() => void) | undefined
  const body = new ReadableStream({
    start: (stream) => {
      send = () => {
        stream.enqueue(new TextEncoder().encode(batch([eventOf('slow')])))
        stream.close()
      }
    },
  })
  const sent = fetch(`${collector.url}/e/`, { method: 'POST', body, duplex: 'half' } as RequestInit)
  await new Promise((done) => setTimeout(done, 50))
  const quiet = collector.quiet(1).then(() => collector.events().length)
  send!()
  await sent
  expect(await quiet).toBe(1)
})

test('serves the scripts of the SDK, and answers preflights of any page', async () => {
  const script = await fetch(`${collector.url}/static/analytics.js`)
  expect(script.status).toBe(200)
  expect(await script.text()).toContain('Trailmark')
  expect((await fetch(`${collector.url}/static/..%2fpackage.json`)).status).toBe(404)
  const preflight = await fetch(`${collector.url}/e/`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Headers': 'x-mine' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://shop.example')
  expect(preflight.headers.get('access-control-allow-headers')).toBe('x-mine')
})
