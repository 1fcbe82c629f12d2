import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from '../support/api.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

let service: RunningService
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
])('%s is a file of the SDK that pages may keep for a while', async (path, body) => {
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

test.each([
  '/static/nothing.js',
  '/static/',
  '/static/chunks',
  '/static/..%2fsecret.js',
  '/static/%2e%2e%2fsecret.js',
  '/static/..\\secret.js',
  '/static/2.0.0/../secret.js',
])('%s is a small 404', async (path) => {
  const reply = await request(`${service.url}${path}`)
  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(JSON.stringify(reply.body).length).toBeLessThan(300)
  expect(reply.headers.get('cache-control')).toBe('no-store')
})
