import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { api } from '../support/api.ts'
import { trailmarkJson } from '../support/cli.ts'
import { until } from '../support/engine.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
  await api(service, 'POST', '/endpoints/', {
    name: 'many',
    query: { kind: 'HogQLQuery', query: 'SELECT arrayJoin(range(5000)) AS n' },
  })
  await api(service, 'POST', '/endpoints/', { name: 'one', query: { kind: 'HogQLQuery', query: 'SELECT 1' } })
})
afterAll(() => service.stop())

/** Sends raw bytes and resolves with the response status. */
const statusOf = (head: string) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n`))
    socket.once('data', (data) => {
      resolve(Number(data.toString().split(' ')[1]))
      socket.destroy()
    })
    socket.once('error', reject)
  })

test.each([
  ['GET /_health HTTP/1.1\r\nHost: a.example\r\nHost: b.example', 400],
  ['GET /_health HTTP/1.1\r\nHost: a.example\r\nOrigin: https://a.example\r\nOrigin: https://b.example', 400],
  ['GET /_health HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b', 400],
  ['GET /_health HTTP/1.1\r\nHost: a.example\r\nCookie: a=1\r\nCookie: b=2', 200],
])('the request %j gets status %i', async (head, status) => {
  expect(await statusOf(head)).toBe(status)
})

const run = (name: string, body: object, headers: Readonly<Record<string, string>>) =>
  new Promise<{ headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
    httpRequest(
      `${service.url}/api/projects/${service.projectId}/endpoints/${name}/run`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
      },
      (reply) => {
        const parts: Buffer[] = []
        reply
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => resolve({ headers: reply.headers, body: Buffer.concat(parts) }))
          .on('error', reject)
      },
    )
      .on('error', reject)
      .end(JSON.stringify(body))
  })

test.each([
  ['JSON', {}],
  ['NDJSON', { format: 'ndjson' }],
  ['CSV', { format: 'csv' }],
])('a large response in %s is compressed only for clients that accept compression', async (_, body) => {
  const packed = await run('many', body, { 'accept-encoding': 'gzip, br' })
  const plain = await run('many', body, { 'accept-encoding': 'gzip;q=0, identity' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(packed.body.length).toBeLessThan(plain.body.length / 2)
  for (const { headers } of [packed, plain]) expect(headers.vary).toMatch(/accept-encoding/)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const comparable = (text: string) => text.replace(/"execution_id":"[^"]+"|"is_cached":\w+/g, '')
  expect(comparable(gunzipSync(packed.body).toString())).toBe(comparable(plain.body.toString()))
})

test('a small response is not compressed', async () => {
  const { headers, body } = await run('one', {}, { 'accept-encoding': 'gzip' })
  expect(headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(body.toString())).toMatchObject({ results: [[1]] })
})

test('a response with a new key is never compressed', async () => {
  const created = await fetch(`${service.url}/api/personal_api_keys/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
    },
    body: JSON.stringify({ label: 'new', scopes: ['endpoint:read'] }),
  })
  expect([created.status, created.headers.get('content-encoding')]).toEqual([201, null])
})

test('/metrics reports the longest block of the event loop', async () => {
  const words = ['key', 'create', 'prometheus', '--scopes', 'metrics:read', '--all-projects']
  const key = (await trailmarkJson(service.data, ...words)).value
  const longestBlock = async () => {
    const reply = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    return Number(/^trailmark_event_loop_delay_max_seconds ([\d.e-]+)$/m.exec(await reply.text())?.[1])
  }
  // Other files may use the same service, so this may not be its first scrape.
  expect(await longestBlock()).toBeGreaterThanOrEqual(0)
  await until(async () => (await longestBlock()) > 0)
  expect(await longestBlock()).toBeLessThan(60)
})
