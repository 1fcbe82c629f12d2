/** @jest-environment node */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { allowsUrl } from '../../src/cli/check/csp'
import type { Finding } from '../../src/cli/check/findings'
import { run } from '../../src/cli/commands/check'

const json =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const script: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/javascript' }).end('console.log("[trailmark]")')
const page =
  (html: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html)

const WORKING: Record<string, RequestListener> = {
  '/ingest/a.js': script,
  '/ingest/flags/': json(200, { flags: {} }),
  '/bundle.js': script,
}
const TAG = '<script src="/ingest/a.js" data-token="phc_a" data-api-host="/ingest"></script>'
const start = (options = "api_host: '/ingest'") =>
  `<script src="/ingest/a.js"></script><script>analytics.init('phc_a', { ${options} })</script>`

let server: Server
let url: string
let routes: Record<string, RequestListener> = {}
beforeAll((done) => {
  server = createServer((request, response) => {
    const found = routes[request.url!.replace(/\?.*/, '')] ?? json(404, {})
    found(request, response)
  }).listen(0, '127.0.0.1', () => {
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    done()
  })
})
afterAll(() => server.close())

const check = async (html: string, more: Record<string, RequestListener> = {}, path = '/') => {
  routes = { ...WORKING, '/': page(html), ...more }
  const lines: string[] = []
  const io = { out: (line: string) => lines.push(line), err: jest.fn(), cwd: '/', env: {} }
  const code = await run([url + path, '--json'], io)
  const { findings } = JSON.parse(lines[0]!) as { findings: Finding[] }
  return { code, codes: findings.map((each) => `${each.level} ${each.code}`), findings }
}

test.each([
  ['a tag', TAG],
  ['a tag and a call', start()],
  ['a bundle', '<script type="module" src="/bundle.js"></script><script>x.init("phc_a",{api_host:"/ingest"})</script>'],
])('a page that works has no findings: %s', async (_, html) => {
  expect(await check(html)).toEqual({ code: 0, codes: [], findings: [] })
})

const POLICY = { 'content-security-policy': "default-src 'self'; script-src 'self' 'nonce-abc'; connect-src 'none'" }
const nobody: RequestListener = (request) => request.socket.destroy()

/** Pages with a mistake: what is found, and what its sentence says. */
const MISTAKES: [name: string, html: string, more: Record<string, RequestListener>, code: string, seen: RegExp][] = [
  ['no SDK', '<p>Shop</p>', {}, 'error absent', /Neither the page nor its scripts/],
  ['two tags', TAG + TAG, {}, 'error double', /2 script elements/],
  [
    'two calls',
    `${TAG}<script>analytics.init('phc_b', { api_host: '/ingest' })</script>`,
    {},
    'warning double',
    /phc_b/,
  ],
  [
    'no api_host',
    "<script src='/ingest/a.js'></script><script>analytics.init('phc_a', {})</script>",
    {},
    'error host',
    /no api_host/,
  ],
  ['a host without a scheme', start("api_host: 'events.example.com'"), {}, 'error host', /path of the page/],
  ['a policy that blocks events', start(), { '/': page(TAG, POLICY) }, 'error csp', /blocks events to/],
  ['a policy that blocks the call', '', { '/': page(start(), POLICY) }, 'error csp', /blocks inline script/],
  [
    'a policy that blocks the script',
    '',
    { '/': page(`<meta http-equiv="Content-Security-Policy" content="script-src https://a.example">${TAG}`) },
    'error csp',
    /blocks the script http.*a\.js/,
  ],
  ['a personal key', `${TAG}<script>const key = 'phx_abcdefgh123'</script>`, {}, 'error key', /personal API key/],
  ['secrets in links', `${TAG}<a href="/reset?reset_token=a&amp;x=1">`, {}, 'warning url', /: reset_token\./],
  [
    'a name that blockers know',
    start("api_host: '/analytics'"),
    { '/analytics/flags/': json(200, { flags: {} }) },
    'warning blocked',
    /\/analytics/,
  ],
  [
    'a wrong token',
    TAG,
    { '/ingest/flags/': json(401, { detail: 'No project has this token.' }) },
    'error token',
    /No project has this token/,
  ],
  [
    'a site that answers with its page',
    TAG,
    { '/ingest/flags/': page('<!doctype html>') },
    'error proxy',
    /with a page of HTML/,
  ],
  [
    'a proxy that loops',
    TAG,
    { '/ingest/flags/': json(508, { detail: 'It forwards to itself' }) },
    'error proxy',
    /forwards to itself/,
  ],
  [
    'a proxy that redirects',
    TAG,
    { '/ingest/flags/': (_, response) => response.writeHead(308, { location: '/ingest/flags' }).end() },
    'error proxy',
    /redirects to \/ingest\/flags/,
  ],
  ['a service that does not respond', TAG, { '/ingest/flags/': nobody }, 'error proxy', /does not respond/],
  [
    'a proxy that unpacks',
    TAG,
    {
      '/ingest/a.js': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/javascript', 'content-encoding': 'gzip' }).end('plain'),
    },
    'error script',
    /cannot be unpacked/,
  ],
  ['a missing script', TAG, { '/ingest/a.js': json(404, {}) }, 'error script', /status 404/],
  [
    'an open console',
    TAG,
    { '/ingest/console/': page('<title>Trailmark</title>') },
    'error console',
    /open to visitors/,
  ],
  [
    'a wrong clock',
    TAG,
    {
      '/ingest/flags/': (_, response) =>
        response.writeHead(200, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end('{"flags":{}}'),
    },
    'warning clock',
    /(?:3599|3600|3601) s behind/,
  ],
]

test.each(MISTAKES)('%s', async (_, html, more, code, seen) => {
  const { codes, findings, code: exit } = await check(html, more)
  expect(codes).toContain(code)
  const found = findings.find((each) => `${each.level} ${each.code}` === code)!
  expect([found.seen, Boolean(found.advice)]).toEqual([expect.stringMatching(seen), true])
  expect(exit).toBe(codes.some((each) => each.startsWith('error')) ? 1 : 0)
})

test('the parameters of the page itself are checked too', async () => {
  const { codes } = await check('', { '/account': page(TAG) }, '/account?mail=ada@example.com')
  expect(codes).toEqual(['warning url'])
})

test('a compressed script is read', async () => {
  const zipped: RequestListener = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/javascript', 'content-encoding': 'gzip' })
      .end(gzipSync('console.log("[trailmark]")'))
  expect((await check(TAG, { '/ingest/a.js': zipped })).codes).toEqual([])
})

test.each([
  ['/', /is not a URL/],
  ['http://127.0.0.1:1/', /does not respond/],
])('%s is refused with the reason', async (address, message) => {
  const io = { out: jest.fn(), err: jest.fn(), cwd: '/', env: {} }
  await expect(run([address], io)).rejects.toThrow(message)
})

test.each([
  ["'self'", 'https://shop.example/a', true],
  ['https:', 'https://a.example/', true],
  ['*.example.com', 'https://events.example.com/e/', true],
  ['*.example.com', 'https://example.com/e/', false],
  ['https://events.example.com', 'https://events.example.com:8443/e/', false],
  ['https://events.example.com:*', 'https://events.example.com:8443/e/', true],
  ['events.example.com/static/', 'https://events.example.com/static/a.js', true],
  ['events.example.com/static/', 'https://events.example.com/e/', false],
  ['http://events.example.com', 'https://events.example.com/', true],
  ["'none'", 'https://events.example.com/', false],
])('a source %s allows %s: %s', (source, address, isAllowed) => {
  expect(allowsUrl([source], new URL(address), new URL('https://shop.example/'))).toBe(isAllowed)
})
