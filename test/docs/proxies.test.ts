/** @jest-environment node */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'

// Runs the recipes of docs/guides/proxies.md. Express and the real frameworks: test/frameworks.

const GUIDE = readFileSync(resolve(__dirname, '../../docs/guides/proxies.md'), 'utf8')
const RECIPES = new Map([...GUIDE.matchAll(/^```js (\w+)\n([^]*?)^```/gm)].map(([, name, code]) => [name!, code!]))

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

type Handler = (request: Request) => Response | Promise<Response>
type Exports = Record<string, any>

/** Runs a recipe for the service of this file. `listener`: what it passes to `createServer`. */
const run = (name: string): { exported: Exports; listener?: RequestListener } => {
  const source = RECIPES.get(name)!.replace('https://events.example.com', service)
  const { code } = transformSync(source, { format: 'cjs' })
  let listener: RequestListener | undefined
  const modules: Record<string, unknown> = {
    'node:http': { createServer: (given: RequestListener) => ((listener = given), { listen: () => undefined }) },
  }
  const module = { exports: {} as Exports }
  // oxlint-disable-next-line typescript/no-implied-eval -- runs what the guide tells readers to run
  new Function('require', 'module', 'exports', 'defineEventHandler', code)(
    (id: string) => modules[id] ?? jest.requireActual(id),
    module,
    module.exports,
    (handler: unknown) => handler,
  )
  return { exported: module.exports, listener }
}

const IP = '203.0.113.7'
const SITE = 'https://shop.example'
const WITH_REAL_IP = { 'x-real-ip': IP, 'cf-connecting-ip': IP }

/** How each platform calls what a recipe exports. */
const CALLS: Record<string, (recipe: ReturnType<typeof run>) => Handler | Promise<Handler>> = {
  node: async ({ listener }) => {
    const url = await listen(listener!)
    return (request) =>
      fetch(request.url.replace(SITE, url), {
        method: request.method,
        headers: request.headers,
        body: request.body,
        duplex: 'half',
      } as RequestInit)
  },
  hono: ({ exported }) => exported.app.fetch as Handler,
  next: ({ exported }) => {
    const context = { params: Promise.resolve({ path: ['e'] }) }
    return (request) => exported[request.method](request, context)
  },
  sveltekit: ({ exported }) => {
    const resolve = () => new Response('page', { status: 404 })
    return (request) =>
      exported.handle({ event: { request, url: new URL(request.url), getClientAddress: () => IP }, resolve })
  },
  nuxt:
    ({ exported }) =>
    (request) =>
      exported.default({ req: Object.assign(request, { ip: IP }) }),
  astro:
    ({ exported }) =>
    (request) =>
      exported.ALL({ request, clientAddress: IP }),
  workers: ({ exported }) => {
    const waiting: Promise<unknown>[] = []
    const context = { waitUntil: (promise: Promise<unknown>) => waiting.push(promise) }
    return (request) => exported.default.fetch(request, {}, context)
  },
}

test('the guide has these recipes', () => {
  expect([...RECIPES.keys()].sort()).toEqual([...Object.keys(CALLS), 'express'].sort())
})

test.each(Object.keys(CALLS))('%s: events, the script, the address, and nothing of the site', async (name) => {
  const handler = await CALLS[name]!(run(name))
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
