import type { LoadExtension } from '../../../src/extensions/contract'
import { NO_FLAGS, startAnalytics } from '../../support/startAnalytics'
import { flag, flagsResponse } from './withFlags'

// Remote configuration and early access features.

describe('remote configuration', () => {
  const CLICK = { autocapture: true, rageclick: false }
  const click = () => {
    document.body.innerHTML = '<button>Buy</button>'
    document.querySelector('button')!.click()
  }

  test('drops clicks from before the response with a reason when autocapture is turned off', async () => {
    const { analytics, setApiResponse, sent, settle } = startAnalytics(CLICK)
    setApiResponse(200, { ...NO_FLAGS, autocapture_opt_out: true })
    click()
    analytics.capture('mine')
    await settle()
    click()
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['mine'])
    expect(analytics.drops()).toEqual({ turned_off_by_service: 1 })
    await analytics.shutdown()

    const next = startAnalytics(CLICK)
    next.setApiResponse(0)
    click()
    await next.settle()
    expect(next.sent).toEqual([])
    next.setApiResponse(200, NO_FLAGS)
    next.analytics.reloadFeatureFlags()
    await next.settle(100)
    click()
    await next.settle()
    expect(next.sent.map(({ event }) => event)).toEqual(['$autocapture'])
  })

  test('stores whether the project captures exceptions, adds it to events, and starts the next page with it', async () => {
    const names: string[] = []
    const load: LoadExtension = async (name) => {
      names.push(name)
      throw new Error('not in this test')
    }
    const start = async (status: number, body: object) => {
      const page = startAnalytics({}, 'token', undefined, load)
      page.setApiResponse(status, body)
      await page.settle()
      page.analytics.capture('x')
      await page.settle()
      const { $exception_capture_enabled_server_side: isEnabled } = page.sent[0]!.properties
      await page.analytics.shutdown()
      return [isEnabled, names.splice(0).includes('exceptions')]
    }
    expect(await start(200, NO_FLAGS)).toEqual([undefined, false])
    const rejections = { capture_unhandled_errors: false, capture_unhandled_rejections: true }
    expect(await start(200, { ...NO_FLAGS, autocaptureExceptions: rejections })).toEqual([true, true])
    expect(await start(0, {})).toEqual([true, true])
    expect(await start(200, { ...NO_FLAGS, autocaptureExceptions: false })).toEqual([false, true])
    expect(await start(0, {})).toEqual([false, false])
  })

  test('captures clicks when the service sends no setting or does not respond', async () => {
    const { setApiResponse, sent, settle } = startAnalytics(CLICK)
    setApiResponse(0)
    click()
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$autocapture'])
  })

  test('disables autocapture and compression with advanced_disable_flags, and still sends manual events', async () => {
    const { analytics, sent, settle } = startAnalytics({ ...CLICK, advanced_disable_flags: true })
    click()
    analytics.capture('mine')
    analytics.identify('ada', { a: 1 })
    analytics.setPersonProperties({ b: 2 }, { c: 3 })
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(
      ['$identify', 'mine', '$set'].sort((a, b) => (a === 'mine' ? -1 : b === 'mine' ? 1 : 0)),
    )
  })

  test.each([
    ['the service supports gzip', {}, ['LZ64', 'gzip'], true],
    ['the service supports gzip-js', {}, ['gzip-js'], true],
    ['the service does not support gzip', {}, ['LZ64'], false],
    ['disable_compression', { disable_compression: true }, ['gzip'], false],
    ['advanced_disable_flags', { advanced_disable_flags: true }, ['gzip'], false],
  ])('controls compression: %s', async (_, options, supportedCompression, expected) => {
    // jsdom cannot compress: this browser claims that it can, and fails when used.
    const compress = jest.fn()
    globalThis.CompressionStream = class {
      constructor() {
        compress()
        throw new Error('jsdom cannot compress; what is sent goes as it is')
      }
    } as unknown as typeof CompressionStream
    const { analytics, setApiResponse, settle } = startAnalytics(options)
    setApiResponse(200, { ...NO_FLAGS, supportedCompression })
    await settle(100)
    compress.mockClear()
    // Smaller bodies are not worth compressing.
    analytics.capture('x', { filler: 'x'.repeat(1500) })
    await settle()
    expect(compress.mock.calls.length > 0).toBe(expected)
    delete (globalThis as { CompressionStream?: unknown }).CompressionStream
  })

  test('sends events to analytics.endpoint', async () => {
    const { analytics, setApiResponse, requests, settle } = startAnalytics()
    setApiResponse(200, { ...NO_FLAGS, analytics: { endpoint: '/i/v0/e/' } })
    analytics.capture('x')
    await settle()
    expect(requests[0]!.url).toBe('https://events.example.com/i/v0/e/')
  })

  test('is fetched once from its own URL when the flags response lacks it', async () => {
    const { analytics, apiRequests, settle } = startAnalytics(CLICK)
    globalThis.fetch = jest.fn(async (url: string) => {
      apiRequests.push({ url })
      const body = url.includes('/flags/')
        ? { flags: {} }
        : { supportedCompression: ['gzip-js'], autocapture_opt_out: true }
      return { status: 200, text: async () => JSON.stringify(body), headers: { get: () => null } }
    }) as unknown as typeof fetch
    await settle(100)
    expect(apiRequests.map(({ url }) => url)).toEqual([
      'https://events.example.com/flags/?v=2&config=true',
      'https://events.example.com/array/token/config',
    ])
    click()
    expect(analytics.explain('$autocapture')).toEqual([])
  })
})

describe('early access', () => {
  const feature = {
    id: '1',
    name: 'Dark mode',
    description: '',
    stage: 'beta',
    documentationUrl: null,
    flagKey: 'dark',
  }

  test('fetches features once, by stage', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics()
    await settle(100)
    setApiResponse(200, { earlyAccessFeatures: [feature] })
    const received: unknown[] = []
    analytics.getEarlyAccessFeatures((features) => received.push(features), false, ['beta', 'concept'])
    await settle(100)
    analytics.getEarlyAccessFeatures((features) => received.push(features))
    await settle(100)
    expect(received).toEqual([[feature], [feature]])
    expect(apiRequests.slice(1).map(({ url }) => url)).toEqual([
      'https://events.example.com/api/early_access_features/?token=token&stage=beta&stage=concept',
    ])
  })

  test('applies an enrollment immediately, captures it and sends it with the next flags request', async () => {
    const { analytics, apiRequests, setApiResponse, sent, settle } = startAnalytics()
    await settle(100)
    setApiResponse(200, { earlyAccessFeatures: [feature] })
    analytics.getEarlyAccessFeatures(() => {})
    await settle(100)
    setApiResponse(200, flagsResponse(flag('dark', true)))
    analytics.updateEarlyAccessFeatureEnrollment('dark', true, 'beta')
    expect(analytics.isFeatureEnabled('dark')).toBe(true)
    await settle()
    expect(sent.find(({ event }) => event === '$feature_enrollment_update')).toMatchObject({
      $set: { '$feature_enrollment/dark': true },
      properties: {
        $feature_flag: 'dark',
        $feature_enrollment: true,
        $feature_enrollment_stage: 'beta',
        $early_access_feature_name: 'Dark mode',
      },
    })
    expect(apiRequests.at(-1)!.body).toMatchObject({ person_properties: { '$feature_enrollment/dark': true } })
  })
})
