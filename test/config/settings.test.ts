import { datedDefaults } from '../../src/config/datedDefaults'
import { OPTIONS } from '../support/options'
import { addMembers, changeConfig, resolveConfig } from '../../src/config/settings'
import { readInterfaces } from '../support/declarations'
import { RULES } from '../support/optionRules'
import { listenToConsole } from '../support/startAnalytics'

const recorder = () => {
  const lines: string[] = []
  return {
    lines,
    log: { error: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) },
  }
}

test.each([
  ['unset', {}],
  ['2024-01-01', {}],
  ['2025-05-23', {}],
  ['2025-05-24', { capture_pageview: 'history_change' }],
  ['2025-11-29', { capture_pageview: 'history_change' }],
  [
    '2025-11-30',
    {
      capture_pageview: 'history_change',
      session_recording: { strictMinimumDuration: true },
      rageclick: { content_ignorelist: true },
    },
  ],
  [
    '2026-01-30',
    {
      capture_pageview: 'history_change',
      session_recording: { strictMinimumDuration: true },
      rageclick: { content_ignorelist: true },
      external_scripts_inject_target: 'head',
    },
  ],
  [
    '2026-05-30',
    {
      capture_pageview: 'history_change',
      session_recording: { strictMinimumDuration: true, canvasCapture: { resolutionScale: 0.6 } },
      rageclick: {
        content_ignorelist: ['next', 'previous', 'prev', '>', '<', '+', '-', '−', '–'],
      },
      external_scripts_inject_target: 'head',
      detect_google_search_app: true,
    },
  ],
  [
    '2026-06-25',
    expect.objectContaining({
      disable_capture_url_hashes: true,
      session_recording: {
        strictMinimumDuration: true,
        canvasCapture: { resolutionScale: 0.6 },
        streamNetworkBody: true,
      },
    }),
  ],
])('datedDefaults of %s returns %j', (date, changes) => expect(datedDefaults(date)).toEqual(changes))

test('a later date selects the newest defaults', () =>
  expect(datedDefaults('2099-12-31')).toEqual(datedDefaults('2026-06-25')))

test("'latest' is the newest date", () => {
  const { log, lines } = recorder()
  expect(resolveConfig({ defaults: 'latest' }, log, RULES)).toEqual(
    resolveConfig({ defaults: '2026-06-25' }, log, RULES),
  )
  expect(lines).toEqual([])
})

test('missing and unset defaults use the undated values', () => {
  const { log, lines } = recorder()
  expect(resolveConfig({}, log, RULES).capture_pageview).toBe(true)
  expect(resolveConfig({ defaults: 'unset' }, log, RULES)).toMatchObject({
    capture_pageview: true,
    rageclick: true,
    external_scripts_inject_target: 'body',
  })
  expect(lines).toEqual([])
})

test.each(['newest', '2025-13-01', '2025-02-30', '20250524', ''])(
  'invalid defaults %j log one error and are treated as unset',
  (defaults) => {
    const { log, lines } = recorder()
    expect(resolveConfig({ defaults }, log, RULES)).toMatchObject({ defaults: 'unset', capture_pageview: true })
    expect(lines).toEqual([`defaults expects 'unset' | 'latest' | YYYY-MM-DD, got "${defaults}". Using "unset"`])
  },
)

test('explicit options override all defaults, and an object is merged into a dated default', () => {
  const { log } = recorder()
  const config = resolveConfig(
    { defaults: '2026-01-30', capture_pageview: true, session_recording: { sampleRate: 0.5 } },
    log,
    RULES,
  )
  expect(config.capture_pageview).toBe(true)
  expect(config.session_recording).toEqual({ strictMinimumDuration: true, sampleRate: 0.5 })
})

test('an undefined option uses its default', () => {
  expect(resolveConfig({ capture_pageleave: undefined }, recorder().log, RULES).capture_pageleave).toBe(true)
})

test.each([
  ['capture_pageview', 5, "capture_pageview expects boolean | 'history_change', got 5. Using true"],
  ['api_host', null, 'api_host expects string, got null. Using "https://us.i.posthog.com"'],
  ['session_idle_timeout_seconds', '60', 'session_idle_timeout_seconds expects integer, got "60". Using 1800'],
  ['session_idle_timeout_seconds', NaN, 'session_idle_timeout_seconds expects integer, got null. Using 1800'],
  ['property_denylist', 'a', 'property_denylist expects array of strings, got "a". Using []'],
  ['xhr_headers', [], 'xhr_headers expects object, got []. Using {}'],
  [
    'persistence',
    'disk',
    `persistence expects 'localStorage' | 'sessionStorage' | 'cookie' | 'memory' | 'localStorage+cookie', got "disk". Using "localStorage+cookie"`,
  ],
])('option %s with value %j logs one readable error and uses the default', (name, value, line) => {
  const { log, lines } = recorder()
  const config = resolveConfig({ [name]: value }, log, RULES) as unknown as Record<string, unknown>
  expect(lines).toEqual([line])
  expect(config[name]).toEqual(OPTIONS[name as keyof typeof OPTIONS][0])
})

test('a member with a wrong type logs one readable error and the other members apply', () => {
  const { log, lines } = recorder()
  expect(
    resolveConfig({ autocapture: { url_allowlist: 'x', element_allowlist: ['a'] } }, log, RULES).autocapture,
  ).toEqual({
    element_allowlist: ['a'],
  })
  expect(lines).toEqual(['autocapture.url_allowlist expects array, got "x". Using its default'])
})

test.each<[string, object, object, string[]]>([
  [
    'capture_exceptions',
    { capture_unhandled_errors: 'yes', capture_unhandled_rejections: 1, capture_console_errors: true },
    { capture_console_errors: true },
    [
      'capture_exceptions.capture_unhandled_errors expects boolean, got "yes". Using its default',
      'capture_exceptions.capture_unhandled_rejections expects boolean, got 1. Using its default',
    ],
  ],
  [
    'error_tracking',
    {
      exceptionRateLimiterBucketSize: '5',
      exceptionRateLimiterRefillRate: NaN,
      captureExtensionExceptions: 1,
      exception_steps: false,
    },
    {},
    [
      'error_tracking.exceptionRateLimiterBucketSize expects number, got "5". Using its default',
      'error_tracking.exceptionRateLimiterRefillRate expects number, got null. Using its default',
      'error_tracking.captureExtensionExceptions expects boolean, got 1. Using its default',
      'error_tracking.exception_steps expects object, got false. Using its default',
    ],
  ],
  [
    'capture_performance',
    { web_vitals: 1, web_vitals_allowed_metrics: 'LCP', web_vitals_delayed_flush_ms: '5', network_timing: true },
    { network_timing: true },
    [
      'capture_performance.web_vitals expects boolean, got 1. Using its default',
      'capture_performance.web_vitals_allowed_metrics expects array of strings, got "LCP". Using its default',
      'capture_performance.web_vitals_delayed_flush_ms expects number, got "5". Using its default',
    ],
  ],
  [
    'capture_heatmaps',
    { flush_interval_milliseconds: '5' },
    {},
    ['capture_heatmaps.flush_interval_milliseconds expects number, got "5". Using its default'],
  ],
  [
    'error_tracking',
    { __capturePostHogExceptions: true },
    { __capturePostHogExceptions: true },
    ['there is no option error_tracking.__capturePostHogExceptions; it has no effect'],
  ],
  [
    'session_recording',
    {
      maskAllInput: true,
      maskAllInputs: 'no',
      sampleRate: '0.2',
      maskTextSelector: 5,
      captureCanvas: { recordCanvas: 1, canvasFps: 2, fps: 3 },
    },
    { maskAllInput: true, maskTextSelector: 5, captureCanvas: { canvasFps: 2, fps: 3 } },
    [
      'there is no option session_recording.maskAllInput; it has no effect',
      'session_recording.maskAllInputs expects boolean, got "no". Using its default',
      'session_recording.sampleRate expects number | null, got "0.2". Using its default',
      'session_recording.captureCanvas.recordCanvas expects boolean, got 1. Using its default',
      'there is no option session_recording.captureCanvas.fps; it has no effect',
    ],
  ],
  [
    'request_queue_config',
    { flush_interval: 5 },
    { flush_interval: 5 },
    ['there is no option request_queue_config.flush_interval; it has no effect'],
  ],
  ['surveys', { prefillFromUrl: 'yes' }, {}, ['surveys.prefillFromUrl expects boolean, got "yes". Using its default']],
])('checks the members of %s', (name, value, used, expected) => {
  const { log, lines } = recorder()
  expect(resolveConfig({ [name]: value }, log, RULES)[name as 'error_tracking']).toEqual(used)
  expect(lines).toEqual(expected)
})

test.each([
  ['session_recording', 'SessionRecordingConfig'],
  ['autocapture', 'AutocaptureConfig'],
  ['rageclick', 'RageclickConfig'],
  ['capture_exceptions', 'ExceptionAutocapture'],
  ['error_tracking', 'ErrorTrackingConfig'],
  ['capture_performance', 'PerformanceConfig'],
  ['capture_heatmaps', 'HeatmapConfig'],
  ['bootstrap', 'Bootstrap'],
  ['surveys', 'SurveysConfig'],
])('checks every member of %s, so that a typing error is named', (option, type) => {
  const members = readInterfaces('src/types.ts')[type]!
  const declared = members.map(({ name }) => name).filter(Boolean)
  expect(Object.keys(RULES.members[option as 'autocapture']!).sort()).toEqual(declared.sort())
  const { log, lines } = recorder()
  resolveConfig({ [option]: { [`${declared[0]}x`]: 1 } }, log, RULES)
  expect(lines).toEqual([`there is no option ${option}.${declared[0]}x; it has no effect`])
})

test('an unknown option is named in an error', () => {
  const { log, lines } = recorder()
  resolveConfig({ capture_pageviews: true }, log, RULES)
  expect(lines).toEqual(['there is no option capture_pageviews; it has no effect'])
})

test.each([[[]], ['x'], [5]])('a configuration %j is ignored with one error', (userConfig) => {
  const { log, lines } = recorder()
  expect(resolveConfig(userConfig, log, RULES).capture_pageview).toBe(true)
  expect(lines).toHaveLength(1)
})

test('legacy option names are accepted and the current name wins', () => {
  const { log } = recorder()
  expect(resolveConfig({ request_headers: { a: '1' } }, log, RULES).xhr_headers).toEqual({ a: '1' })
  expect(resolveConfig({ request_headers: { a: '1' }, xhr_headers: { b: '2' } }, log, RULES).xhr_headers).toEqual({
    b: '2',
  })
  expect(resolveConfig({ advanced_disable_decide: true }, log, RULES).advanced_disable_flags).toBe(true)
  expect(resolveConfig({ evaluation_environments: ['a'] }, log, RULES).evaluation_contexts).toEqual(['a'])
})

test('set_config keeps the previous value when the new one has a wrong type', () => {
  const { log, lines } = recorder()
  const config = resolveConfig({ capture_pageview: false }, log, RULES)
  expect(changeConfig(config, { capture_pageview: 'often', capture_pageleave: false }, log, RULES, {})).toBe(true)
  expect(config).toMatchObject({ capture_pageview: false, capture_pageleave: false })
  expect(lines).toEqual([`capture_pageview expects boolean | 'history_change', got "often". Using false`])
})

test('resolveConfig does not modify the configuration it receives', () => {
  const userConfig = Object.freeze({
    rageclick: Object.freeze({ css_selector_ignorelist: ['a'] }),
    defaults: '2026-01-30',
  })
  resolveConfig(userConfig, recorder().log, RULES)
  expect(userConfig.rageclick).toEqual({ css_selector_ignorelist: ['a'] })
})

test('an option that throws when read is treated as missing and the others apply', () => {
  const errors = listenToConsole('error')
  const { log } = recorder()
  const get = () => {
    throw new Error('the page threw')
  }
  const userConfig = Object.defineProperty({ capture_pageview: false }, 'bootstrap', { get, enumerable: true })
  expect(resolveConfig(userConfig, log, RULES)).toMatchObject({ capture_pageview: false, bootstrap: {} })
  expect(errors).toEqual([expect.stringContaining('the page threw')])
})

test('an extension that loads later checks the options that only it reads, once', () => {
  const { log, lines } = recorder()
  const userConfig = {}
  const rules = { ...RULES, members: { ...RULES.members } }
  delete rules.members.session_recording
  const options = { defaults: '2025-11-30', session_recording: { strictMinimumDuration: 'no', maskAllInput: true } }
  const config = resolveConfig(options, log, rules, userConfig)
  expect(lines).toEqual([])

  const extension = { session_recording: RULES.members.session_recording }
  changeConfig(config, addMembers(rules, extension, userConfig), log, rules, userConfig)
  expect(lines).toEqual([
    'session_recording.strictMinimumDuration expects boolean, got "no". Using its default',
    'there is no option session_recording.maskAllInput; it has no effect',
  ])
  expect(config.session_recording).toEqual({ strictMinimumDuration: true, maskAllInput: true })
  expect(addMembers(rules, extension, userConfig)).toEqual({})
  expect(rules.members.session_recording).toBe(extension.session_recording)
})
