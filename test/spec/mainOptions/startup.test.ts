import type { LoadExtension } from '../../../src/extensions/contract'
import * as surveysExtension from '../../../src/extensions/surveys/surveys'
import { AS_SHIPPED, itIsAnOption, tableOf } from '../../support/specRows'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../../support/startAnalytics'
import { MAIN_OPTIONS } from './rows'

// The specification, "Main options": hosts, startup, defaults, and options of features.
const { row, close } = tableOf(...MAIN_OPTIONS.startup)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SURVEY = { id: 's', name: 'S', type: 'api', questions: [{ type: 'open', question: 'Why?' }] }

row('api_host', () => {
  itIsAnOption('api_host', {
    fallback: 'https://us.i.posthog.com',
    wrong: [5, null, {}, true],
    right: 'https://a.example',
  })

  test('is the host of requests, including its path, without a trailing slash', async () => {
    const { analytics, requests, settle } = startAnalytics({ api_host: 'https://shop.example/ingest/' })
    analytics.capture('x')
    await settle()
    expect(requests.length).toBeGreaterThan(0)
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/shop\.example\/ingest\/[a-z]/)
  })

  test('is the US ingestion host by default', async () => {
    const { analytics, requests, settle } = startAnalytics({ api_host: undefined })
    analytics.capture('x')
    await settle()
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/us\.i\.posthog\.com\/[a-z]/)
  })

  test('applies to later events when changed by set_config', async () => {
    const { analytics, requests, settle } = startAnalytics()
    analytics.capture('x')
    await settle()
    analytics.set_config({ api_host: 'https://other.example' })
    const before = requests.length
    analytics.capture('y')
    await settle()
    expect(requests.length).toBeGreaterThan(before)
    for (const { url } of requests.slice(before)) expect(url).toMatch(/^https:\/\/other\.example\//)
  })
})

row('ui_host', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('ui_host', { fallback: undefined, wrong: [5, {}, true], right: 'https://app.example' })

  test('is used for links, not for requests', async () => {
    const { analytics, requests, settle } = startAnalytics({ ui_host: 'https://app.example' })
    analytics.capture('x')
    await settle()
    expect(analytics.get_session_replay_url()).toMatch(/^https:\/\/app\.example\//)
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/events\.example\.com\//)
  })
})

row('flags_api_host', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('flags_api_host', { fallback: null, wrong: [5, {}, true], right: 'https://flags.example' })
})

row('xhr_headers', () => {
  itIsAnOption('xhr_headers', { fallback: {}, wrong: ['x', 5, null, []], right: { 'X-A': '1' } })

  test('are sent with every request in addition to the headers of the SDK', async () => {
    const { analytics, requests, settle } = startAnalytics({ xhr_headers: { 'X-Team': 'web' } })
    analytics.capture('x')
    await settle()
    expect(requests.length).toBeGreaterThan(0)
    for (const { init } of requests) expect(init.headers).toMatchObject({ 'X-Team': 'web' })
    expect(requests.at(-1)!.init.headers).toHaveProperty('Content-Type')
  })

  test('can be changed by set_config', async () => {
    const { analytics, requests, settle } = startAnalytics()
    analytics.set_config({ xhr_headers: { 'X-Team': 'late' } })
    analytics.capture('x')
    await settle()
    expect(requests.at(-1)!.init.headers).toMatchObject({ 'X-Team': 'late' })
  })
})

row('bootstrap', () => {
  itIsAnOption('bootstrap', { fallback: {}, wrong: ['x', 5, null, []], right: { distinctID: 'x' } })

  test('sets distinctID as the anonymous visitor before the first request', () => {
    const { analytics } = startAnalytics({ bootstrap: { distinctID: 'visitor-1' } })
    expect(analytics.get_distinct_id()).toBe('visitor-1')
    expect(analytics.capture('x')!.properties).toMatchObject({
      distinct_id: 'visitor-1',
      $is_identified: false,
      $process_person_profile: false,
    })
  })

  test('marks the visitor as identified with isIdentifiedID: true and generates a separate device id', () => {
    const { analytics } = startAnalytics({ bootstrap: { distinctID: 'person-1', isIdentifiedID: true } })
    expect(analytics.capture('x')!.properties).toMatchObject({
      distinct_id: 'person-1',
      $is_identified: true,
      $process_person_profile: true,
      $device_id: expect.stringMatching(uuid),
    })
  })

  test('does not change the current visitor when passed to set_config', () => {
    const { analytics } = startAnalytics()
    const id = analytics.get_distinct_id()
    analytics.set_config({ bootstrap: { distinctID: 'late' } })
    expect(analytics.get_distinct_id()).toBe(id)
  })

  test.each([
    [{ distinctID: 5 }, 'bootstrap.distinctID expects'],
    [{ isIdentifiedID: 'yes' }, 'bootstrap.isIdentifiedID expects'],
    [{ featureFlags: ['a'] }, 'bootstrap.featureFlags expects'],
  ])('%j: logs one message naming the key with a wrong type and generates an id', (bootstrap, line) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ bootstrap: bootstrap as never })
    expect(lines).toEqual([expect.stringContaining(line)])
    expect(analytics.get_distinct_id()).toMatch(uuid)
  })
})

row('defaults', () => {
  test('is unset by default', () => expect(startAnalytics().analytics.config.defaults).toBe('unset'))

  test.each([['newest'], ['2025-13-40'], ['20260130'], [20260130], [null], [true]])(
    '%j: logs one message and uses the legacy behavior',
    (defaults) => {
      const lines = listenToConsole('error')
      const { analytics } = startAnalytics({ ...AS_SHIPPED, defaults: defaults as string })
      expect(lines).toEqual([expect.stringMatching(/defaults expects .*Using "unset"/)])
      expect(analytics.config).toMatchObject({
        defaults: 'unset',
        capture_pageview: true,
        rageclick: true,
        external_scripts_inject_target: 'body',
      })
    },
  )

  test('is sent with every event as $config_defaults', async () => {
    const { analytics, sent, settle } = startAnalytics({ defaults: '2025-11-30' })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.$config_defaults).toBe('2025-11-30')
  })

  test("'latest' is sent as the date that it selects", async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.set_config({ defaults: 'latest' })
    expect(analytics.config).toMatchObject({ defaults: '2026-06-25', disable_capture_url_hashes: true })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.$config_defaults).toBe('2026-06-25')
  })
})

row('loaded', () => {
  itIsAnOption('loaded', { fallback: expect.any(Function), wrong: ['x', 5, null, {}], right: () => {} })

  test('is called once with a working instance', async () => {
    const seen: unknown[] = []
    const { analytics, sent, settle } = startAnalytics({
      loaded: (instance) => {
        seen.push(instance, instance.get_distinct_id())
        instance.register({ plan: 'gold' })
        instance.capture('from loaded')
      },
    })
    await settle()
    expect(seen).toEqual([analytics, analytics.get_distinct_id()])
    expect(sent).toEqual([
      expect.objectContaining({ event: 'from loaded', properties: expect.objectContaining({ plan: 'gold' }) }),
    ])
  })

  test('is called before the first pageview', async () => {
    const { sent, settle } = startAnalytics({
      capture_pageview: true,
      loaded: (instance) => instance.register({ plan: 'gold' }),
    })
    await settle()
    expect(sent[0]!.properties.plan).toBe('gold')
  })

  test('does not stop init when it throws', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics({
      loaded: () => {
        throw new Error('no')
      },
    })
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('evaluation_contexts', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('evaluation_contexts', { fallback: undefined, wrong: ['web', 5, {}], right: ['web'] })
})

row('external_scripts_inject_target', () => {
  itIsAnOption('external_scripts_inject_target', { fallback: 'body', wrong: ['foot', 5, null, true], right: 'head' })

  test("is 'head' when defaults is '2026-01-30' or later", () =>
    expect(startAnalytics({ defaults: '2026-01-30' }).analytics.config.external_scripts_inject_target).toBe('head'))
  // externalScripts.test.ts covers where tags are inserted. The npm build creates none.
})

row('disable_surveys', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('disable_surveys', { fallback: false, wrong: ['yes', 1, null], right: true })

  test.each([
    [true, [], false],
    [false, [SURVEY], true],
  ])('%p: getSurveys returns %j', async (disable_surveys, surveys, isRequested) => {
    const load: LoadExtension = async () => surveysExtension
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics({ disable_surveys }, 't', undefined, load)
    setApiResponse(200, { ...NO_FLAGS, surveys: [SURVEY] })
    const listener = jest.fn()
    analytics.getSurveys(listener)
    await settle()
    expect(listener.mock.calls.map(([received]) => received)).toEqual([surveys])
    expect(apiRequests.some(({ url }) => url.endsWith('/api/surveys/?token=t'))).toBe(isRequested)
  })
})

row('disable_session_recording', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('disable_session_recording', { fallback: false, wrong: ['yes', 1, null], right: true })
})

row('enable_recording_console_log', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('enable_recording_console_log', { fallback: false, wrong: ['yes', 1, null], right: true })
})

row('enable_heatmaps', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('enable_heatmaps', { fallback: undefined, wrong: ['yes', 1, {}], right: true })
})

row('session_recording', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('session_recording', { fallback: {}, wrong: ['yes', 5, null, [], true], right: { maskAllInputs: true } })

  test("enables strictMinimumDuration with defaults '2025-11-30' or later and keeps explicit options", () => {
    expect(startAnalytics({ defaults: '2025-11-30' }).analytics.config.session_recording).toEqual({
      strictMinimumDuration: true,
    })
    expect(
      startAnalytics({ defaults: '2025-11-30', session_recording: { sampleRate: 1 } }).analytics.config
        .session_recording,
    ).toEqual({ strictMinimumDuration: true, sampleRate: 1 })
    expect(
      startAnalytics({ defaults: '2025-11-30', session_recording: { strictMinimumDuration: false } }).analytics.config
        .session_recording,
    ).toEqual({ strictMinimumDuration: false })
  })

  test('keeps the dated default when set_config changes other members', () => {
    const { analytics } = startAnalytics({ defaults: '2025-11-30' })
    analytics.set_config({ session_recording: { sampleRate: 1 } })
    expect(analytics.config.session_recording).toEqual({ strictMinimumDuration: true, sampleRate: 1 })
  })
})

close()
