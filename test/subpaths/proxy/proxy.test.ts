/** @jest-environment node */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createProxy, type H3Event, type ProxyInfo, type ProxyOptions, toH3, toNode } from 'trailmark/proxy'

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const servers: Server[] = []
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const seen: Seen[] = []
const SCRIPT = 'console.log("the script")'
/** How the service responds, by path. */
const RESPONSES: Record<string, RequestListener> = {
  '/static/analytics.js': (request, response) => {
    const headers = { etag: '"1"', 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' }
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304, headers).end()
    else
      response
        .writeHead(200, { ...headers, 'content-type': 'text/javascript', 'content-encoding': 'gzip' })
        .end(gzipSync(SCRIPT))
  },
  '/static/2.0.0/surveys.js': (_, response) =>
    response.writeHead(200, { 'cache-control': 'public, max-age=31536000, immutable' }).end(SCRIPT),
  '/toolbar/session': (_, response) =>
    response
      .writeHead(200, { 'set-cookie': ['__Host-trailmark_toolbar_1=secret; Path=/; Secure', 'other=1'] })
      .end('{}'),
  '/s/': (_, response) => response.writeHead(301, { location: 'https://elsewhere.example/' }).end(),
  '/batch/': () => undefined,
  '/capture/': (_, response) => response.destroy(),
}
const ok: RequestListener = (_, response) =>
  response
    .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b', connection: 'close', server: 'x' })
    .end('{"status":1}')

let host: string
beforeAll(async () => {
  host = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks) })
      ;(RESPONSES[request.url!.replace(/\?.*/, '')] ?? ok)(request, response)
    })
  })
})
beforeEach(() => {
  seen.length = 0
  jest.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
})

const ask = (path: string, init: RequestInit = {}, options: Partial<ProxyOptions> = {}, info?: ProxyInfo) =>
  createProxy({ host, ...options })(new Request(`https://shop.example${path}`, init), info)

describe('the script', () => {
  test.each(['/ingest/static/analytics.js', '/ingest/a.js'])(
    '%s is served as plain bytes with its lifetime',
    async (path) => {
      const response = await ask(path, { headers: { 'accept-encoding': 'gzip' } })
      expect([response.status, await response.text()]).toEqual([200, SCRIPT])
      expect(Object.fromEntries(response.headers)).toEqual({
        'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
        'content-type': 'text/javascript',
        etag: '"1"',
      })
    },
  )

  test('is answered with 304 for its tag', async () => {
    const response = await ask('/ingest/a.js', { headers: { 'if-none-match': '"1"' } })
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', '"1"'])
    expect(seen[0]!.headers['cache-control']).toBe('max-age=0')
  })

  test('finds its extensions next to it, with and without a version', async () => {
    const response = await ask('/ingest/2.0.0/surveys.js')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    await ask('/ingest/recorder.js')
    await ask('/ingest/2.0.0/a.js')
    expect(seen.map(({ url }) => url)).toEqual([
      '/static/2.0.0/surveys.js',
      '/static/recorder.js',
      '/static/2.0.0/analytics.js',
    ])
  })
})

describe('events', () => {
  test('pass as they are, compressed or not, and their responses are not stored', async () => {
    for (const body of [gzipSync('{"batch":[]}'), Buffer.from('{"batch":[]}')]) {
      const headers = { 'content-type': 'text/plain', origin: 'https://shop.example', 'user-agent': 'Visitor' }
      const response = await ask('/ingest/e/?retry_count=1', { method: 'POST', body, headers })
      expect([response.status, await response.json()]).toEqual([200, { status: 1 }])
      expect(Object.fromEntries(response.headers)).toEqual({
        'cache-control': 'no-store',
        'content-type': 'application/json',
      })
      expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/e/?retry_count=1', body, headers })
    }
  })

  test('carry no cookies, no credentials and no forged address', async () => {
    const secrets = {
      cookie: 'session=secret; __Host-trailmark_toolbar_1=secret',
      authorization: 'Bearer secret',
      'x-forwarded-for': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-api-key': 'secret',
      'x-trailmark-toolbar': '1',
      connection: 'keep-alive, x-hop',
    }
    await ask('/ingest/e/', { method: 'POST', body: '{}', headers: secrets }, {}, { ip: '203.0.113.7' })
    await ask('/ingest/e/', { method: 'POST', body: '{}', headers: secrets })
    expect(JSON.stringify(seen)).not.toMatch(/secret|6\.6\.6\.6/)
    expect(seen.map(({ headers }) => headers['x-forwarded-for'])).toEqual(['203.0.113.7', undefined])
  })

  test('carry the address of the header that the platform sets, the last of a list', async () => {
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7', 'cf-connecting-ip': '2001:db8::1', 'x-bad': 'nobody' }
    const send = (ipHeader: string) => ask('/ingest/e/', { method: 'POST', headers }, { ipHeader }, { ip: '10.0.0.1' })
    for (const name of ['x-forwarded-for', 'cf-connecting-ip', 'x-bad', 'x-absent']) await send(name)
    expect(seen.map((each) => each.headers['x-forwarded-for'])).toEqual([
      '203.0.113.7',
      '2001:db8::1',
      undefined,
      undefined,
    ])
  })

  test('of more bytes than allowed are refused with 413, also without a length', async () => {
    const stream = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(600)) })
    for (const body of ['x'.repeat(1001), stream()]) {
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit
      expect((await ask('/ingest/e/', init, { maxBytes: 1000 })).status).toBe(413)
    }
    expect(seen).toEqual([])
  })
})

describe('paths', () => {
  test.each([
    '/console/',
    '/ingest',
    '/ingest/',
    '/ingest/console/',
    '/ingest/api/projects/1/',
    '/ingest/api/console/session',
    '/ingest/flags/definitions',
    '/ingest/_health',
    '/ingest/metrics',
    '/ingest/e/../console/',
    '/ingest/e/%2e%2e/console/',
    '/ingest/static/%2e%2e%2fconsole/',
    '/ingest/static/..%2fconsole/',
    '/ingest/static/..%5cconsole/',
    '/ingest/static\\..\\console/',
    '/ingest//evil.example/e/',
    '/ingest/static//evil.example/a.js',
    '/ingest/@evil.example/e/',
    '/ingestion/e/',
  ])('%s is not passed on', async (path) => {
    const response = await ask(path)
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
    expect(seen).toEqual([])
  })

  test('of the SDK are passed on below any prefix', async () => {
    const sdk = [
      '/e/',
      '/e',
      '/i/v0/e/',
      '/flags/?v=2',
      '/array/token/config',
      '/static/a/b.js',
      '/api/surveys/?token=t',
    ]
    for (const path of sdk) await ask(`/t/x${path}`, {}, { prefix: 't/x/' })
    for (const path of sdk) await ask(path, {}, { prefix: '' })
    expect(seen.map(({ url }) => url)).toEqual([...sdk, ...sdk])
  })

  test('below the path of a service', async () => {
    await ask('/ingest/e/', {}, { host: `${host}/trailmark/` })
    expect(seen[0]!.url).toBe('/trailmark/e/')
  })

  test('take the methods of the SDK only', async () => {
    expect((await ask('/ingest/e/', { method: 'PUT', body: '{}' })).status).toBe(405)
    expect(seen).toEqual([])
  })
})

test('the toolbar keeps its own session, and nothing of the site', async () => {
  const headers = {
    cookie: 'session=site; __Host-trailmark_toolbar_1=mine',
    authorization: 'Bearer memory',
    'x-trailmark-toolbar': '1',
    'sec-fetch-site': 'same-origin',
  }
  const response = await ask('/ingest/toolbar/session', { method: 'POST', headers })
  expect(response.headers.getSetCookie()).toEqual(['__Host-trailmark_toolbar_1=secret; Path=/; Secure'])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(seen[0]!.headers).toMatchObject({ ...headers, cookie: '__Host-trailmark_toolbar_1=mine' })
  for (const change of [{ 'x-trailmark-toolbar': '0' }, { authorization: 'Basic site' }]) {
    await ask('/ingest/toolbar/session', { method: 'POST', headers: { ...headers, ...change } })
    expect(seen.at(-1)!.headers.authorization).toBeUndefined()
  }
})

describe('a failure of the service', () => {
  test.each([
    ['/ingest/batch/', /did not respond in 100 ms/],
    ['/ingest/capture/', /does not respond/],
    ['/ingest/s/', /redirects to https:\/\/elsewhere\.example\/\. Use the final URL as host/],
  ])('%s is 502 as JSON that the SDK repeats', async (path, detail) => {
    const response = await ask(path, { method: 'POST', body: '{}' }, { timeoutMs: 100 })
    expect([response.status, response.headers.get('cache-control')]).toEqual([502, 'no-store'])
    const body = (await response.json()) as { detail: string; type?: string }
    expect(body.detail).toMatch(detail)
    // With `type`, the SDK would take it for an error of the service and drop the events.
    expect(body.type).toBeUndefined()
  })

  test('a proxy that forwards to itself says so, and is asked twice at most', async () => {
    const proxy: { handle?: RequestListener } = {}
    let requests = 0
    const own = await listen((request, response) => {
      requests++
      proxy.handle!(request, response)
    })
    proxy.handle = (request, response) => void toNode(createProxy({ host: `${own}/ingest` }))(request, response)
    const response = await fetch(`${own}/ingest/e/`, { method: 'POST', body: '{}' })
    expect([response.status, await response.json()]).toEqual([
      508,
      { error: 'loop', detail: expect.stringContaining('Use the URL of the Trailmark service') },
    ])
    expect(requests).toBe(2)
    expect(console.error).toHaveBeenCalledWith(expect.stringContaining('It forwards to itself'))
  })
})

test.each([
  '',
  'events.example.com',
  '/ingest',
  'ftp://a.example',
  'https://user:secret@a.example',
  'https://a.example/?x',
])('the host %j is refused with what to write', (host) => {
  expect(() => createProxy({ host })).toThrow(/host must be the URL of your Trailmark service/)
})

test('a worker stays alive until the service has responded', async () => {
  const waiting: Promise<unknown>[] = []
  const response = ask('/ingest/e/', { method: 'POST' }, {}, { waitUntil: (promise) => waiting.push(promise) })
  expect(waiting).toHaveLength(1)
  expect(await waiting[0]).toBe(await response)
})

describe('toNode', () => {
  /** Starts a site that reads bodies first as `read` does, and then calls the adapter. */
  const site = (read?: (request: any) => Promise<void>) =>
    listen((request, response) => {
      const handle = toNode(createProxy({ host }))
      void (async () => {
        await read?.(request)
        await handle(request, response, () => response.writeHead(200).end('page'))
      })()
    })

  test('serves the script, delivers events with the address of the connection, and leaves the rest to the site', async () => {
    const url = await site()
    expect(await (await fetch(`${url}/ingest/a.js`)).text()).toBe(SCRIPT)
    const body = gzipSync('{"batch":[]}')
    const headers = { 'x-forwarded-for': '6.6.6.6', cookie: 'session=secret' }
    const sent = await fetch(`${url}/ingest/e/`, { method: 'POST', body, headers })
    expect(await sent.json()).toEqual({ status: 1 })
    expect(seen.at(-1)).toMatchObject({ body, headers: { 'x-forwarded-for': '127.0.0.1' } })
    expect(seen.at(-1)!.headers.cookie).toBeUndefined()
    expect(await (await fetch(`${url}/ingestion`)).text()).toBe('page')
    expect((await fetch(`${url}/ingest/console/`)).status).toBe(404)
  })

  test('responds with 413 to a body without a length that is too long', async () => {
    const url = await listen(
      (request, response) => void toNode(createProxy({ host, maxBytes: 1000 }))(request, response),
    )
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(5000))
        controller.close()
      },
    })
    const response = await fetch(`${url}/ingest/e/`, { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(413)
    expect(seen).toEqual([])
  })

  test.each([
    ['express.raw()', (bytes: Buffer) => bytes],
    ['express.text()', (bytes: Buffer) => bytes.toString()],
    ['express.json()', (bytes: Buffer) => JSON.parse(bytes.toString()) as unknown],
  ])('takes what %s has read', async (_, parse) => {
    const url = await site(async (request) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      request.body = parse(Buffer.concat(chunks))
    })
    await fetch(`${url}/ingest/e/`, { method: 'POST', body: '{"batch":[]}' })
    expect(seen.at(-1)!.body.toString()).toBe('{"batch":[]}')
  })

  test('uses the path and the address of Express', async () => {
    const url = await listen((request, response) => {
      Object.assign(request, { originalUrl: request.url, url: request.url!.replace('/ingest', ''), ip: '203.0.113.7' })
      void toNode(createProxy({ host }))(request, response)
    })
    await fetch(`${url}/ingest/e/`, { method: 'POST', body: '{}' })
    expect(seen.at(-1)!).toMatchObject({ url: '/e/', headers: { 'x-forwarded-for': '203.0.113.7' } })
  })

  test('answers a request that `Request` does not take', async () => {
    const request = { method: 'TRACE', url: '/ingest/e/', headers: {}, socket: {} } as never
    const response = { statusCode: 0, setHeader: jest.fn(), end: jest.fn() }
    await toNode(createProxy({ host }))(request, response)
    expect(response.statusCode).toBe(400)
  })
})

describe('toH3', () => {
  const body = '{"batch":[]}'
  const request = () => new Request('https://shop.example/ingest/e/', { method: 'POST', body })
  test.each<[string, H3Event]>([
    ['version 2', { req: request() }],
    ['version 1 on a worker', { web: { request: request() }, node: { req: {} } }],
  ])('takes an event of %s', async (_, event) => {
    expect(await (await toH3(createProxy({ host }))(event)).json()).toEqual({ status: 1 })
    expect(seen.at(-1)!.body.toString()).toBe(body)
  })

  test('takes an event of version 1 on Node', async () => {
    const url = await listen(
      (req, response) =>
        void toH3(createProxy({ host }))({ node: { req } }).then(async (answer) => response.end(await answer.text())),
    )
    expect(await (await fetch(`${url}/ingest/e/`, { method: 'POST', body })).json()).toEqual({ status: 1 })
    expect(seen.at(-1)).toMatchObject({ headers: { 'x-forwarded-for': '127.0.0.1' } })
  })

  test('says what it needs', () => {
    expect(() => toH3(createProxy({ host }))({})).toThrow(/Pass the event of defineEventHandler/)
  })
})
