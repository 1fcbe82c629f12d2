import { gunzipSync } from 'node:zlib'
import analytics, { analytics as named } from '../../src/entries/main'
import { tableOf } from '../support/specRows'

// The specification, "What the service does": the numbered list, on the object that a site imports.
const { row, close } = tableOf(
  '1. analytics.init(<token>, <config>)',
  '2. analytics.set_config(<partial config>)',
  '3. Most options are optional',
)

const requests: { url: string; body: Record<string, unknown> }[] = []
beforeAll(() => {
  jest.useFakeTimers()
  globalThis.fetch = jest.fn(async (url: string, init: RequestInit) => {
    // The built-in gzip of the npm build may be loaded by then.
    const text = typeof init.body === 'string' ? init.body : gunzipSync(Buffer.from(init.body as Uint8Array)).toString()
    requests.push({ url, body: JSON.parse(text) as Record<string, unknown> })
    return {
      status: 200,
      text: async () => '{"status":1,"flags":{},"supportedCompression":[]}',
      headers: { get: () => null },
    }
  }) as unknown as typeof fetch
})
beforeEach(() => void jest.useFakeTimers())
afterAll(() => analytics.shutdown())

test('importing the library has no effect on the page', () => {
  expect(named).toBe(analytics)
  expect([localStorage.length, sessionStorage.length, document.cookie, requests.length, analytics.__loaded]).toEqual([
    0,
    0,
    '',
    0,
    false,
  ])
})

row('1. analytics.init(<token>, <config>)', () => {
  test('applies the configuration at startup', async () => {
    expect(
      analytics.init('my-token', {
        opt_out_useragent_filter: true,
        capture_pageview: false,
        property_denylist: ['secret'],
      }),
    ).toBe(analytics)
    analytics.capture('x', { secret: 1, open: 2 })
    await jest.advanceTimersByTimeAsync(5000)
    const [batch] = requests
      .filter(({ body }) => body.batch)
      .map(({ body }) => body.batch as { event: string; properties: Record<string, unknown> }[])
    expect(
      batch!.map(({ event, properties }) => [event, properties.token, properties.secret, properties.open]),
    ).toEqual([['x', 'my-token', undefined, 2]])
  })
})

row('2. analytics.set_config(<partial config>)', () => {
  test('changes only the options it names after initialization', () => {
    const before = { ...analytics.config }
    analytics.set_config({ property_denylist: [] })
    expect(analytics.config).toEqual({ ...before, property_denylist: [] })
    expect(analytics.capture('x', { secret: 1 })!.properties.secret).toBe(1)
  })
})

row('3. Most options are optional', () => {
  test('requires only a token and sends requests to the default host', () => {
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/us\.i\.posthog\.com\//)
    const second = analytics.init('other', undefined, 'second')
    expect(second.capture('x')).toBeDefined()
    return second.shutdown()
  })
})

close()
