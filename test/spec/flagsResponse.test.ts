import type { LoadExtension } from '../../src/extensions/contract'
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
  /** Counts the events of two clicks, one before and one after this response. */
  const click = async (autocapture: boolean, response: object) => {
    show('<button id="b">b</button>')
    const { sent, setApiResponse, settle } = startAnalytics({ autocapture })
    setApiResponse(200, { ...NO_FLAGS, autocapture_opt_out: undefined, ...response })
    act('#b')
    await settle(1000)
    act('#b')
    await settle()
    return namesOf(sent).length
  }
  test('captures clicks before and after a response that enables autocapture', async () =>
    expect(await click(true, { autocapture_opt_out: false })).toBe(2))
  test('drops clicks before and after a response that disables autocapture', async () =>
    expect(await click(true, { autocapture_opt_out: true })).toBe(0))
  test('captures no clicks when the response enables autocapture and the option disables it', async () =>
    expect(await click(false, { autocapture_opt_out: false })).toBe(0))
  test('follows the option when the response lacks the setting', async () => expect(await click(true, {})).toBe(2))
  test('keeps autocapture disabled on the next page until a response enables it', async () => {
    await click(true, { autocapture_opt_out: true })
    expect(await click(true, {})).toBe(0)
    expect(await click(true, { autocapture_opt_out: false })).toBe(1)
  })
})

row('supported compression methods', () => {
  const compresses = async (supportedCompression: unknown, options: object = {}) => {
    const compress = jest.fn()
    globalThis.CompressionStream = class {
      constructor() {
        compress()
        throw new Error('jsdom cannot compress; what is sent goes as it is')
      }
    } as unknown as typeof CompressionStream
    const { analytics, sent, setApiResponse, settle } = startAnalytics(options)
    setApiResponse(200, { ...NO_FLAGS, supportedCompression })
    await settle(1000)
    compress.mockClear()
    // Smaller bodies are not worth compressing.
    analytics.capture('x', { filler: 'x'.repeat(1500) })
    await settle()
    delete (globalThis as { CompressionStream?: unknown }).CompressionStream
    expect(namesOf(sent)).toEqual(['x'])
    return compress.mock.calls.length > 0
  }
  test.each([[['gzip']], [['gzip-js']], [['LZ64', 'gzip']]])('compresses batches for %j', async (methods) =>
    expect(await compresses(methods)).toBe(true),
  )
  test.each([[['LZ64']], [[]]])('does not compress batches for %j', async (methods) =>
    expect(await compresses(methods)).toBe(false),
  )
  test('does not compress batches with advanced_disable_flags', async () =>
    expect(await compresses(['gzip'], { advanced_disable_flags: true })).toBe(false))
})

row('feature flags enabled for the current person', () => {
  const FLAGS = {
    on: { key: 'on', enabled: true, variant: null, metadata: { id: 1, version: 1, payload: '{"size":1}' } },
    off: { key: 'off', enabled: false, variant: null, metadata: { id: 2, version: 1 } },
    test: { key: 'test', enabled: true, variant: 'b', metadata: { id: 3, version: 1 } },
  }
  test('are returned by getFeatureFlag', async () => {
    const { analytics, setApiResponse, settle } = startAnalytics()
    setApiResponse(200, { ...NO_FLAGS, flags: FLAGS })
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
  test('are passed to onFeatureFlags as enabled flags and all values', async () => {
    const { analytics, setApiResponse, settle } = startAnalytics()
    setApiResponse(200, { ...NO_FLAGS, flags: FLAGS })
    const listener = jest.fn()
    analytics.onFeatureFlags(listener)
    await settle(1000)
    expect(listener.mock.calls[0]!.slice(0, 2)).toEqual([
      ['on', 'test'],
      expect.objectContaining({ on: true, test: 'b' }),
    ])
  })
  test('are added to events', async () => {
    const { analytics, sent, setApiResponse, settle } = startAnalytics()
    setApiResponse(200, { ...NO_FLAGS, flags: FLAGS })
    await settle(1000)
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({
      '$feature/on': true,
      '$feature/test': 'b',
      $active_feature_flags: ['on', 'test'],
    })
  })
  test('are replaced when the person changes', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics()
    setApiResponse(200, { ...NO_FLAGS, flags: FLAGS })
    await settle(1000)
    setApiResponse(200, { ...NO_FLAGS, flags: { on: { ...FLAGS.on, enabled: false } } })
    analytics.identify('u1')
    await settle(1000)
    expect(apiRequests.at(-1)!.body!.distinct_id).toBe('u1')
    expect(analytics.getFeatureFlag('on')).toBe(false)
  })
})

row('whether surveys are on', () => {
  test.each([
    [true, ['surveys']],
    [[{ id: 'a' }], ['surveys']],
    [false, []],
    [[], []],
  ])('%j loads the extensions %j', async (surveys, names) => {
    const loaded: string[] = []
    const load: LoadExtension = async (name) => {
      loaded.push(name)
      return { start: () => () => {} }
    }
    const { setApiResponse, settle } = startAnalytics({}, 'token', undefined, load)
    setApiResponse(200, { ...NO_FLAGS, surveys })
    await settle(1000)
    // The test's environment cannot compress.
    expect(loaded.filter((name) => name !== 'gzip')).toEqual(names)
  })
})

// This release does not use these items. They must have no effect.
for (const [name, item] of [
  ['where to send recording events', { sessionRecording: { endpoint: '/s/' } }],
  [
    'authentication info and capabilities',
    { isAuthenticated: true, toolbarParams: {}, editorParams: {}, toolbarVersion: 'toolbar' },
  ],
] as const) {
  row(name, () => {
    test('is ignored without a message', async () => {
      const lines = [listenToConsole('error'), listenToConsole('warn')]
      const { analytics, sent, setApiResponse, settle } = startAnalytics()
      setApiResponse(200, { ...NO_FLAGS, ...item })
      await settle(1000)
      analytics.capture('x')
      await settle()
      expect(lines).toEqual([[], []])
      expect(namesOf(sent)).toEqual(['x'])
    })
  })
}

describe('a flags response without these items', () => {
  test('triggers a request for the configuration to its own URL', async () => {
    show('<button id="b">b</button>')
    const { apiRequests, sent, settle } = startAnalytics({ autocapture: true })
    const events = fetch
    globalThis.fetch = jest.fn(async (url: string, init: RequestInit) => {
      if (/batch/.test(init.body as string)) return events(url, init)
      apiRequests.push({ url })
      const body = url.includes('/flags/')
        ? { flags: {}, errorsWhileComputingFlags: false }
        : { autocapture_opt_out: true, supportedCompression: [] }
      return { status: 200, text: async () => JSON.stringify(body), headers: { get: () => null } }
    }) as unknown as typeof fetch
    await settle(1000)
    act('#b')
    await settle()
    expect(apiRequests.map(({ url }) => url)).toEqual([
      'https://events.example.com/flags/?v=2&config=true',
      'https://events.example.com/array/token/config',
    ])
    expect(sent).toEqual([])
  })
})

close()
