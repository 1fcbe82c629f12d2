import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { countOf, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

const GUIDE = readFileSync(resolve(__dirname, '../../../docs/guides/proxies.md'), 'utf8')

/** Returns the handler of the guide, for a service at `url`. */
const handlerFor = (url: string): ((request: Request, ip: string) => Promise<Response>) => {
  const [, code] = /```js\n([^]*?)```/.exec(GUIDE)!
  const at = code!.replace("'https://events.example.com'", JSON.stringify(url)).replace('export ', '')
  // oxlint-disable-next-line typescript/no-implied-eval -- runs what the guide tells readers to run
  return new Function(`${at}; return handle`)() as never
}

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const ask = (path: string, init: RequestInit = {}) =>
  handlerFor(service.url)(new Request(`https://shop.example${path}`, init), '203.0.113.7')

test('the handler of the guide serves the script as plain bytes, and 304 for its tag', async () => {
  const response = await ask('/ingest/static/analytics.js', { headers: { 'accept-encoding': 'gzip, br' } })
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
  expect(response.headers.get('content-type')).toContain('javascript')
  expect(await response.text()).toBe((await request(`${service.url}/static/analytics.js`)).body)
  const again = await ask('/ingest/static/analytics.js', {
    headers: { 'if-none-match': response.headers.get('etag')! },
  })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('the handler of the guide delivers compressed events and flags', async () => {
  const body = gzipSync(JSON.stringify({ api_key: service.token, batch: [event('proxied')] }))
  const sent = await ask('/ingest/e/?compression=gzip-js', {
    method: 'POST',
    body,
    headers: { origin: 'https://shop.example' },
  })
  expect([sent.status, await sent.json()]).toEqual([200, { status: 1 }])
  expect(await countOf(service, 'proxied')).toBe(1)
  const flags = await ask('/ingest/flags/?v=2', {
    method: 'POST',
    body: JSON.stringify({ token: service.token, distinct_id: 'visitor' }),
  })
  expect(await flags.json()).toMatchObject({ flags: {} })
})

test('the handler of the guide passes on no cookies, no credentials and no other paths', async () => {
  const seen: IncomingHttpHeaders[] = []
  const upstream = createServer((incoming, outgoing) => {
    seen.push(incoming.headers)
    outgoing.writeHead(200, { 'set-cookie': 'a=b', 'content-type': 'text/plain' }).end('ok')
  })
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const handle = handlerFor(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  const secrets = { cookie: 'session=secret', authorization: 'Bearer secret', 'x-forwarded-for': 'forged' }
  const response = await handle(new Request('https://shop.example/ingest/e/', { headers: secrets }), '203.0.113.7')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(seen[0]).toMatchObject({ 'x-forwarded-for': '203.0.113.7' })
  expect(JSON.stringify(seen[0])).not.toContain('secret')
  for (const path of ['/ingest/api/projects/', '/ingest/console/', '/ingest/', '/ingest/e/../api/projects/'])
    expect((await handle(new Request(`https://shop.example${path}`), '203.0.113.7')).status).toBe(404)
  expect(seen).toHaveLength(1)
  await new Promise((done) => upstream.close(done))
})
