import { gzipSync } from 'node:zlib'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, countOf, event, isReady, request, type RequestOptions, rowsOf } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

type Body = NonNullable<RequestOptions['body']>

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

const post = (path: string, body: Body, headers: Record<string, string> = {}) =>
  request(`${service.url}${path}`, { method: 'POST', body, headers })

describe('capture', () => {
  const body = (name: string) => JSON.stringify({ api_key: service.token, batch: [event(name)] })
  const base64 = (text: string) => `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`
  const FORM = 'application/x-www-form-urlencoded'

  test.each<[string, string, (text: string) => Body, Record<string, string>]>([
    ['JSON', '/e/', (text) => text, { 'content-type': 'application/json' }],
    ['JSON as text/plain', '/e/', (text) => text, { 'content-type': 'text/plain' }],
    ['JSON without a type', '/e/', (text) => new TextEncoder().encode(text), {}],
    ['gzip as text/plain', '/e/', (text) => new Uint8Array(gzipSync(text)), { 'content-type': 'text/plain' }],
    ['gzip with its parameter', '/e/?compression=gzip-js&ver=1.0&_=5', (text) => new Uint8Array(gzipSync(text)), {}],
    ['a base64 form', '/e/?compression=base64', base64, { 'content-type': FORM }],
    ['a base64 form without the parameter', '/e/', base64, { 'content-type': FORM }],
    ['/i/v0/e/', '/i/v0/e/', (text) => text, {}],
    ['/batch', '/batch', (text) => text, {}],
    ['/capture/ with retry_count', '/capture/?retry_count=2', (text) => text, {}],
  ])('accepts %s', async (name, path, encode, headers) => {
    expect(await post(path, encode(body(name)), headers)).toMatchObject({ status: 200, body: { status: 1 } })
    expect(await countOf(service, name)).toBe(1)
  })

  test.each<[string, (own: unknown) => unknown]>([
    ['a bare event', (own) => own],
    ['a bare list', (own) => [own]],
    ['data', (own) => ({ data: [own] })],
  ])('accepts %s with the token in the event properties', async (name, wrap) => {
    expect(await post('/e/', JSON.stringify(wrap(event(name, {}, { token: service.token }))))).toMatchObject({
      status: 200,
    })
    expect(await countOf(service, name)).toBe(1)
  })

  test('accepts the token in the URL', async () => {
    expect(await post(`/e/?token=${service.token}`, JSON.stringify([event('by address')]))).toMatchObject({
      status: 200,
    })
    expect(await countOf(service, 'by address')).toBe(1)
  })
})

describe('invalid events and requests', () => {
  test.each<[string, string, Body, number, string]>([
    ['a body that is not JSON', '/e/', 'hello there!', 400, 'invalid_json'],
    ['an empty body', '/e/', '', 400, 'invalid_json'],
    ['damaged gzip', '/e/', new Uint8Array([0x1f, 0x8b, 1, 2, 3]), 400, 'invalid_encoding'],
    ['an unknown compression', '/e/?compression=brotli', 'x', 400, 'unsupported_compression'],
    ['no events', '/e/', '{"api_key":"@"}', 400, 'invalid_input'],
    ['an unknown token', '/e/', JSON.stringify({ api_key: 'nobody', batch: [event('e')] }), 401, 'invalid_token'],
    // The token is looked up before the body is parsed.
    [
      'an unknown token in a large body that is not JSON',
      '/e/',
      `{"api_key":"nobody","batch":[${'{"event":1},'.repeat(10_000)}`,
      401,
      'invalid_token',
    ],
    ['no token', '/e/', JSON.stringify([event('e')]), 401, 'invalid_token'],
    ['a body that is too large', '/e/', 'x'.repeat(21 * 1024 * 1024), 413, 'body_too_large'],
    [
      'a small body over the limit when decompressed',
      '/e/',
      new Uint8Array(gzipSync(Buffer.alloc(70_000_000, ' '))),
      413,
      'body_too_large',
    ],
  ])('return the error code for %s', async (_, path, body, status, code) => {
    const reply = await post(path, typeof body === 'string' ? body.replace('@', service.token) : body)
    expect(reply).toMatchObject({
      status,
      body: { code, detail: expect.any(String), request_id: reply.headers.get('x-request-id') },
    })
  })

  test('do not affect valid events of the same request', async () => {
    const id = uuidv7()
    const reply = await capture(
      service,
      event('neighbor'),
      event(''),
      event('neighbor'),
      { event: 'x', uuid: id, properties: {} },
      'word',
      event('neighbor'),
    )
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      status: 1,
      refused: [
        { index: 1, code: 'missing_event_name', detail: expect.any(String) },
        { index: 3, uuid: id, code: 'missing_distinct_id', detail: expect.any(String) },
        { index: 4, code: 'not_an_object', detail: expect.any(String) },
      ],
    })
    expect(await countOf(service, 'neighbor')).toBe(3)
  })

  test('events with an unknown token do not affect events with a known token', async () => {
    const reply = await post(
      '/e/',
      JSON.stringify([event('known', {}, { token: service.token }), event('known', {}, { token: 'nobody' })]),
    )
    expect(reply.body).toMatchObject({ status: 1, refused: [{ index: 1, code: 'unknown_token' }] })
    expect(await countOf(service, 'known')).toBe(1)
  })
})

describe('stored events', () => {
  const HOSTILE = {
    'key.with.dots': 1,
    nested: { 'a.b': { c: [1, 'x', { d: null }] } },
    date: '2024-01-01',
    time: '2024-01-01T00:00:00Z',
    mixed: [true, 1, 'x', 1.5],
    big: 2 ** 70,
    huge: 1e308,
    precise: Number.MAX_SAFE_INTEGER,
    half: 'a\ud800b',
    '\udc00': 1,
    nul: 'a\u0000b',
    '': 'no name',
    'quote\'"`\\': 1,
    '%2E': 1,
    '${x}': '{{x}} {x:String}',
    __proto__own: 1,
    'line\n': 'tab\t',
  }

  test('return properties as they were sent', async () => {
    await capture(service, event('hostile', {}, HOSTILE))
    const [row] = await rowsOf(service, "SELECT properties FROM events WHERE event = 'hostile'")
    const properties = typeof row![0] === 'string' ? JSON.parse(row![0]) : row![0]
    const { half, '\udc00': odd, nested, '%2E': dot, big, huge, ...plain } = HOSTILE
    expect(properties).toMatchObject(plain)
    expect(properties.half).toBe('a\ufffdb')
    // Beyond the range of the engine's integers: returned as the nearest float.
    expect(Number(properties.big)).toBe(big)
    expect(Number(properties.huge)).toBe(huge)
    expect(properties.nested['a.b'].c.slice(0, 2)).toEqual([1, 'x'])
  })

  test.each<[string, Record<string, unknown>]>([
    ['five thousand keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key ${n}`, n]))],
    ['sixty levels', JSON.parse(`${'{"a":'.repeat(58)}1${'}'.repeat(58)}`)],
    ['lists of objects of lists', JSON.parse(`{"l":${'[{"a":'.repeat(25)}1${'}]'.repeat(25)}}`)],
    ['a path that is a value elsewhere', { path: 1 }],
    ['a path that is an object elsewhere', { path: { path: { 'path.path': 'x' } } }],
    ['keys that collide', { 'c.d': 1, 'c%2Ed': 2, c: { d: 3 } }],
    ['a megabyte of text', { text: 'ä'.repeat(1_000_000) }],
  ])('keep %s and the other events of the request', async (name, properties) => {
    const reply = await capture(service, event(name, {}, properties), event(name))
    expect(reply.body).toEqual({ status: 1 })
    expect(await countOf(service, name)).toBe(2)
  })

  test('distinguish a key with dots from a path', async () => {
    await capture(service, event('dots', {}, { 'a.b': 'key', a: { b: 'path' } }))
    expect(await rowsOf(service, "SELECT properties['a.b'], properties.a.b FROM events WHERE event = 'dots'")).toEqual([
      ['key', 'path'],
    ])
  })

  test('have timestamps corrected by sent_at', async () => {
    const anHour = 3_600_000
    const body = {
      api_key: service.token,
      sent_at: new Date(Date.now() + anHour).toISOString(),
      batch: [event('clock', { timestamp: new Date(Date.now() + anHour).toISOString() })],
    }
    await post('/e/', JSON.stringify(body))
    const [row] = await rowsOf(service, "SELECT toUnixTimestamp(timestamp) FROM events WHERE event = 'clock'")
    const sentAt = Date.parse(body.sent_at) - anHour
    expect(Number(row![0])).toBeGreaterThanOrEqual(Math.floor(sentAt / 1000))
    expect(Number(row![0]) * 1000).toBeLessThanOrEqual(Date.now())
  })

  test('have columns filled from their properties', async () => {
    const uuid = uuidv7()
    await capture(
      service,
      event(
        'columns',
        { uuid, timestamp: '2026-01-02T03:04:05.678Z' },
        { $session_id: 's', $window_id: 'w', $elements_chain: 'a:text="x"' },
      ),
    )
    const rows = await rowsOf(
      service,
      "SELECT toString(uuid), distinct_id, elements_chain, $session_id, $window_id FROM events WHERE event = 'columns'",
    )
    expect(rows).toEqual([[uuid, 'visitor', 'a:text="x"', 's', 'w']])
  })
})

describe('deduplication', () => {
  test('stores an event once when one request contains it twice', async () => {
    const uuid = uuidv7()
    await capture(
      service,
      event('once a', { uuid }),
      event('once a', { uuid }),
      event('once a', { uuid: uuid.toUpperCase() }),
    )
    expect(await countOf(service, 'once a')).toBe(1)
  })

  test('stores an event once when fifty concurrent requests contain it', async () => {
    const uuid = uuidv7()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => capture(service, event('once b', { uuid }), event('once b'))),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(await countOf(service, 'once b')).toBe(51)
  })

  test('stores an event once when later requests resend its UUID with another name and time', async () => {
    const uuid = uuidv7()
    for (const timestamp of ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'])
      await capture(service, event(`once ${timestamp}`, { uuid, timestamp }))
    expect(await rowsOf(service, `SELECT event FROM events WHERE uuid = '${uuid}'`)).toEqual([
      ['once 2025-01-01T00:00:00Z'],
    ])
  })

  test('stores an event once when its UUID is old and of another version', async () => {
    const uuid = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    await capture(service, event('once c', { uuid }))
    await capture(service, ...Array.from({ length: 500 }, () => event('between')))
    await capture(service, event('once c', { uuid }))
    expect(await countOf(service, 'once c')).toBe(1)
  })
})

describe('cross-origin pages', () => {
  test('get a preflight response that allows the requested headers', async () => {
    const reply = await request(`${service.url}/i/v0/e/`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-my-own',
      },
    })
    expect(reply.status).toBe(204)
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(reply.headers.get('access-control-allow-headers')).toBe('content-type, x-my-own')
  })

  test.each([
    ['/e/', 'no JSON!', 400],
    ['/e/', '{"api_key":"nobody","event":"e","distinct_id":"d"}', 401],
    ['/flags/?v=2', '{}', 401],
  ])('can read an error of %s', async (path, body, status) => {
    const reply = await post(path, body, { origin: 'https://shop.example' })
    expect(reply.status).toBe(status)
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://shop.example')
  })

  test('cannot read responses of the authenticated API', async () => {
    const reply = await request(`${service.url}/api/projects/${service.projectId}/endpoints/`, {
      headers: { origin: 'https://shop.example', authorization: `Bearer ${service.key}` },
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('flags and configuration', () => {
  test.each([[''], ['gzip'], ['base64']])(
    '/flags returns no flags for a project without flags (encoding "%s")',
    async (encoding) => {
      const text = JSON.stringify({ token: service.token, distinct_id: 'd' })
      const bodies: Record<string, Body> = {
        '': text,
        gzip: new Uint8Array(gzipSync(text)),
        base64: `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`,
      }
      const reply = await post('/flags/?v=2', bodies[encoding]!)
      expect(reply).toMatchObject({ status: 200, body: { flags: {}, errorsWhileComputingFlags: false } })
      expect(reply.body).not.toHaveProperty('supportedCompression')
    },
  )

  test('/flags with config=true includes the remote configuration', async () => {
    const reply = await post('/flags?v=2&config=true', JSON.stringify({ token: service.token }))
    const config = await request(`${service.url}/array/${service.token}/config`)
    expect(reply.body).toMatchObject({ flags: {}, ...config.body })
    expect(config.body).toMatchObject({
      token: service.token,
      hasFeatureFlags: false,
      analytics: { endpoint: '/i/v0/e/' },
    })
  })

  test.each([
    ['/array/nobody/config', 404],
    ['/array/nobody/config.js', 404],
    ['/static/nothing.js', 404],
    ['/static/../package.json', 404],
    ['/static/%2e%2e/package.json', 404],
    ['/nowhere', 404],
    ['/api/surveys/?token=x', 200],
    ['/_health', 200],
  ])('GET %s responds with %i', async (path, status) => {
    expect((await request(`${service.url}${path}`)).status).toBe(status)
  })

  test('GET /_readiness responds with 200', () => until(() => isReady(service)))

  test('/array/:token/config.js is a cacheable script', async () => {
    const reply = await request(`${service.url}/array/${service.token}/config.js`)
    expect(reply.headers.get('content-type')).toMatch(/javascript/)
    expect(reply.headers.get('cache-control')).toMatch(/max-age=/)
    expect(reply.body).toContain(JSON.stringify(service.token))
  })
})

test('the service stores every event of a flood of concurrent deliveries', async () => {
  const batches = Array.from({ length: 40 }, (_, batch) =>
    Array.from({ length: 50 }, (_, n) => event('flood', { uuid: uuidv7() }, { batch, n })),
  )
  const replies = await Promise.all(batches.map((batch) => capture(service, ...batch)))
  expect(replies.every(({ status, body }) => status === 200 && !body.refused)).toBe(true)
  expect(await countOf(service, 'flood')).toBe(2_000)
  expect((await api(service, 'GET', '/endpoints/')).status).toBe(200)
})
