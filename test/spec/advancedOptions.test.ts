import { itIsAMember, itIsAnOption, tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Advanced options". flagOptions.test.ts covers the rows about flags.
const { row, close } = tableOf(
  'advanced_disable_flags',
  'advanced_disable_decide',
  'advanced_disable_feature_flags',
  'advanced_disable_feature_flags_on_first_load',
  'advanced_only_evaluate_survey_feature_flags',
  'advanced_feature_flags_dedup_per_session',
  'feature_flag_request_timeout_ms',
  'feature_flag_cache_ttl_ms',
  'remote_config_refresh_interval_ms',
  'secure_cookie',
  'custom_campaign_params',
  'fetch_options.cache',
  'fetch_options.next_options',
  'on_request_error',
)

const YES_OR_NO = ['yes', 1, null, {}]
const WHOLE_NUMBER = ['300', null, {}, NaN, 0.5, Infinity]

for (const name of [
  'advanced_disable_flags',
  'advanced_disable_feature_flags',
  'advanced_disable_feature_flags_on_first_load',
  'advanced_only_evaluate_survey_feature_flags',
  'advanced_feature_flags_dedup_per_session',
] as const) {
  row(name, () => {
    beforeEach(() => void listenToConsole('warn'))
    itIsAnOption(name, { fallback: false, wrong: YES_OR_NO, right: true })
  })
}

row('advanced_disable_decide', () => {
  beforeEach(() => void listenToConsole('warn'))
  test.each([[true], [false]])('is a legacy name of advanced_disable_flags: %p', (value) => {
    const { analytics } = startAnalytics({ advanced_disable_decide: value })
    expect(analytics.config.advanced_disable_flags).toBe(value)
  })
  test('is false by default', () =>
    expect(startAnalytics({ advanced_disable_flags: undefined }).analytics.config.advanced_disable_flags).toBe(false))
  test('is accepted by set_config', () => {
    const { analytics } = startAnalytics({ advanced_disable_flags: undefined })
    analytics.set_config({ advanced_disable_decide: true })
    expect(analytics.config.advanced_disable_flags).toBe(true)
  })
  test.each(YES_OR_NO.map((value) => [value]))('rejects %j with one message naming it', (value) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({
      advanced_disable_flags: undefined,
      advanced_disable_decide: value,
    } as object)
    expect(lines).toEqual([expect.stringMatching(/advanced_disable_decide expects boolean.*Using false/)])
    expect(analytics.config.advanced_disable_flags).toBe(false)
  })
})

row('feature_flag_request_timeout_ms', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('feature_flag_request_timeout_ms', { fallback: 3000, wrong: WHOLE_NUMBER, right: 100 })
})

row('feature_flag_cache_ttl_ms', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('feature_flag_cache_ttl_ms', { fallback: 0, wrong: WHOLE_NUMBER, right: 60_000 })
  test('disables expiry when undefined, without a message', () => {
    const lines = listenToConsole('error')
    expect(startAnalytics({ feature_flag_cache_ttl_ms: undefined }).analytics.config.feature_flag_cache_ttl_ms).toBe(0)
    expect(lines).toEqual([])
  })
})

row('remote_config_refresh_interval_ms', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('remote_config_refresh_interval_ms', { fallback: 300_000, wrong: WHOLE_NUMBER, right: 0 })
})

row('secure_cookie', () => {
  itIsAnOption('secure_cookie', { fallback: false, wrong: YES_OR_NO, right: true })

  const written = async (config: object) => {
    const set = jest.spyOn(Document.prototype, 'cookie', 'set')
    const { settle } = startAnalytics(config)
    await settle()
    const cookies = set.mock.calls.map(([text]) => text).filter((text) => /^ph_token_posthog=[^;]/.test(text))
    expect(cookies.length).toBeGreaterThan(0)
    return cookies.map((text) => /;\s*secure/i.test(text))
  }
  test('marks cookies as secure when true', async () =>
    expect(new Set(await written({ secure_cookie: true }))).toEqual(new Set([true])))
  test.each([[false], [undefined]])('%p: does not mark cookies as secure', async (secure_cookie) =>
    expect(new Set(await written({ secure_cookie }))).toEqual(new Set([false])),
  )

  test('can be changed by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    await settle()
    const set = jest.spyOn(Document.prototype, 'cookie', 'set')
    analytics.set_config({ secure_cookie: true })
    analytics.register({ plan: 'gold' })
    await settle()
    const last = set.mock.calls
      .map(([text]) => text)
      .filter((text) => /^ph_token_posthog=[^;]/.test(text))
      .at(-1)
    expect(last).toMatch(/;\s*secure/i)
  })
})

row('custom_campaign_params', () => {
  itIsAnOption('custom_campaign_params', { fallback: [], wrong: ['ref', 5, null, {}, [5]], right: ['ref'] })

  test('captures the listed URL parameters', async () => {
    history.replaceState(null, '', '/?ref=friend&partner=p&other=o')
    const { analytics, sent, settle } = startAnalytics({ custom_campaign_params: ['ref', 'partner'] })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({ ref: 'friend', partner: 'p' })
    expect(sent[0]!.properties).not.toHaveProperty('other')
  })

  test('captures no custom parameters when unset', () => {
    history.replaceState(null, '', '/?ref=friend')
    expect(startAnalytics().analytics.capture('x')!.properties).not.toHaveProperty('ref')
  })

  test('applies to later URLs when changed by set_config', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.set_config({ custom_campaign_params: ['ref'] })
    history.pushState(null, '', '/?ref=friend')
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.ref).toBe('friend')
  })
})

/** The options of every fetch call, for any purpose. */
const fetched = () =>
  (fetch as unknown as jest.Mock<unknown, [string, RequestInit & { next?: unknown }]>).mock.calls.map(
    ([, init]) => init,
  )

row('fetch_options.cache', () => {
  itIsAMember('fetch_options', 'cache', { wrong: [5, null, {}, 'sometimes'], right: 'no-store' })

  test('is passed to every fetch', async () => {
    const { analytics, settle } = startAnalytics({ fetch_options: { cache: 'no-store' } })
    analytics.capture('x')
    await settle()
    expect(fetched().length).toBeGreaterThan(0)
    for (const init of fetched()) expect(init.cache).toBe('no-store')
  })

  test('passes no priority to fetch when unset', async () => {
    const { analytics, settle } = startAnalytics()
    expect(analytics.config.fetch_options).toEqual({})
    analytics.capture('x')
    await settle()
    for (const init of fetched()) expect(init).not.toHaveProperty('cache')
  })

  test('can be changed by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    analytics.set_config({ fetch_options: { cache: 'reload' } })
    analytics.capture('x')
    await settle()
    expect(fetched().at(-1)!.cache).toBe('reload')
  })
})

row('fetch_options.next_options', () => {
  itIsAMember('fetch_options', 'next_options', { wrong: ['x', 5, null, []], right: { revalidate: 10 } })

  test('are passed as the `next` key to every fetch', async () => {
    const { analytics, settle } = startAnalytics({ fetch_options: { next_options: { revalidate: 10, tags: ['a'] } } })
    analytics.capture('x')
    await settle()
    expect(fetched().length).toBeGreaterThan(0)
    for (const init of fetched()) {
      expect(init.next).toEqual({ revalidate: 10, tags: ['a'] })
      expect(init).not.toHaveProperty('next_options')
    }
  })

  test('add no `next` key when unset', async () => {
    const { analytics, settle } = startAnalytics()
    analytics.capture('x')
    await settle()
    for (const init of fetched()) expect(init).not.toHaveProperty('next')
  })
})

row('on_request_error', () => {
  itIsAnOption('on_request_error', { fallback: expect.any(Function), wrong: ['x', 5, null, {}], right: () => {} })

  test('logs status and text by default', async () => {
    const lines = listenToConsole('error')
    const { analytics, setEventsResponse, settle } = startAnalytics()
    setEventsResponse(400, { detail: 'no such project' })
    analytics.capture('x')
    await settle()
    expect(lines).toEqual([expect.stringMatching(/400.*no such project/)])
  })
  // errors.test.ts covers when it is called and its arguments.

  test('can be changed by set_config', async () => {
    const listener = jest.fn()
    const { analytics, setEventsResponse, settle } = startAnalytics()
    analytics.set_config({ on_request_error: listener })
    setEventsResponse(400)
    analytics.capture('x')
    await settle()
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

close()
