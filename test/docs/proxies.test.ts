/** @jest-environment node */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Handler, handlerOf, IP, listenerOf, RECIPES, WEB_RECIPES } from '../support/proxyRecipes'

const servers: Server[] = []
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const seen: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
let service: string
beforeAll(async () => {
  service = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ url: request.url!, headers: request.headers, body: Buffer.concat(chunks) })
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/javascript', 'set-cookie': 'a=b' })
        .end(gzipSync('{"status":1}'))
    })
  })
})
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
})

const SITE = 'https://shop.example'
const WITH_REAL_IP = { 'x-real-ip': IP, 'cf-connecting-ip': IP }
const load = (id: string) => jest.requireActual<object>(id)

const handlerFor = async (name: string): Promise<Handler> => {
  if (name !== 'node') return handlerOf(name, service, load)
  const url = await listen(listenerOf(service, load))
  return (request) =>
    fetch(request.url.replace(SITE, url), {
      method: request.method,
      headers: request.headers,
      body: request.body,
      duplex: 'half',
    } as RequestInit)
}

test('the guide has these recipes', () => {
  expect([...RECIPES.keys()].sort()).toEqual([...WEB_RECIPES, 'node', 'express'].sort())
})

test.each(['node', ...WEB_RECIPES])('%s: events, the script, the address, and nothing of the site', async (name) => {
  const handler = await handlerFor(name)
  const body = gzipSync('{"batch":[]}')
  const headers = { ...WITH_REAL_IP, cookie: 'a=secret', authorization: 'secret', 'x-forwarded-for': '6.6.6.6' }
  const ask = async (path: string, init?: RequestInit) => handler(new Request(SITE + path, init))

  const sent = await ask('/ingest/e/', { method: 'POST', body, headers })
  expect([sent.status, sent.headers.get('set-cookie'), await sent.json()]).toEqual([200, null, { status: 1 }])
  expect(seen.at(-1)).toMatchObject({ url: '/e/', body })
  expect(seen.at(-1)!.headers['x-forwarded-for']).toBe(name === 'node' ? '127.0.0.1' : IP)
  expect(JSON.stringify(seen.at(-1)!.headers)).not.toMatch(/secret|6\.6\.6\.6/)

  expect(await (await ask('/ingest/a.js')).text()).toBe('{"status":1}')
  expect(seen.at(-1)!.url).toBe('/static/analytics.js')

  const count = seen.length
  for (const path of ['/ingest/console/', '/ingest/api/projects/1/'])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
  expect(seen).toHaveLength(count)
})
