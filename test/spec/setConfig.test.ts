import { OPTIONS } from '../support/options'
import { INIT, type Row } from '../../src/config/options'
import type { LoadExtension } from '../../src/extensions/contract'
import type { Config, Properties } from '../../src/types'
import { listenToConsole, NO_FLAGS, type Started, startAnalytics } from '../support/startAnalytics'
import { BUTTON, ENTRY, holds } from './mainOptions/rows'

// What `set_config` changes takes effect at once, in both directions: a client that was changed does what one does that
// was started with the value. Each row has two values and what a client does with them.

type Observe = (started: Started & { running: Set<string>; settings: Config[] }) => unknown
type Case = [first: unknown, second: unknown, observe: Observe, others?: object]

const lastSent = async (
  { analytics, sent, settle }: Started,
  name = 'x',
  properties?: Properties,
): Promise<Record<string, unknown>[]> => {
  sent.length = 0
  analytics.capture(name, properties)
  await settle()
  return sent.map(({ event, properties }) => ({ event, ...properties }))
}
/** Observes what `read` returns of the next event. */
const event =
  (read: (properties: Record<string, unknown>) => unknown, properties?: Properties): Observe =>
  async (started) =>
    (await lastSent(started, 'x', properties)).map(read)
const request =
  (read: (request: { url: string; init: RequestInit }) => unknown): Observe =>
  async (started) => {
    started.requests.length = 0
    await lastSent(started)
    return started.requests.map(read)
  }
/** Observes which of the features run. */
const runs =
  (name: string): Observe =>
  ({ running }) =>
    running.has(name)
/** Observes the value that extensions read. */
const live =
  (name: keyof Config): Observe =>
  ({ settings }) =>
    JSON.stringify(settings[0]![name])
const clicked: Observe = async ({ sent, settle }) => {
  sent.length = 0
  document.querySelector('button')!.click()
  await settle()
  return sent.map(({ event, properties }) => [event, properties.$el_text, properties.$elements_chain])
}
const stored: Observe = async (started) => {
  await lastSent(started)
  const { localStorage, cookie } = holds()
  return { localStorage, cookie }
}
const flagsAsked: Observe = async ({ apiRequests, settle }) => {
  await settle(100)
  const { url, body } = apiRequests.at(-1) ?? {}
  return { url, contexts: body?.evaluation_contexts, isOff: body?.disable_flags }
}
const navigated: Observe = async ({ sent, settle }) => {
  await settle()
  sent.length = 0
  history.pushState({}, '', location.pathname === '/' ? '/other' : '/')
  await settle()
  return sent.map(({ event }) => event)
}
/** Counts requests of flags within a minute. */
const refreshes: Observe = async ({ apiRequests, settle }) => {
  await settle(1000)
  apiRequests.length = 0
  await settle(60_000)
  return apiRequests.length
}
const rate: Observe = async ({ analytics, settle, sent }) => {
  await settle(60_000)
  sent.length = 0
  for (let index = 0; index < 6; index++) analytics.capture('x')
  await settle()
  return sent.filter(({ event }) => event === 'x').length
}
const captured: Observe = ({ analytics }) => !!analytics.capture('x')
const [A, B] = ['https://a.example', 'https://b.example']
const hasX = (name: string) => event((properties) => name in properties, { secret: 1 })

const CASES: Record<string, Case> = {
  api_host: [A, B, request(({ url }) => url)],
  ui_host: [A, B, ({ analytics }) => new URL(analytics.get_session_replay_url()).host],
  flags_api_host: [A, B, flagsAsked],
  autocapture: [true, false, clicked],
  before_send: [(each: unknown) => each, () => null, event(({ event }) => event)],
  capture_pageview: ['history_change', false, navigated],
  capture_pageleave: [true, false, ({ analytics }) => {
    dispatchEvent(new Event('pagehide'))
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    const [last] = analytics.explain()
    return last?.event === '$pageleave' && !!analytics.capture('after')
  }],
  capture_dead_clicks: [true, false, live('capture_dead_clicks')],
  capture_exceptions: [true, false, live('capture_exceptions')],
  error_tracking: [{ exception_steps: { enabled: true } }, { exception_steps: { enabled: false } }, live('error_tracking')],
  custom_blocked_useragents: [[], ['applewebkit'], captured, { opt_out_useragent_filter: false }],
  opt_out_useragent_filter: [true, false, captured, { custom_blocked_useragents: ['applewebkit'] }],
  defaults: ['2026-06-25', 'unset', live('session_recording')],
  disable_persistence: [true, false, stored],
  cross_subdomain_cookie: [true, false, stored],
  secure_cookie: [true, false, stored],
  cookie_expiration: [1, 365, stored],
  persistence: ['localStorage', 'cookie', stored],
  opt_out_persistence_by_default: [true, false, stored],
  disable_surveys: [true, false, runs('surveys')],
  advanced_enable_surveys: [true, false, runs('surveys')],
  disable_surveys_automatic_display: [true, false, live('disable_surveys_automatic_display')],
  surveys_request_timeout_ms: [1, 2, live('surveys_request_timeout_ms')],
  surveys: [{ prefillFromUrl: true }, {}, live('surveys')],
  override_display_language: ['de', 'en', live('override_display_language')],
  disable_session_recording: [true, false, runs('recorder')],
  enable_recording_console_log: [true, false, live('enable_recording_console_log')],
  session_recording: [{ sampleRate: 1 }, { sampleRate: 0 }, live('session_recording')],
  enable_heatmaps: [true, false, runs('heatmaps')],
  capture_heatmaps: [true, false, runs('heatmaps')],
  capture_performance: [{ web_vitals: true, web_vitals_attribution: true }, { web_vitals: true }, ({ running }) => [...running].filter((name) => /vitals/i.test(name))],
  evaluation_contexts: [['a'], ['b'], flagsAsked],
  external_scripts_inject_target: ['head', 'body', live('external_scripts_inject_target')],
  mask_all_text: [true, false, clicked, { autocapture: true }],
  mask_all_element_attributes: [true, false, clicked, { autocapture: true }],
  opt_out_capturing_by_default: [true, false, captured],
  property_denylist: [['secret'], [], hasX('secret')],
  property_blacklist: [['secret'], [], hasX('secret')],
  sanitize_properties: [() => ({}), null, hasX('secret')],
  mask_personal_data_properties: [true, false, event(({ $current_url }) => $current_url), { custom_personal_data_properties: ['id'] }],
  custom_personal_data_properties: [['id'], [], event(({ $current_url }) => $current_url), { mask_personal_data_properties: true }],
  disable_capture_url_hashes: [true, false, event(({ $current_url }) => $current_url)],
  person_profiles: ['always', 'identified_only', event(({ $process_person_profile }) => $process_person_profile)],
  rate_limiting: [{ events_per_second: 1, events_burst_limit: 2 }, { events_per_second: 10, events_burst_limit: 100 }, rate],
  session_idle_timeout_seconds: [60, 1800, async ({ analytics, settle }) => {
    const session = analytics.get_session_id()
    analytics.capture('x')
    await settle(120_000)
    return analytics.capture('y')!.properties.$session_id === session
  }],
  xhr_headers: [{ X: 'a' }, { X: 'b' }, request(({ init }) => (init.headers as Record<string, string>).X)],
  fetch_options: [{ cache: 'no-store' }, { cache: 'reload' }, request(({ init }) => init.cache)],
  rageclick: [true, false, live('rageclick')],
  advanced_disable_flags: [true, false, refreshes, { remote_config_refresh_interval_ms: 1000 }],
  advanced_disable_feature_flags: [true, false, flagsAsked],
  advanced_disable_feature_flags_on_first_load: [true, false, live('advanced_disable_feature_flags_on_first_load')],
  advanced_only_evaluate_survey_feature_flags: [true, false, flagsAsked],
  advanced_feature_flags_dedup_per_session: [true, false, live('advanced_feature_flags_dedup_per_session')],
  feature_flag_request_timeout_ms: [10, 3000, live('feature_flag_request_timeout_ms')],
  feature_flag_cache_ttl_ms: [1, 0, async ({ analytics, settle }) => {
    analytics.updateFlags({ a: true })
    await settle(100)
    return analytics.getFeatureFlag('a')
  }, { advanced_disable_flags: true }],
  remote_config_refresh_interval_ms: [2000, 300_000, refreshes],
  advanced_disable_toolbar_metrics: [true, false, live('advanced_disable_toolbar_metrics')],
  custom_campaign_params: [['partner'], [], async (started) => {
    history.replaceState({}, '', `/?partner=p${location.search.length}`)
    return (await lastSent(started)).map(({ partner }) => !!partner)
  }],
  save_campaign_params: [true, false, async (started) => {
    history.replaceState({}, '', `/?utm_source=${location.search.length}`)
    return (await lastSent(started)).map(({ utm_source }) => utm_source === new URL(location.href).searchParams.get('utm_source'))
  }],
  save_referrer: [true, false, live('save_referrer')],
  on_request_error: [() => {}, (error: object) => Object.assign(error, { seen: true }), async (started) => {
    const { analytics, setEventsResponse, settle } = started
    let seen: unknown
    const { on_request_error } = analytics.config as Config
    analytics.config.on_request_error = (error) => void (seen = (on_request_error(error), 'seen' in error))
    setEventsResponse(500)
    analytics.capture('x')
    await settle()
    setEventsResponse(200, { status: 1 })
    await settle(60_000)
    return seen
  }],
  debug: [true, false, ({ analytics }) => {
    const log = jest.spyOn(console, 'log').mockClear().mockImplementation(() => {})
    analytics.capture('x')
    return log.mock.calls.length > 0
  }],
  request_batching: [false, true, async ({ analytics, requests, settle }) => {
    await settle()
    requests.length = 0
    analytics.capture('x')
    await settle(10)
    return requests.length
  }],
  request_queue_config: [{ flush_interval_ms: 250 }, { flush_interval_ms: 5000 }, async ({ analytics, requests, settle }) => {
    await settle()
    requests.length = 0
    analytics.capture('x')
    await settle(500)
    return requests.length
  }],
  outbox_max_bytes: [1, 10_000_000, event(({ event }) => event)],
  outbox_max_age_ms: [0.001, 86_400_000, event(({ event }) => event)],
  disable_compression: [true, false, live('disable_compression')],
  disable_beacon: [true, false, live('disable_beacon')],
  properties_string_max_length: [3, 100, event(({ long }) => long, { long: 'abcdefgh' })],
  disable_scroll_properties: [true, false, async (started) => {
    await lastSent(started, '$pageview')
    return (await lastSent(started, '$pageview')).map((each) => '$prev_pageview_max_scroll' in each)
  }],
  scroll_root_selector: ['main', 'body', live('scroll_root_selector')],
  detect_google_search_app: [true, false, live('detect_google_search_app')],
  cookieless_mode: ['always', 'on_reject', event(({ distinct_id }) => distinct_id === '$posthog_cookieless')],
  get_device_id: [() => 'one', () => 'two', ({ analytics }) => {
    analytics.reset(true)
    return analytics.get_distinct_id()
  }],
  respect_dnt: [true, false, captured],
} // oxfmt-ignore

const start = (options: object) => {
  const running = new Set<string>()
  const settings: Config[] = []
  const load = (async (name: string) => ({
    start: () => {
      running.add(name)
      return () => void running.delete(name)
    },
  })) as unknown as LoadExtension
  const started = startAnalytics(options, 'token', (analytics) => settings.push(analytics.config), load)
  started.setApiResponse(200, {
    ...NO_FLAGS,
    sessionRecording: { endpoint: '/s/' },
    surveys: 'advanced_enable_surveys' in options ? false : [{}],
    heatmaps: true,
  })
  return { ...started, running, settings }
}
const clean = () => {
  localStorage.clear()
  sessionStorage.clear()
  document.cookie = `${ENTRY}=; max-age=0; path=/`
  history.replaceState({}, '', '/?id=7#part')
  document.body.innerHTML = BUTTON
}

beforeEach(() => {
  clean()
  listenToConsole('warn')
  listenToConsole('error')
  Object.defineProperty(navigator, 'doNotTrack', { value: '1', configurable: true })
})
afterEach(() => Reflect.deleteProperty(navigator, 'doNotTrack'))

const OTHERS = { remote_config_refresh_interval_ms: 0, save_referrer: false }

test.each(Object.keys(CASES))('set_config changes %s at once, in both directions', async (name) => {
  const [first, second, observe, others] = CASES[name]!
  const observed = async (...values: unknown[]) => {
    clean()
    const started = start({ ...OTHERS, ...others, [name]: values[0] })
    await started.settle(100)
    for (const value of values.slice(1)) {
      started.analytics.set_config({ [name]: value })
      await started.settle(100)
    }
    const result = await observe(started)
    await started.analytics.shutdown()
    return result
  }
  const [one, two] = [await observed(first), await observed(second)]
  const isStorage = observe === stored
  if (!isStorage || name === 'persistence' || name === 'disable_persistence') expect(one).not.toEqual(two)
  expect(await observed(first, second)).toEqual(two)
  expect(await observed(second, first)).toEqual(one)
  expect(await observed(first, second, first)).toEqual(one)
})

const initOnly = Object.keys(OPTIONS).filter((name) => (OPTIONS[name as keyof Config] as Row)[2] === INIT)

test('every option has a row, or is read by init only', () => {
  expect([...Object.keys(CASES), ...initOnly].sort()).toEqual(Object.keys(OPTIONS).sort())
})

test.each(initOnly)('set_config says that only init reads %s, unless the value is the same', (name) => {
  const values: Record<string, unknown> = { bootstrap: { distinctID: 'b' }, loaded: () => {}, enabled: false }
  const value = values[name] ?? (name.endsWith('type') ? 'cookie' : 'other')
  const warnings = listenToConsole('warn')
  const { analytics } = start({})
  analytics.set_config({ [name]: (analytics.config as unknown as Record<string, unknown>)[name] })
  expect(warnings.filter((line) => line.includes('read by init'))).toEqual([])
  analytics.set_config({ [name]: value })
  expect(warnings.filter((line) => line.includes(`${name} is read by init() only`))).toHaveLength(1)
  expect(analytics.capture('x')).toBeDefined()
})

test('after set_config turns history pageviews on, going back to the landing path is a pageview', async () => {
  const { analytics, sent, settle } = start({ capture_pageview: true })
  await settle()
  const landing = location.pathname
  history.pushState({}, '', '/other')
  await settle()
  analytics.set_config({ capture_pageview: 'history_change' })
  sent.length = 0
  history.pushState({}, '', landing)
  await settle()
  expect(sent.map(({ event }) => event)).toEqual(['$pageview'])
})

test('flags are refreshed on time in an application that calls set_config on each route', async () => {
  const { analytics, apiRequests, settle } = start({ remote_config_refresh_interval_ms: 60_000 })
  await settle(1000)
  apiRequests.length = 0
  for (let route = 0; route < 20; route++) {
    analytics.set_config({ debug: false })
    await settle(10_000)
  }
  expect(apiRequests).toHaveLength(3)
})

test.each(['advanced_disable_flags', 'advanced_disable_feature_flags'] as const)(
  'a response that is on its way when set_config turns %s on changes no flags',
  async (name) => {
    const { analytics, setApiResponse, settle } = start({})
    setApiResponse(200, { ...NO_FLAGS, flags: { a: { key: 'a', enabled: true } } })
    let answer = () => {}
    const { fetch } = globalThis
    globalThis.fetch = async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args)
      await new Promise<void>((done) => (answer = done))
      return response
    }
    await settle(100)
    analytics.set_config({ [name]: true })
    answer()
    await settle(100)
    expect(analytics.getFeatureFlag('a')).toBeUndefined()
    expect(analytics.flagsEndpointWasHit).toBe(false)
  },
)

test('an expired feature_flag_cache_ttl_ms hides flags, but not overrides', async () => {
  const { analytics, settle } = start({ advanced_disable_flags: true, feature_flag_cache_ttl_ms: 1000 })
  analytics.updateFlags({ a: 'fetched', b: 'fetched' })
  analytics.featureFlags.override({ flags: { a: 'mine', off: false }, payloads: { a: { x: 1 } } })
  await settle(5000)
  expect(['a', 'b', 'off'].map((key) => analytics.getFeatureFlag(key))).toEqual(['mine', undefined, false])
  expect(analytics.getFeatureFlagPayload('a')).toEqual({ x: 1 })
  const { properties } = analytics.capture('x')!
  expect(properties).toMatchObject({ '$feature/a': 'mine', '$feature/off': false })
  expect(properties).not.toHaveProperty('$feature/b')
})
