/** @jest-environment node */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oddRequests from '../../src/extensions/requests/requests'
import { beacon, outlivesPage, request } from '../../src/delivery/transport'

const CONFIG = { xhr_headers: {}, fetch_options: {} }

// ── Requests over real HTTP ─────────────────────────────────────────────────────────────────────────────────────────

let server: Server
let respond: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
let url: string
beforeAll(async () => {
  server = createServer((incoming, outgoing) => respond(incoming, outgoing))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const ask = (timeoutMs?: number) => request(`${url}/e/`, '{}', CONFIG, timeoutMs)

test.each([
  ['seconds', '7', 7000],
  ['a date', new Date(Date.now() + 60_000).toUTCString(), 60_000],
  ['a date in the past', new Date(Date.now() - 60_000).toUTCString(), undefined],
  ['an invalid value', 'soon', undefined],
])('request reads a Retry-After header with %s', async (_, header, expected) => {
  respond = (__, outgoing) => outgoing.writeHead(503, { 'Retry-After': header }).end()
  const { status, retryAfterMs } = await ask()
  expect(status).toBe(503)
  if (expected === undefined) expect(retryAfterMs).toBeUndefined()
  else expect(Math.abs(retryAfterMs! - expected)).toBeLessThan(10_000)
})

test.each([
  ['sets keepalive for a body below the browser limit', 51_999, true],
  ['does not set keepalive for a body above the browser limit', 52_000, false],
])('request %s', async (_, length, expected) => {
  respond = (__, outgoing) => outgoing.end('{"status":1}')
  const fetched = jest.spyOn(globalThis, 'fetch')
  await request(url, 'x'.repeat(length), CONFIG)
  expect(fetched.mock.lastCall![1]!.keepalive).toBe(expected)
  fetched.mockRestore()
})

test('requests that outlive the page share the browser limit', async () => {
  const outgoings: ServerResponse[] = []
  respond = (_, outgoing) => outgoings.push(outgoing)
  const fetched = jest.spyOn(globalThis, 'fetch')
  const send = (length: number) => request(url, 'x'.repeat(length), CONFIG)
  const pending = [send(30_000), send(30_000), send(20_000)]
  expect(fetched.mock.calls.map(([, init]) => init!.keepalive)).toEqual([true, false, true])
  while (outgoings.length < 3) await new Promise((done) => setTimeout(done, 5))
  outgoings.forEach((outgoing) => outgoing.end('{"status":1}'))
  await Promise.all(pending)
  expect(outlivesPage('x'.repeat(51_999))).toBe(true)
  fetched.mockRestore()
})

test('a request sends only the origin of the page as the referrer', async () => {
  respond = (_, outgoing) => outgoing.end('{"status":1}')
  const fetched = jest.spyOn(globalThis, 'fetch')
  await ask()
  expect(fetched.mock.lastCall![1]).toMatchObject({ referrerPolicy: 'strict-origin' })
  fetched.mockRestore()
})

test.each<[string, typeof respond, boolean]>([
  ['an acknowledgment', (_, outgoing) => outgoing.end('{"status":1}'), false],
  [
    'a redirect',
    ({ url }, outgoing) => (url === '/x' ? outgoing : outgoing.writeHead(302, { Location: '/x' })).end('no'),
    true,
  ],
])('detects whether %s comes from another URL', async (_, responder, isRedirected) => {
  respond = responder
  expect(await ask()).toMatchObject({ status: 200, isRedirected })
})

test('a request without a response times out, even if fetch ignores its signal', async () => {
  jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => {}))
  expect(await ask(20)).toEqual({ status: 0, text: 'timeout' })
})

test('a timeout longer than the maximum timer delay does not abort the request immediately', async () => {
  respond = (_, outgoing) => setTimeout(() => outgoing.end('{"status":1}'), 50)
  expect((await ask(2 ** 31)).status).toBe(200)
})

// ── Unusual requests ────────────────────────────────────────────────────────────────────────────────────────────────

const UNREACHABLE = () => Promise.reject(new Error('no network'))

test('options and headers that fetch rejects are omitted; all of the site while the code that tells which is unreachable', async () => {
  const lines: string[] = []
  jest.spyOn(console, 'error').mockImplementation((...words) => void lines.push(words.join(' ')))
  const received: IncomingMessage['headers'][] = []
  respond = ({ headers }, outgoing) => {
    received.push(headers)
    outgoing.end('{"status":1}')
  }
  const config = { xhr_headers: { 'X-Team': 'web', 'not a name': 'x' }, fetch_options: { mode: 'sometimes' } } as never
  for (const load of [UNREACHABLE, async () => oddRequests, async () => oddRequests])
    expect((await request(url, '{}', config, undefined, load)).status).toBe(200)
  expect(received.map((headers) => headers['x-team'])).toEqual([undefined, 'web', 'web'])
  expect(received.map((headers) => headers['content-type'])).toEqual(Array(3).fill('application/json'))
  for (const name of ['not a name', 'mode'])
    expect(lines.filter((line) => line.includes(`fetch rejects ${name}.`))).toHaveLength(1)
})

test('a request on a page without fetch has no response while the code that sends it is unreachable', async () => {
  const fetched = globalThis.fetch
  globalThis.fetch = undefined as never
  expect(await request(url, '{}', CONFIG, undefined, UNREACHABLE)).toEqual({ status: 0, text: 'Error: no network' })
  globalThis.fetch = fetched
})

// ── Beacons ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test.each([
  ['accepts it', () => true, true],
  ['has reached its quota', () => false, false],
  [
    'throws',
    () => {
      throw new Error('forbidden')
    },
    false,
  ],
])('sendBeacon returns whether the browser accepted the beacon when it %s', (_, sendBeacon, taken) => {
  Object.defineProperty(globalThis, 'navigator', { value: { sendBeacon }, configurable: true })
  expect(beacon('https://events.example.com/e/', '{}')).toBe(taken)
})

test.each([
  ['letters', 'a'.repeat(51_000), true],
  ['more letters', 'a'.repeat(53_000), false],
  ['characters of three bytes', '€'.repeat(18_000), false],
])('outlivesPage limits the bytes of a body, not its characters: %s', (_, body, expected) => {
  expect(outlivesPage(body)).toBe(expected)
})
