import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'playwright/test'
import { RECIPES } from '../support/proxyRecipes'
import { freePort } from './support/example'

// The recipes of docs/guides/proxies.md that need large packages, with the packed SDK: Express, and workerd by Miniflare.

const { FRAMEWORKS_FOLDER = '', FRAMEWORKS_TARBALL = '' } = process.env
const FOLDER = join(FRAMEWORKS_FOLDER, 'proxies')

const seen: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
let upstream: Server
let service: string
test.beforeAll(async () => {
  upstream = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ url: request.url!, headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"status":1}'))
    })
  })
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  service = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  if (existsSync(join(FOLDER, 'node_modules'))) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true,"type":"module"}')
  const packages = ['express@5', 'miniflare@4', FRAMEWORKS_TARBALL]
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: FOLDER, stdio: 'ignore' })
})
test.afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const recipe = (name: string) => RECIPES.get(name)!.replace('https://events.example.com', service)

/** Sends an event, and requests the script and the console. */
const check = async (ask: (path: string, init?: RequestInit) => Promise<Response>, ip: string) => {
  const body = gzipSync('{"batch":[]}')
  const headers = {
    cookie: 'a=secret',
    authorization: 'secret',
    'x-forwarded-for': '6.6.6.6',
    'content-type': 'text/plain',
  }
  const sent = await ask('/ingest/e/', { method: 'POST', body, headers })
  expect([sent.status, await sent.json()]).toEqual([200, { status: 1 }])
  expect(seen.at(-1)).toMatchObject({ url: '/e/', body })
  expect(seen.at(-1)!.headers['x-forwarded-for']).toBe(ip)
  expect(JSON.stringify(seen.at(-1)!.headers)).not.toMatch(/secret|6\.6\.6\.6/)
  expect(await (await ask('/ingest/a.js')).text()).toBe('{"status":1}')
  expect((await ask('/ingest/console/')).status).toBe(404)
  expect(seen.at(-1)!.url).toBe('/static/analytics.js')
}

for (const parser of ['', 'app.use(express.json({ type: () => true }))'])
  test(`Express ${parser && 'with a parser before it'}`, async () => {
    const port = await freePort()
    const code = recipe('express').replace('= express()', `= express()\n${parser}`)
    writeFileSync(join(FOLDER, 'server.mjs'), `${code}\napp.listen(${port}, '127.0.0.1')`)
    const child = spawn(process.execPath, ['server.mjs'], { cwd: FOLDER, stdio: 'inherit' })
    const url = `http://127.0.0.1:${port}`
    while (
      !(await fetch(url).then(
        () => true,
        () => false,
      ))
    )
      await delay(50)
    try {
      if (parser) {
        // The parser has unpacked the body.
        const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
        await fetch(`${url}/ingest/e/`, { method: 'POST', body: gzipSync('{"batch":[]}'), headers })
        expect(seen.at(-1)!.body.toString()).toBe('{"batch":[]}')
        expect(seen.at(-1)!.headers['content-encoding']).toBeUndefined()
      } else await check((path, init) => fetch(url + path, init), '127.0.0.1')
    } finally {
      child.kill()
    }
  })

test('Cloudflare Workers', async () => {
  const { outputFiles } = await build({
    stdin: { contents: recipe('workers'), resolveDir: FOLDER },
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['workerd', 'worker'],
  })
  const { Miniflare } = createRequire(join(FOLDER, 'package.json'))('miniflare')
  const worker = new Miniflare({ modules: true, script: outputFiles[0]!.text, compatibilityDate: '2025-01-01' })
  try {
    await check(
      (path, init) =>
        worker.dispatchFetch(`https://shop.example${path}`, {
          ...init,
          headers: { ...init?.headers, 'cf-connecting-ip': '203.0.113.7' },
        }),
      '203.0.113.7',
    )
  } finally {
    await worker.dispose()
  }
})
