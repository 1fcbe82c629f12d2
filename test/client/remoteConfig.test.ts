import fc from 'fast-check'
import type { ExtensionName, LoadExtension } from '../../src/extensions/contract'
import type { VitalsParts } from '../../src/host'
import type { PerformanceConfig } from '../../src/types'
import { NO_FLAGS, listenToConsole, startAnalytics } from '../support/startAnalytics'
import { randomRuns } from '../support/randomRuns'

// What the service says about features, and what browsers remember of it, with the real extensions. PostHog's own
// responses are in e2e/scenarios/posthogHost.spec.ts.

/** What web vitals, which do not run in jsdom, are captured with. */
let vitals: (() => PerformanceConfig) | undefined
const load: LoadExtension = async (name) => {
  if (name.startsWith('webVitals'))
    return { start: (host: unknown) => ((vitals = (host as VitalsParts).settings), () => (vitals = undefined)) }
  if (!/^(recorder|exceptions|heatmaps|surveys)/.test(name)) throw new Error(`${name} is not in this test`)
  return (await import(`../../src/extensions/${name}/${name}`)) as Awaited<ReturnType<LoadExtension>>
}

beforeAll(async () => {
  globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS
  // rrweb keeps `Date.now` as it is when it loads, unless that returns no time. Otherwise its clock would not be the test's.
  jest.spyOn(Date, 'now').mockReturnValueOnce(0)
  for (const name of ['recorder', 'recorderPage', 'exceptions', 'heatmaps', 'surveys'] as ExtensionName[])
    await load(name)
})

const begin = async (items: object, stored?: object) => {
  const [errors, warnings] = [listenToConsole('error'), listenToConsole('warn')]
  if (stored) localStorage.setItem('ph_token_posthog', JSON.stringify({ distinct_id: 'ada', ...stored }))
  const started = startAnalytics({}, 'token', undefined, load)
  started.setApiResponse(200, { ...NO_FLAGS, surveys: [], ...items })
  await started.settle(3000)
  return { ...started, errors, warnings, status: () => started.analytics.sessionRecording.status }
}

/** Values of all JSON types, those that are often sent by mistake first. */
const any = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, '1', '0.5', 'true', 'false', '', ' ', [], [null], {}, [{}], -1),
  fc.jsonValue({ maxDepth: 2 }),
)
const objectOf = (...names: string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...names, 'newer'), any) },
    { weight: 1, arbitrary: any },
  )
const condition = objectOf('key', 'operator', 'value')
const group = fc.record(
  {
    id: any,
    sampleRate: any,
    minDurationMs: any,
    conditions: fc.oneof(
      any,
      fc.record(
        {
          matchType: any,
          events: fc.oneof(any, fc.array(fc.record({ name: any, properties: fc.oneof(any, fc.array(condition)) }))),
          urls: fc.oneof(any, fc.array(objectOf('url'))),
          flag: objectOf('flag', 'variant'),
          properties: fc.oneof(any, fc.array(condition)),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)
const MASKING = ['maskAllInputs', 'maskTextSelector', 'blockSelector', 'maskAllElementAttributes']
const sessionRecording = fc.record(
  {
    enabled: fc.constantFrom(true, null),
    endpoint: any,
    consoleLogRecordingEnabled: any,
    recorderVersion: any,
    sampleRate: any,
    minimumDurationMilliseconds: any,
    linkedFlag: objectOf('flag', 'variant'),
    urlTriggers: fc.oneof(any, fc.array(objectOf('url', 'matching'))),
    urlBlocklist: fc.oneof(any, fc.array(objectOf('url', 'matching'))),
    eventTriggers: any,
    triggerMatchType: any,
    networkPayloadCapture: objectOf('recordBody', 'recordHeaders'),
    masking: objectOf(...MASKING),
    recordCanvas: any,
    canvasFps: any,
    canvasQuality: any,
    scriptConfig: objectOf('script'),
    version: fc.oneof(fc.constantFrom(2, '2'), any),
    triggerGroups: fc.oneof(any, fc.array(group)),
  },
  { requiredKeys: [] },
)
const ITEMS = fc.record(
  {
    supportedCompression: any,
    autocapture_opt_out: any,
    analytics: objectOf('endpoint'),
    heatmaps: fc.oneof(fc.constant(true), any),
    surveys: any,
    capturePerformance: objectOf(
      'web_vitals',
      'network_timing',
      'web_vitals_allowed_metrics',
      'web_vitals_attribution',
      'web_vitals_delayed_flush_ms',
      '__web_vitals_max_value',
    ),
    autocaptureExceptions: objectOf('endpoint', 'capture_unhandled_errors', 'capture_console_errors'),
    errorTracking: objectOf('autocaptureExceptions', 'suppressionRules', 'captureExtensionExceptions'),
    sessionRecording: fc.oneof({ weight: 4, arbitrary: sessionRecording }, { weight: 1, arbitrary: any }),
    toolbarParams: any,
    siteApps: any,
    defaultIdentifiedOnly: any,
    conversations: any,
    productTours: any,
    hasFeatureFlags: any,
  },
  { requiredKeys: [] },
)
/** Messages that say why something is not in force. */
const REASONS =
  /there is no feature flag|malformed|is not recorded|invalid URL pattern|Everything is masked|surveys could not be loaded|malformed or of a newer/

const expectRunning = async (started: Awaited<ReturnType<typeof begin>>) => {
  try {
    await expectAll(started)
  } finally {
    await started.analytics.shutdown()
    jest.restoreAllMocks()
    localStorage.clear()
  }
}

const expectAll = async (started: Awaited<ReturnType<typeof begin>>) => {
  const { analytics, settle, errors, warnings, status } = started
  analytics.captureException(new Error('thrown'))
  expect(analytics.capture('still captured')).toBeDefined()
  await settle(6000)
  expect(status()).not.toBe('lazy_loading')
  const { web_vitals_allowed_metrics = [], web_vitals_delayed_flush_ms = 1 } = vitals?.() ?? {}
  expect([web_vitals_allowed_metrics.join(), web_vitals_delayed_flush_ms]).toEqual([
    expect.any(String),
    expect.any(Number),
  ])
  expect(started.sent.map(({ event }) => event)).toEqual(expect.arrayContaining(['$exception', 'still captured']))
  expect(started.requests.every(({ url }) => new URL(url).host === 'events.example.com')).toBe(true)
  expect([...errors, ...warnings].filter((line) => !REASONS.test(line))).toEqual([])
}

test('any remote configuration leaves no extension between loading and running, and throws nothing', async () => {
  await fc.assert(
    fc.asyncProperty(ITEMS, async (items) => expectRunning(await begin(items))),
    { numRuns: randomRuns(20), endOnFailure: true },
  )
}, 120_000)

test('whatever an older release has stored, extensions start and nothing throws', async () => {
  const stored = fc.record(
    {
      $session_recording_remote_config: fc.oneof(
        any,
        sessionRecording,
        sessionRecording.map((each) => JSON.stringify(each)),
        fc.record({ enabled: any, cache_timestamp: any }),
      ),
      $session_recording_enabled_server_side: any,
      $autocapture_disabled_server_side: any,
      $exception_capture_enabled_server_side: fc.oneof(any, objectOf('endpoint')),
      $enabled_feature_flags: any,
      $active_feature_flags: any,
      $feature_flag_payloads: any,
      $feature_flag_details: any,
      $flag_call_reported: fc.oneof(any, fc.dictionary(fc.constant('beta'), any)),
      $override_feature_flags: any,
      $early_access_features: any,
      $surveys_activated: any,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(stored, async (values) => {
      const started = await begin({ flags: { beta: { enabled: true } }, sessionRecording: true }, values)
      expect(started.analytics.getFeatureFlag('beta')).toBe(true)
      started.analytics.getFeatureFlag('missing')
      started.analytics.updateEarlyAccessFeatureEnrollment('beta', true)
      await expectRunning(started)
    }),
    { numRuns: randomRuns(20), endOnFailure: true },
  )
}, 120_000)

test.each([
  ['null', null],
  ['false', false],
  ['a list', []],
  ['text', 'true'],
  ['a number', 1],
])('sessionRecording of %s records nothing', async (_, sessionRecording) => {
  const { status } = await begin({ sessionRecording })
  expect(status()).toBe('disabled')
})

test('null for an item turns off what an earlier page has received, without a message', async () => {
  const { analytics, warnings, sent, settle } = await begin(
    { autocaptureExceptions: null, autocapture_opt_out: null, errorTracking: null, capturePerformance: null },
    { $exception_capture_enabled_server_side: true, $autocapture_disabled_server_side: true },
  )
  dispatchEvent(new ErrorEvent('error', { error: new Error('not captured') }))
  await settle()
  expect([warnings, sent.map(({ event }) => event)]).toEqual([[], []])
  expect(analytics.get_property('$exception_capture_enabled_server_side')).toBe(false)
})

test.each(['.evil.example', 5, {}, null])(
  'the endpoint %j of recordings leaves their other settings in force',
  async (endpoint) => {
    const { status } = await begin({ sessionRecording: { endpoint, sampleRate: '0' } })
    expect(status()).toBe('disabled')
  },
)

test.each([
  ['JSON text', JSON.stringify({ enabled: true })],
  ['an object without a time', { enabled: true }],
  ['an object with a text as its time', { enabled: true, cache_timestamp: 'today' }],
  ['an object of a later time', { enabled: true, cache_timestamp: Date.parse('2036-01-01') }],
])('recording waits for the service when the stored settings are %s', async (_, $session_recording_remote_config) => {
  listenToConsole('error')
  localStorage.setItem('ph_token_posthog', JSON.stringify({ distinct_id: 'ada', $session_recording_remote_config }))
  const started = startAnalytics({}, 'token', undefined, load)
  started.setApiResponse(503)
  await started.settle(3000)
  expect(started.analytics.sessionRecording.status).toBe('missing_config')
})

test('exceptions are captured when only errorTracking says so', async () => {
  const { sent, settle } = await begin({ errorTracking: { autocaptureExceptions: true, suppressionRules: null } })
  dispatchEvent(new ErrorEvent('error', { error: new Error('lost') }))
  await settle()
  expect(sent.map(({ event }) => event)).toEqual(['$exception'])
})

test('an extension whose start throws is reported and counted, and the recording status says why', async () => {
  const errors = listenToConsole('error')
  const broken: LoadExtension = async (name) => ({
    start: () => {
      if (name === 'recorder') throw new Error('broken')
      return () => {}
    },
  })
  const started = startAnalytics({}, 'token', undefined, broken)
  started.setApiResponse(200, { ...NO_FLAGS, sessionRecording: true })
  await started.settle()
  const { analytics } = started
  expect(analytics.sessionRecording.status).toBe('disabled')
  expect(analytics.calculateEventProperties('x')).toMatchObject({
    $sdk_debug_replay_stop_reason: 'recorder_unavailable',
  })
  expect(analytics.drops()).toEqual({ internal_error: 1 })
  expect(analytics.explain('recorder')).toMatchObject([{ state: 'dropped', reason: 'internal_error' }])
  expect(errors).toEqual([expect.stringContaining('recorder is not available; its features are off Error: broken')])
})

test.each([
  ['recorder', 'disabled'],
  ['recorderPage', 'rrweb_error'],
] as const)('a %s that the page blocks says so in the recording status', async (blocked, status) => {
  const { analytics, setApiResponse, settle } = startAnalytics({}, 'token', undefined, async (name) => {
    if (name === blocked) throw new Error('blocked')
    return load(name)
  })
  setApiResponse(200, { ...NO_FLAGS, sessionRecording: true })
  await settle(3000)
  expect(analytics.sessionRecording.status).toBe(status)
  expect(analytics.explain('$snapshot')).toMatchObject([{ reason: 'recorder_unavailable', state: 'dropped' }])
  expect(analytics.drops()).toEqual({})
})

test('explain says why the recorder does not run', async () => {
  const { analytics, setApiResponse, settle } = startAnalytics({}, 'token', undefined, load)
  const reason = () => analytics.explain('$snapshot')[0]?.reason
  expect(reason()).toBe('awaiting_config')
  setApiResponse(200, { ...NO_FLAGS, sessionRecording: false })
  await settle()
  expect(reason()).toBe('turned_off_by_service')
  analytics.set_config({ disable_session_recording: true })
  expect(reason()).toBe('turned_off_by_site')
  analytics.opt_out_capturing()
  expect(reason()).toBe('opted_out')
  analytics.set_config({ cookieless_mode: 'always' })
  expect(reason()).toBe('cookieless')
})
