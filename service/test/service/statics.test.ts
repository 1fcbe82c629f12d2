import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import { request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'
import { startService, temporaryFolder } from '../support/startService.ts'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')

let service: SharedService
const folder = temporaryFolder()

beforeAll(async () => {
  mkdirSync(join(folder, 'sdk/chunks'), { recursive: true })
  writeFileSync(join(folder, 'sdk/analytics.js'), 'core()')
  writeFileSync(join(folder, 'sdk/chunks/replay.js'), 'replay()')
  writeFileSync(join(folder, 'secret.js'), 'secret()')
  service = await startService({ env: { TRAILMARK_STATIC: join(folder, 'sdk') } })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

test.each([
  ['/static/analytics.js', 'core()'],
  ['/static/array.js', 'core()'],
  ['/static/array.js?v=2.0.0', 'core()'],
  ['/static/2.0.0/array.js', 'core()'],
  ['/array/any/array.js', 'core()'],
  ['/static/chunks/replay.js', 'replay()'],
])('%s serves a cacheable SDK file', async (path, body) => {
  const reply = await request(`${service.url}${path}`, { headers: { origin: 'https://shop.example' } })
  expect(reply).toMatchObject({ status: 200, body })
  expect(reply.headers.get('content-type')).toMatch(/javascript/)
  expect(reply.headers.get('cache-control')).toMatch(/public, max-age=\d+/)
  expect(reply.headers.get('access-control-allow-origin')).toBe('https://shop.example')
  const again = await request(`${service.url}${path}`, {
    headers: { 'if-none-match': reply.headers.get('etag')!, 'cache-control': 'max-age=0' },
  })
  expect(again.status).toBe(304)
})

test('the package of the SDK can be installed from the service, and contains no package itself', async () => {
  // Where `npm run build` puts it in the folder of the SDK's files.
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(folder, 'sdk')]
  const packed = (await run('npm', pack, { cwd: ROOT })).stdout.trim()
  const cwd = join(folder, 'app')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{}')
  // The Setup page asks whether it is there.
  for (const [name, status] of [
    [packed, 200],
    ['trailmark-0.0.0.tgz', 404],
  ])
    expect((await fetch(`${service.url}/static/${name}`, { method: 'HEAD' })).status).toBe(status)
  const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', join(folder, 'cache')]
  await run('npm', ['install', `${service.url}/static/${packed}`, ...flags], { cwd })
  const script = "console.log(typeof (await import('trailmark')).analytics.capture)"
  expect((await run(process.execPath, ['--input-type=module', '-e', script], { cwd })).stdout.trim()).toBe('function')
  expect(readdirSync(join(cwd, 'node_modules/trailmark/dist')).filter((name) => /\.(tgz|br|gz)$/.test(name))).toEqual(
    [],
  )
})

test.each([
  '/static/nothing.js',
  '/static/',
  '/static/chunks',
  '/static/..%2fsecret.js',
  '/static/%2e%2e%2fsecret.js',
  '/static/..\\secret.js',
  '/static/2.0.0/../secret.js',
])('%s returns a small 404', async (path) => {
  const reply = await request(`${service.url}${path}`)
  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(JSON.stringify(reply.body).length).toBeLessThan(300)
  expect(reply.headers.get('cache-control')).toBe('no-store')
})

test('GET / reports that the service is running without scripts or project data', async () => {
  const { status, headers, body } = await request(`${service.url}/`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(body).toContain('Trailmark is running')
  expect(body).not.toContain(service.token)
})

/** Returns the raw response: `fetch` would decompress it. */
const raw = (path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
    httpRequest(`${service.url}${path}`, { headers }, (reply) => {
      const parts: Buffer[] = []
      reply
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => resolve({ status: reply.statusCode!, headers: reply.headers, body: Buffer.concat(parts) }))
        .on('error', reject)
    })
      .on('error', reject)
      .end()
  })

describe('the built scripts', () => {
  const DIST = join(__dirname, '../../../dist')
  const { version, files } = JSON.parse(readFileSync(join(DIST, 'release.json'), 'utf8')) as {
    version: string
    files: Record<string, { integrity: string }>
  }
  let built: SharedService
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) => {
    service = built
    return raw(path, { origin: 'https://shop.example', ...headers })
  }
  let folderService: SharedService
  beforeAll(async () => {
    folderService = service
    built = await sharedService()
  })
  afterAll(async () => {
    service = folderService
    await built.stop()
  })

  // The gzip budget of the build, with room for a different compressor.
  const BUDGET = JSON.parse(readFileSync(join(DIST, '../budgets.json'), 'utf8'))['dist/analytics.js'] + 200
  test.each([
    ['br', brotliDecompressSync, BUDGET],
    ['gzip', gunzipSync, BUDGET],
    ['gzip, deflate, br, zstd', brotliDecompressSync, BUDGET],
  ] as const)('are served compressed for "%s"', async (encoding, decompress, mostBytes) => {
    const { status, headers, body } = await ask('/static/analytics.js', { 'accept-encoding': encoding })
    expect(status).toBe(200)
    expect(body.length).toBeLessThan(mostBytes)
    expect(decompress(body).equals(readFileSync(join(DIST, 'analytics.js')))).toBe(true)
    expect(headers.vary).toMatch(/accept-encoding/i)
    expect(headers.vary).toMatch(/origin/i)
    expect(headers['content-type']).toMatch(/javascript/)
    const etag = String(headers.etag)
    const again = await ask('/static/analytics.js', { 'accept-encoding': encoding, 'if-none-match': etag })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  test('are served uncompressed to a client without Accept-Encoding', async () => {
    const { headers, body } = await ask('/static/analytics.js', { 'accept-encoding': 'identity' })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers.vary).toMatch(/accept-encoding/i)
    expect(body.equals(readFileSync(join(DIST, 'analytics.js')))).toBe(true)
  })

  test.each(Object.keys(files))('have an immutable URL and the printed hash: /static/<version>/%s', async (name) => {
    const { status, headers, body } = await ask(`/static/${version}/${name}`)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['access-control-allow-origin']).toBe('https://shop.example')
    expect(`sha384-${createHash('sha384').update(body).digest('base64')}`).toBe(files[name]!.integrity)
  })

  test('are printed at start as a pinned script with its hash', () => {
    expect(built.output()).toContain(`${built.url}/static/${version}/analytics.js`)
    expect(built.output()).toContain(`integrity="${files['analytics.js']!.integrity}" crossorigin="anonymous"`)
  })

  test('include a licenses.txt that lists bundled packages', async () => {
    const { status, body } = await ask('/static/licenses.txt')
    expect(status).toBe(200)
    for (const name of ['fflate (MIT)', 'js-cookie (MIT)']) expect(body.toString()).toContain(name)
  })

  test.each(['/static/web-vitals.js?v=1.449.2', '/static/1.449.2/web-vitals.js', '/static/lazy-recorder.js'])(
    'include an empty script at %s',
    async (path) => {
      const { status, headers, body } = await ask(path)
      expect([status, body.toString()]).toEqual([200, '/* This script is not part of Trailmark. */\n'])
      expect(headers['content-type']).toMatch(/javascript/)
      expect(headers['cache-control']).toMatch(/max-age=300/)
    },
  )
})
