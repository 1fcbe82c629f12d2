import type { Analytics } from '../../src/entries/main'

// The specification, "Main options": external_scripts_inject_target, in the build that has external scripts.
const page = window as unknown as { analytics?: Analytics }

/** The script build, as loaded by a script tag from this URL. */
const load = () => {
  const tag = Object.assign(document.createElement('script'), { src: 'https://cdn.example.com/2.0.0/analytics.js' })
  Object.defineProperty(Document.prototype, 'currentScript', {
    get: () => tag,
    configurable: true,
  })
  jest.isolateModules(() => void jest.requireActual('../../src/entries/script'))
  return page.analytics!
}
const tags = (target: HTMLElement) => [...target.querySelectorAll('script')].map(({ src }) => src)

let analytics: Analytics
beforeEach(() => {
  jest.useFakeTimers()
  globalThis.fetch = jest.fn(async () => ({
    status: 200,
    text: async () => '{"status":1}',
    headers: { get: () => null },
  })) as unknown as typeof fetch
  document.head.innerHTML = ''
  // Simulates a browser with native compression: extensions load with the first large delivery, not immediately.
  Object.assign(globalThis, { CompressionStream: class {} })
})
afterEach(async () => {
  await analytics.shutdown()
  delete page.analytics
  delete (globalThis as { CompressionStream?: unknown }).CompressionStream
})

const visit = async (config: object, later?: object) => {
  analytics = load()
  analytics.init('token', { api_host: 'https://events.example.com', opt_out_useragent_filter: true, ...config })
  if (later) analytics.set_config(later)
  analytics.capture('x', { much: 'x'.repeat(20_000) })
  await jest.advanceTimersByTimeAsync(5000)
  return { head: tags(document.head), body: tags(document.body) }
}

describe('external_scripts_inject_target', () => {
  test.each([
    ['no option', 'body', {}],
    ["'body'", 'body', { external_scripts_inject_target: 'body' }],
    ["'head'", 'head', { external_scripts_inject_target: 'head' }],
    ["defaults '2025-11-30'", 'body', { defaults: '2025-11-30' }],
    ["defaults '2026-01-30'", 'head', { defaults: '2026-01-30' }],
    ["defaults '2026-01-30' and 'body'", 'body', { defaults: '2026-01-30', external_scripts_inject_target: 'body' }],
  ] as const)('%s: inserts scripts into the %s', async (_, target, config) => {
    const found = await visit(config)
    expect(found[target].length).toBeGreaterThan(0)
    expect(found[target === 'head' ? 'body' : 'head']).toEqual([])
    // From the folder of the core script.
    for (const src of found[target]) expect(src).toMatch(/^https:\/\/cdn\.example\.com\/2\.0\.0\/[a-z-]+\.js$/)
  })

  test('set_config applies to scripts loaded later', async () => {
    const found = await visit({}, { external_scripts_inject_target: 'head' })
    expect(found.body).toEqual([])
    expect(found.head.length).toBeGreaterThan(0)
  })
})
