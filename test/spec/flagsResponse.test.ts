import { act, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// The specification, "Endpoints": the items in the /flags response.
const { row, close } = tableOf(
  'whether autocapture is on',
  'where to send recording events',
  'supported compression methods',
  'feature flags enabled for the current person',
  'whether surveys are on',
  'authentication info and capabilities',
)

row('whether autocapture is on', () => {
  /** What a click is, before and after this answer. */
  const click = async (autocapture: boolean, answer: object) => {
    show('<button id="b">b</button>')
    const { sent, say, settle } = startAnalytics({ autocapture })
    say(200, { ...NO_FLAGS, autocapture_opt_out: undefined, ...answer })
    act('#b')
    await settle(1000)
    act('#b')
    await settle()
    return namesOf(sent).length
  }
  test('on there and here: clicks are events, those before the answer too', async () =>
    expect(await click(true, { autocapture_opt_out: false })).toBe(2))
  test('off there: none, those before the answer neither', async () =>
    expect(await click(true, { autocapture_opt_out: true })).toBe(0))
  test('on there, off here: none', async () => expect(await click(false, { autocapture_opt_out: false })).toBe(0))
  test('not said there: as here', async () => expect(await click(true, {})).toBe(2))
  test('off there holds on the next page, until an answer says otherwise', async () => {
    await click(true, { autocapture_opt_out: true })
    expect(await click(true, {})).toBe(0)
    expect(await click(true, { autocapture_opt_out: false })).toBe(1)
  })
})

row('supported compression methods', () => {
  const compresses = async (supportedCompression: unknown, options: object = {}) => {
    const compress = jest.fn()
    globalThis.CompressionStream = class {} as unknown as typeof CompressionStream
    globalThis.Response = class {
      constructor() {
        compress()
        throw new Error('jsdom cannot compress; what is sent goes as it is')
      }
    } as unknown as typeof Response
    const { analytics, sent, say, settle } = startAnalytics(options)
    say(200, { ...NO_FLAGS, supportedCompression })
    await settle(1000)
    compress.mockClear()
    // Less is not worth compressing.
    analytics.capture('x', { filler: 'x'.repeat(1500) })
    await settle()
    delete (globalThis as { CompressionStream?: unknown }).CompressionStream
    delete (globalThis as { Response?: unknown }).Response
    expect(namesOf(sent)).toEqual(['x'])
    return compress.mock.calls.length > 0
  }
  test.each([[['gzip']], [['gzip-js']], [['LZ64', 'gzip']]])('%j: batches are compressed', async (methods) =>
    expect(await compresses(methods)).toBe(true),
  )
  test.each([[['LZ64']], [[]]])('%j: they are not', async (methods) => expect(await compresses(methods)).toBe(false))
  test('advanced_disable_flags: they are not', async () =>
    expect(await compresses(['gzip'], { advanced_disable_flags: true })).toBe(false))
})

row('feature flags enabled for the current person', () => {
  const FLAGS = {
    on: { key: 'on', enabled: true, variant: null, metadata: { id: 1, version: 1, payload: '{"size":1}' } },
    off: { key: 'off', enabled: false, variant: null, metadata: { id: 2, version: 1 } },
    test: { key: 'test', enabled: true, variant: 'b', metadata: { id: 3, version: 1 } },
  }
  test('are what getFeatureFlag answers', async () => {
    const { analytics, say, settle } = startAnalytics()
    say(200, { ...NO_FLAGS, flags: FLAGS })
    await settle(1000)
    expect(['on', 'off', 'test', 'unknown'].map((key) => analytics.getFeatureFlag(key))).toEqual([
      true,
      false,
      'b',
      undefined,
    ])
    expect(['on', 'off', 'test'].map((key) => analytics.isFeatureEnabled(key))).toEqual([true, false, true])
    expect(analytics.getFeatureFlagPayload('on')).toEqual({ size: 1 })
  })
  test('are told to onFeatureFlags: those that are on, and all values', async () => {
    const { analytics, say, settle } = startAnalytics()
    say(200, { ...NO_FLAGS, flags: FLAGS })
    const heard = jest.fn()
    analytics.onFeatureFlags(heard)
    await settle(1000)
    expect(heard.mock.calls[0]!.slice(0, 2)).toEqual([['on', 'test'], expect.objectContaining({ on: true, test: 'b' })])
  })
  test('ride on events', async () => {
    const { analytics, sent, say, settle } = startAnalytics()
    say(200, { ...NO_FLAGS, flags: FLAGS })
    await settle(1000)
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({
      '$feature/on': true,
      '$feature/test': 'b',
      $active_feature_flags: ['on', 'test'],
    })
  })
  test('are of the current person: another one gets their own', async () => {
    const { analytics, asked, say, settle } = startAnalytics()
    say(200, { ...NO_FLAGS, flags: FLAGS })
    await settle(1000)
    say(200, { ...NO_FLAGS, flags: { on: { ...FLAGS.on, enabled: false } } })
    analytics.identify('u1')
    await settle(1000)
    expect(asked.at(-1)!.body!.distinct_id).toBe('u1')
    expect(analytics.getFeatureFlag('on')).toBe(false)
  })
})

// What reads these items is not in this release; they must do no harm.
for (const [name, item] of [
  ['where to send recording events', { sessionRecording: { endpoint: '/s/' } }],
  ['whether surveys are on', { surveys: true }],
  [
    'authentication info and capabilities',
    { isAuthenticated: true, toolbarParams: {}, editorParams: {}, toolbarVersion: 'toolbar' },
  ],
] as const) {
  row(name, () => {
    test('is taken in silence', async () => {
      const lines = [listenToConsole('error'), listenToConsole('warn')]
      const { analytics, sent, say, settle } = startAnalytics()
      say(200, { ...NO_FLAGS, ...item })
      await settle(1000)
      analytics.capture('x')
      await settle()
      expect(lines).toEqual([[], []])
      expect(namesOf(sent)).toEqual(['x'])
    })
  })
}

describe('an answer without these items', () => {
  test('the configuration is then fetched from its own address', async () => {
    show('<button id="b">b</button>')
    const { asked, sent, settle } = startAnalytics({ autocapture: true })
    const events = fetch
    globalThis.fetch = jest.fn(async (url: string, init: RequestInit) => {
      if (/batch/.test(init.body as string)) return events(url, init)
      asked.push({ url })
      const body = url.includes('/flags/')
        ? { flags: {}, errorsWhileComputingFlags: false }
        : { autocapture_opt_out: true, supportedCompression: [] }
      return { status: 200, text: async () => JSON.stringify(body), headers: { get: () => null } }
    }) as unknown as typeof fetch
    await settle(1000)
    act('#b')
    await settle()
    expect(asked.map(({ url }) => url)).toEqual([
      'https://events.example.com/flags/?v=2&config=true',
      'https://events.example.com/array/token/config',
    ])
    expect(sent).toEqual([])
  })
})

close()
