/** @jest-environment node */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beacon, request } from '../../src/delivery/transport'

const CONFIG = { xhr_headers: {}, fetch_options: {} }

// ── Requests over real HTTP ─────────────────────────────────────────────────────────────────────────────────────────

let server: Server
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
let url: string
beforeAll(async () => {
  server = createServer((incoming, outgoing) => answer(incoming, outgoing))
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
  ['a date that has passed', new Date(Date.now() - 60_000).toUTCString(), undefined],
  ['something else', 'soon', undefined],
])('reads Retry-After as %s', async (_, header, expected) => {
  answer = (__, outgoing) => outgoing.writeHead(503, { 'Retry-After': header }).end()
  const { status, retryAfterMs } = await ask()
  expect(status).toBe(503)
  if (expected === undefined) expect(retryAfterMs).toBeUndefined()
  else expect(Math.abs(retryAfterMs! - expected)).toBeLessThan(10_000)
})

test.each([
  ['below what browsers accept of requests that outlive a page', 51_999, true],
  ['above it', 52_000, false],
])('keepalive of a body %s', async (_, length, expected) => {
  answer = (__, outgoing) => outgoing.end('{"status":1}')
  const fetched = jest.spyOn(globalThis, 'fetch')
  await request(url, 'x'.repeat(length), CONFIG)
  expect(fetched.mock.lastCall![1]!.keepalive).toBe(expected)
  fetched.mockRestore()
})

test('a request carries no more of the page than its origin as the referrer', async () => {
  answer = (_, outgoing) => outgoing.end('{"status":1}')
  const fetched = jest.spyOn(globalThis, 'fetch')
  await ask()
  expect(fetched.mock.lastCall![1]).toMatchObject({ referrerPolicy: 'strict-origin' })
  fetched.mockRestore()
})

test.each<[string, typeof answer, boolean]>([
  ['an acknowledgment', (_, outgoing) => outgoing.end('{"status":1}'), false],
  ['a page', (_, outgoing) => outgoing.end('\n <!doctype html>'), true],
  [
    'a redirect',
    ({ url }, outgoing) => (url === '/x' ? outgoing : outgoing.writeHead(302, { Location: '/x' })).end('no'),
    true,
  ],
])('knows that %s comes from the service or not', async (_, answers, isForeign) => {
  answer = answers
  expect(await ask()).toMatchObject({ status: 200, isForeign })
})

test('no response in time is a timeout, also where fetch ignores its signal', async () => {
  jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => {}))
  expect(await ask(20)).toEqual({ status: 0, text: 'timeout' })
})

test('a timeout longer than timers can be does not end the request at once', async () => {
  answer = (_, outgoing) => setTimeout(() => outgoing.end('{"status":1}'), 50)
  expect((await ask(2 ** 31)).status).toBe(200)
})

// ── Beacons ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test.each([
  ['takes it', () => true, true],
  ['has too much under way', () => false, false],
  [
    'forbids beacons',
    () => {
      throw new Error('forbidden')
    },
    false,
  ],
])('a browser that %s: beacon answers so', (_, sendBeacon, taken) => {
  Object.defineProperty(globalThis, 'navigator', { value: { sendBeacon }, configurable: true })
  expect(beacon('https://events.example.com/e/', '{}')).toBe(taken)
})
