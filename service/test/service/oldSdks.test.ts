import { gzipSync } from 'node:zlib'
import { api, countOf, event, request, rowsOf } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
  const flag = (key: string, filters: object) => api(service, 'POST', '/feature_flags/', { key, filters })
  await flag('on', { groups: [{}], payloads: { true: '{"a":1}' } })
  await flag('off', { groups: [{ rollout_percentage: 0 }] })
  await flag('which', {
    groups: [{}],
    multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
  })
})
afterAll(() => service.stop())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const base64 = (value: unknown) => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString('base64'))
const own = (name: string) => event(name, {}, { token: service.token, $lib: 'web' })
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  request(`${service.url}${path}`, { method: 'POST', body, headers })

describe('events of old SDKs', () => {
  test.each<[string, (name: string) => ReturnType<typeof request>]>([
    [
      'a list as a base64 form with old parameters',
      (name) => post('/e/?compression=base64&ip=1&_=1690000000000&ver=1.68.0', `data=${base64([own(name)])}`, FORM),
    ],
    [
      'a list as gzip',
      (name) =>
        post(
          '/e/?compression=gzip-js&ip=0&_=1700000000000&ver=1.96.1',
          new Uint8Array(gzipSync(JSON.stringify([own(name)]))),
        ),
    ],
    ['a single event of a beacon', (name) => post('/e/?ip=1&beacon=1', `data=${base64(own(name))}`, FORM)],
    ['/track/', (name) => post('/track/', `data=${base64(own(name))}`, FORM)],
    ['/engage/', (name) => post('/engage/', `data=${base64({ ...own(name), $set: { plan: 'gold' } })}`, FORM)],
    [
      '/capture/ with the token next to the event, like mobile SDKs',
      (name) => post('/capture/', JSON.stringify({ api_key: service.token, ...event(name), distinct_id: 'mobile' })),
    ],
    ['GET /e/ with the event in the URL', (name) => request(`${service.url}/e/?ip=1&data=${base64(own(name))}`)],
    ['GET /track/', (name) => request(`${service.url}/track/?data=${base64(own(name))}&_=1`)],
    ['an empty POST with the event in the URL', (name) => post(`/e/?data=${base64(own(name))}`, '')],
  ])('are accepted: %s', async (name, send) => {
    expect(await send(name)).toMatchObject({ status: 200, body: { status: 1 } })
    expect(await countOf(service, name)).toBe(1)
  })

  // Made by lz-string 1.5.0: LZString.compressToBase64 of the JSON of an event.
  const LZ64 =
    'NobwRApgbhB2AuYBcYA2AvAbAFjAGjAAcAnAe0ImPgEsIBnZcAE2rptgGN4B9ap5MAENYsfGHgQAHohQBLwLwbgAD2ABBjABfdQF0gA='

  test('are accepted: lz64', async () => {
    const body = `data=${encodeURIComponent(LZ64)}`
    expect(await post(`/e/?compression=lz64&token=${service.token}`, body, FORM)).toMatchObject({ status: 200 })
    expect(await rowsOf(service, "SELECT properties.text FROM events WHERE event = 'lz64'")).toEqual([['é😀 lz']])
  })

  test('are acknowledged but not stored if they are recordings', async () => {
    expect(
      await post('/s/?compression=gzip-js', new Uint8Array(gzipSync(JSON.stringify([own('$snapshot')])))),
    ).toMatchObject({
      status: 200,
      body: { status: 1 },
    })
    expect(await countOf(service, '$snapshot')).toBe(0)
  })
})

describe('/decide/', () => {
  const question = () => ({ token: service.token, distinct_id: 'ann', groups: {} })
  const decide = (version: string) => post(`/decide/${version}`, `data=${base64(question())}`, FORM)
  const CONFIG = { supportedCompression: expect.any(Array), sessionRecording: false }

  test.each<[string, object]>([
    ['', { featureFlags: ['on', 'which'] }],
    ['?v=1', { featureFlags: ['on', 'which'] }],
    ['?v=2', { featureFlags: { on: true, off: false, which: 'blue' } }],
    [
      '?v=3&ip=1&_=1690000000000&ver=1.68.0',
      {
        featureFlags: { on: true, which: 'blue' },
        featureFlagPayloads: { on: '{"a":1}' },
        errorsWhileComputingFlags: false,
      },
    ],
    ['?v=4', { flags: { on: { enabled: true } } }],
  ])('responds to version "%s" with flags and remote configuration', async (version, flags) => {
    expect(await decide(version)).toMatchObject({ status: 200, body: { ...CONFIG, ...flags } })
  })

  test('accepts plain JSON and a request in the URL', async () => {
    expect((await post('/decide/?v=3', JSON.stringify(question()))).body.featureFlags.which).toBe('blue')
    const { body } = await request(`${service.url}/decide/?v=3&data=${base64(question())}`)
    expect(body.featureFlags.which).toBe('blue')
  })
})
