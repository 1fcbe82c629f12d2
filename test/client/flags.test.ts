import type { LoadExtension } from '../../src/extensions/contract'
import type { Options } from '../../src/client/publicApi'
import type { FlagDetails } from '../../src/types'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

const flag = (key: string, value: boolean | string, payload?: unknown): FlagDetails => ({
  key,
  enabled: value !== false,
  variant: typeof value === 'string' ? value : null,
  reason: { code: 'condition_match', description: 'Matched condition 1' },
  metadata: { id: 7, version: 3, payload, has_experiment: false },
})
const flagsResponse = (...flags: FlagDetails[]) => ({
  ...NO_FLAGS,
  flags: Object.fromEntries(flags.map((each) => [each.key, each])),
  requestId: 'r-1',
  evaluatedAt: 1795255200000,
})

/** A client whose flags have been loaded from the service. */
const withFlags = async (flags: FlagDetails[], options: Options = {}) => {
  const started = startAnalytics(options)
  started.setApiResponse(200, flagsResponse(...flags))
  await started.settle(100)
  return started
}
const called = (sent: { event: string; properties: Record<string, unknown> }[]) =>
  sent.filter(({ event }) => event === '$feature_flag_called').map(({ properties }) => properties)

describe('the flags request', () => {
  test('is sent once after init with everything flags are evaluated on', async () => {
    const { analytics, apiRequests, settle } = startAnalytics({ evaluation_contexts: ['web', ' '] })
    analytics.group('company', 'acme', { plan: 'pro' })
    analytics.identify('ada', { age: 36 })
    await settle(100)
    expect(apiRequests).toHaveLength(1)
    expect(apiRequests[0]!.url).toBe('https://events.example.com/flags/?v=2&config=true')
    expect(apiRequests[0]!.body).toMatchObject({
      token: 'token',
      distinct_id: 'ada',
      $anon_distinct_id: analytics.get_property('$device_id'),
      $device_id: analytics.get_property('$device_id'),
      groups: { company: 'acme' },
      person_properties: { age: 36, $lib: 'web', $initial_pathname: '/' },
      group_properties: { company: { plan: 'pro' } },
      timezone: expect.any(String),
      evaluation_contexts: ['web'],
    })
    expect(apiRequests[0]!.body).not.toHaveProperty('disable_flags')
  })

  test('accepts evaluation_environments as a legacy name and omits names that are not strings', async () => {
    const { apiRequests, settle } = startAnalytics({ evaluation_environments: ['app', 5] } as unknown as Options)
    await settle(100)
    expect(apiRequests[0]!.body).toMatchObject({ evaluation_contexts: ['app'] })
  })

  test('includes the anonymous id from before identify until a request succeeds', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics()
    await settle(100)
    const anonymous = analytics.get_distinct_id()
    setApiResponse(503)
    analytics.identify('ada')
    await settle(100)
    setApiResponse(200, NO_FLAGS)
    analytics.reloadFeatureFlags()
    await settle(100)
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(apiRequests.map(({ body }) => body!.$anon_distinct_id)).toEqual([undefined, anonymous, anonymous, undefined])
  })

  test.each([
    [
      'flags_api_host',
      { flags_api_host: 'https://flags.example.com/' },
      'https://flags.example.com/flags/?v=2&config=true',
    ],
    [
      'advanced_only_evaluate_survey_feature_flags',
      { advanced_only_evaluate_survey_feature_flags: true },
      'https://events.example.com/flags/?v=2&config=true&only_evaluate_survey_feature_flags=true',
    ],
  ])('uses another URL with %s', async (_, options, url) => {
    const { apiRequests, settle } = startAnalytics(options)
    await settle(100)
    expect(apiRequests[0]!.url).toBe(url)
  })

  test.each(['advanced_disable_flags', 'advanced_disable_decide'])('is never sent with %s', async (name) => {
    const { analytics, apiRequests, settle } = startAnalytics({ [name]: true })
    analytics.reloadFeatureFlags()
    await settle(700_000)
    expect(apiRequests).toEqual([])
  })

  test('requests only the configuration with advanced_disable_feature_flags', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics({ advanced_disable_feature_flags: true })
    setApiResponse(200, flagsResponse(flag('a', true)))
    await settle(100)
    expect(apiRequests[0]!.body).toHaveProperty('disable_flags', true)
    expect(analytics.getFeatureFlag('a')).toBeUndefined()
  })

  test('requests flags only after a change with advanced_disable_feature_flags_on_first_load', async () => {
    const { analytics, apiRequests, settle } = startAnalytics({ advanced_disable_feature_flags_on_first_load: true })
    await settle(100)
    analytics.identify('ada')
    await settle(100)
    expect(apiRequests.map(({ body }) => body!.disable_flags)).toEqual([true, undefined])
  })

  test('repeats every remote_config_refresh_interval_ms, not while the page is hidden and never for 0', async () => {
    const { analytics, apiRequests, settle } = startAnalytics({ remote_config_refresh_interval_ms: 10_000 })
    await settle(35_000)
    expect(apiRequests).toHaveLength(4)
    const visible = jest.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    await settle(20_000)
    expect(apiRequests).toHaveLength(4)
    visible.mockRestore()
    analytics.set_config({ remote_config_refresh_interval_ms: 0 })
    await settle(1_000_000)
    expect(apiRequests).toHaveLength(4)
  })

  test('repeats every five minutes by default', async () => {
    const { apiRequests, settle } = startAnalytics()
    await settle(299_000)
    expect(apiRequests).toHaveLength(1)
    await settle(2_000)
    expect(apiRequests).toHaveLength(2)
  })

  test('is not sent when properties did not change', async () => {
    const { analytics, apiRequests, settle } = startAnalytics()
    analytics.setPersonProperties({ plan: 'pro' })
    await settle(100)
    analytics.capture('x', {}, { $set: { plan: 'pro' } })
    analytics.setPersonPropertiesForFlags({ plan: 'pro' })
    await settle(100)
    expect(apiRequests).toHaveLength(1)
    analytics.capture('x', {}, { $set: { plan: 'free' } })
    await settle(100)
    expect(apiRequests[1]!.body).toMatchObject({ person_properties: { plan: 'free' } })
  })

  test('sends properties for flags, with or without an immediate reload, until they are reset', async () => {
    const { analytics, apiRequests, settle } = startAnalytics()
    await settle(100)
    analytics.setPersonPropertiesForFlags({ a: 1 }, false)
    analytics.setGroupPropertiesForFlags({ company: { b: 2 } }, false)
    await settle(100)
    expect(apiRequests).toHaveLength(1)
    analytics.setPersonPropertiesForFlags({ $set: { c: 3 }, $set_once: { a: 9, d: 4 } })
    analytics.setGroupPropertiesForFlags({ company: { e: 5 } })
    await settle(100)
    expect(apiRequests[1]!.body).toMatchObject({
      person_properties: { a: 1, c: 3, d: 4 },
      group_properties: { company: { b: 2, e: 5 } },
    })
    analytics.resetGroupPropertiesForFlags('company')
    analytics.resetPersonPropertiesForFlags()
    await settle(100)
    expect(apiRequests[2]!.body).toMatchObject({ group_properties: { company: {} } })
    expect(apiRequests[2]!.body!.person_properties).not.toHaveProperty('a')
    analytics.unsetPersonProperties('x')
    analytics.resetGroupPropertiesForFlags()
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(apiRequests[3]!.body).not.toHaveProperty('group_properties')
  })

  test('emits featureFlagsReloading before it is sent', async () => {
    const { analytics, settle } = startAnalytics()
    const received: unknown[] = []
    analytics.on('featureFlagsReloading', (value) => received.push(value))
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(received).toEqual([true])
  })

  test('drops the properties of a group when its key changes', async () => {
    const { analytics, apiRequests, settle } = startAnalytics()
    analytics.group('company', 'acme', { plan: 'pro' })
    await settle(100)
    analytics.group('company', 'other')
    await settle(100)
    expect(apiRequests[1]!.body).toMatchObject({ groups: { company: 'other' }, group_properties: { company: {} } })
    analytics.resetGroups()
    await settle(100)
    expect(apiRequests[2]!.body).toMatchObject({ groups: {} })
  })

  test('is not sent while setReloadingPaused is on', async () => {
    const { analytics, apiRequests, settle } = startAnalytics()
    await settle(100)
    analytics.featureFlags.setReloadingPaused(true)
    analytics.reloadFeatureFlags()
    await settle(100)
    analytics.featureFlags.setReloadingPaused(false)
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(apiRequests).toHaveLength(2)
  })
})

describe('a flags response for a previous visitor', () => {
  test('is ignored after identify was called during the request', async () => {
    const { analytics, settle } = startAnalytics()
    const received: unknown[] = []
    analytics.onFeatureFlags((flags) => received.push(flags))
    const resolvers: ((body: unknown) => void)[] = []
    globalThis.fetch = jest.fn(
      () =>
        new Promise((resolve) =>
          resolvers.push((body) =>
            resolve({
              status: 200,
              text: async () => JSON.stringify(body),
              headers: { get: () => null },
            } as unknown as Response),
          ),
        ),
    )
    await settle(10)
    analytics.identify('ada')
    await settle(10)
    const [first] = resolvers
    first!(flagsResponse(flag('of-anonymous', true)))
    await settle(10)
    expect(analytics.getFeatureFlag('of-anonymous')).toBeUndefined()
    resolvers.forEach((resolve) => resolve(flagsResponse(flag('of-ada', true))))
    await settle(10)
    expect(analytics.getFeatureFlag('of-ada')).toBe(true)
    expect(received).toEqual([['of-ada']])
  })
})

describe('reading flags', () => {
  test('returns values, variants and payloads', async () => {
    const { analytics } = await withFlags([
      flag('on', true, '{"a":1}'),
      flag('off', false),
      flag('many', 'blue', 'no json'),
    ])
    expect(['on', 'off', 'many', 'none', 'toString'].map((key) => analytics.getFeatureFlag(key))).toEqual([
      true,
      false,
      'blue',
      undefined,
      undefined,
    ])
    expect(['on', 'off', 'many', 'none'].map((key) => analytics.isFeatureEnabled(key))).toEqual([
      true,
      false,
      true,
      undefined,
    ])
    expect(analytics.isFeatureEnabled('none', { defaultValue: true })).toBe(true)
    expect(['on', 'off', 'many', 'none'].map((key) => analytics.getFeatureFlagPayload(key))).toEqual([
      { a: 1 },
      undefined,
      'no json',
      undefined,
    ])
    expect(analytics.getFeatureFlagResult('many')).toEqual({
      key: 'many',
      enabled: true,
      variant: 'blue',
      payload: 'no json',
    })
    expect(analytics.getFeatureFlagResult('none')).toBeUndefined()
    expect(analytics.getAllFeatureFlags().map(({ key, enabled }) => [key, enabled])).toEqual([
      ['on', true],
      ['off', false],
      ['many', true],
    ])
    expect(analytics.featureFlags.getFlags()).toEqual(['on', 'off', 'many'])
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ on: true, off: false, many: 'blue' })
    expect(analytics.featureFlags.getFeatureFlagDetails('on')).toMatchObject({ metadata: { version: 3 } })
  })

  test.each([
    ['an object', { featureFlags: { a: 'x', b: false }, featureFlagPayloads: { a: '5' } }, { a: 'x', b: false }],
    ['a list', { featureFlags: ['a', 'b'] }, { a: true, b: true }],
  ])('accepts %s in the legacy response format', async (_, body, expected) => {
    const started = startAnalytics()
    started.setApiResponse(200, { ...NO_FLAGS, flags: undefined, ...body })
    await started.settle(100)
    expect(started.analytics.featureFlags.getFlagVariants()).toEqual(expected)
  })

  test('returns no flags before the first response, and stored flags on the next page load', async () => {
    const first = startAnalytics()
    expect([first.analytics.getFeatureFlag('a'), first.analytics.isFeatureEnabled('a')]).toEqual([undefined, undefined])
    first.setApiResponse(200, flagsResponse(flag('a', 'x')))
    await first.settle()
    expect(called(first.sent)).toEqual([])
    await first.analytics.shutdown()
    const second = startAnalytics()
    second.setApiResponse(0)
    expect(second.analytics.getFeatureFlag('a')).toBe('x')
    expect(second.analytics.getFeatureFlag('a', { fresh: true })).toBeUndefined()
  })

  test('adds the flags to every event', async () => {
    const { analytics } = await withFlags([flag('a', 'x'), flag('b', false)])
    expect(analytics.capture('e')!.properties).toMatchObject({
      $active_feature_flags: ['a'],
      '$feature/a': 'x',
      '$feature/b': false,
      $feature_flag_request_id: 'r-1',
    })
  })

  test('treats a value older than feature_flag_cache_ttl_ms as unknown, omits it from events and requests it once', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = await withFlags([flag('a', true)], {
      feature_flag_cache_ttl_ms: 60_000,
      remote_config_refresh_interval_ms: 0,
    })
    await settle(59_000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
    await settle(2_000)
    setApiResponse(0)
    expect([
      analytics.getFeatureFlag('a'),
      analytics.isFeatureEnabled('a'),
      analytics.getFeatureFlagPayload('a'),
    ]).toEqual([undefined, undefined, undefined])
    expect(analytics.capture('e')!.properties).not.toHaveProperty('$feature/a')
    await settle(1000)
    expect(apiRequests).toHaveLength(2)
    setApiResponse(200, flagsResponse(flag('a', true)))
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })

  test('never expires values with feature_flag_cache_ttl_ms: 0', async () => {
    const { analytics, settle } = await withFlags([flag('a', true)], { remote_config_refresh_interval_ms: 0 })
    await settle(400 * 24 * 3600 * 1000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })
})

describe('a failed flags request', () => {
  test.each([
    ['no response', 0, {}, 'connection_error'],
    ['an error', 500, {}, 'api_error_500'],
    ['an exceeded quota', 200, { ...NO_FLAGS, flags: undefined, quotaLimited: ['feature_flags'] }, 'quota_limited'],
  ])('keeps known flags, notifies listeners and sets $feature_flag_error after %s', async (_, status, body, error) => {
    listenToConsole('error')
    const { analytics, setApiResponse, sent, settle } = await withFlags([flag('a', true)])
    const received: unknown[] = []
    analytics.onFeatureFlags((flags, variants, context) => received.push([flags, variants, context]))
    setApiResponse(status, body)
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(received).toEqual([
      [['a'], { a: true }, undefined],
      [['a'], { a: true }, { errorsLoading: true }],
    ])
    analytics.getFeatureFlag('a')
    await settle()
    expect(called(sent)).toMatchObject([{ $feature_flag: 'a', $feature_flag_error: error }])
  })

  test('times out after feature_flag_request_timeout_ms', async () => {
    const { analytics, settle } = startAnalytics({ feature_flag_request_timeout_ms: 500 })
    const received: unknown[] = []
    analytics.onFeatureFlags((_, __, context) => received.push(context))
    globalThis.fetch = jest.fn(
      (_, init) =>
        new Promise((_resolve, reject) => init!.signal!.addEventListener('abort', () => reject(new Error('aborted')))),
    ) as unknown as typeof fetch
    await settle(490)
    expect(received).toEqual([])
    await settle(20)
    expect(received).toEqual([{ errorsLoading: true }])
  })

  test('keeps the value of a flag that could not be evaluated and updates the others', async () => {
    const { analytics, setApiResponse, settle } = await withFlags([flag('a', 'old'), flag('b', true)])
    setApiResponse(200, {
      ...flagsResponse({ ...flag('a', false), failed: true }, flag('b', 'new')),
      errorsWhileComputingFlags: true,
    })
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'old', b: 'new' })
  })

  test('removes a flag that is missing from the response', async () => {
    const { analytics, setApiResponse, settle } = await withFlags([flag('a', true), flag('b', true)])
    setApiResponse(200, flagsResponse(flag('b', true)))
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlags()).toEqual(['b'])
  })

  test('pauses requests after three without a response until the network is back', async () => {
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics()
    setApiResponse(0)
    for (let i = 0; i < 6; i++) {
      analytics.reloadFeatureFlags()
      await settle(100)
    }
    expect(apiRequests).toHaveLength(3)
    setApiResponse(200, flagsResponse(flag('a', true)))
    window.dispatchEvent(new Event('online'))
    await settle(100)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })
})

describe('onFeatureFlags', () => {
  test('calls listeners immediately with known flags and on changes until they are removed, even if another one throws', async () => {
    listenToConsole('error')
    const { analytics, settle } = await withFlags([flag('a', true), flag('b', false)])
    const received: unknown[] = []
    analytics.onFeatureFlags(() => {
      throw new Error('no')
    })
    const stop = analytics.onFeatureFlags((flags, variants) => received.push([flags, variants]))
    expect(received).toEqual([[['a'], { a: true, b: false }]])
    analytics.reloadFeatureFlags()
    await settle(100)
    stop()
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(received).toHaveLength(2)
  })
})

describe('$feature_flag_called', () => {
  test('is captured once for each value of a flag with all its details', async () => {
    const { analytics, sent, settle } = await withFlags([flag('a', 'x', '{"p":1}')])
    analytics.getFeatureFlag('a')
    analytics.isFeatureEnabled('a')
    analytics.getFeatureFlag('none')
    analytics.getFeatureFlag('b', { send_event: false })
    await settle()
    expect(called(sent)).toMatchObject([
      {
        $feature_flag: 'a',
        $feature_flag_response: 'x',
        $feature_flag_payload: '{"p":1}',
        $feature_flag_request_id: 'r-1',
        $feature_flag_evaluated_at: 1795255200000,
        $feature_flag_bootstrapped_response: null,
        $feature_flag_bootstrapped_payload: null,
        $used_bootstrap_value: false,
        $feature_flag_has_experiment: false,
        $feature_flag_version: 3,
        $feature_flag_id: 7,
        $feature_flag_reason: 'Matched condition 1',
      },
      { $feature_flag: 'none', $feature_flag_error: 'flag_missing' },
    ])
    expect(called(sent)[0]).not.toHaveProperty('$feature_flag_error')
    expect(called(sent)[1]).not.toHaveProperty('$feature_flag_response')
  })

  test('is not repeated on the next page and is captured again for another identity', async () => {
    const first = await withFlags([flag('a', true)])
    first.analytics.getFeatureFlag('a')
    await first.settle()
    await first.analytics.shutdown()
    const { analytics, sent, settle } = await withFlags([flag('a', true)])
    analytics.getFeatureFlag('a')
    await settle()
    expect(called(sent)).toHaveLength(0)
    analytics.identify('ada')
    await settle()
    analytics.getFeatureFlag('a')
    await settle()
    expect(called(sent)).toHaveLength(1)
  })

  test('is captured once per session with advanced_feature_flags_dedup_per_session, also for another person', async () => {
    const { analytics, sent, settle } = await withFlags([flag('a', true)], {
      advanced_feature_flags_dedup_per_session: true,
    })
    analytics.getFeatureFlag('a')
    analytics.getFeatureFlag('a')
    await settle(40 * 60 * 1000)
    analytics.capture('x')
    analytics.getFeatureFlag('a')
    analytics.getFeatureFlag('a')
    await settle()
    expect(called(sent)).toHaveLength(2)
  })

  test('is captured again after its event was dropped', async () => {
    let lets = false
    const { analytics, sent, settle } = await withFlags([flag('a', true)], {
      before_send: (event) => (lets ? event : null),
    })
    analytics.getFeatureFlag('a')
    lets = true
    analytics.getFeatureFlag('a')
    await settle()
    expect(called(sent)).toHaveLength(1)
  })

  test('does not recurse when before_send reads flags', async () => {
    const { analytics, sent, settle } = await withFlags([flag('a', true)], {
      before_send: (event) => {
        analytics.getFeatureFlag('a')
        return event
      },
    })
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event }) => event).sort()).toEqual(['$feature_flag_called', 'x'])
  })
})

describe('bootstrap', () => {
  const bootstrap = { featureFlags: { a: 'x', off: false }, featureFlagPayloads: { a: '{"p":1}' } }

  test('provides flags immediately, including false ones, and does not store them', async () => {
    const { analytics, sent, setApiResponse, settle } = startAnalytics({ bootstrap })
    setApiResponse(0)
    const received: unknown[] = []
    analytics.onFeatureFlags((flags) => received.push(flags))
    expect([
      analytics.getFeatureFlag('a'),
      analytics.getFeatureFlag('off'),
      analytics.getFeatureFlagPayload('a'),
      received,
    ]).toEqual(['x', false, { p: 1 }, [['a']]])
    await settle()
    expect(called(sent)[0]).toMatchObject({
      $used_bootstrap_value: true,
      $feature_flag_bootstrapped_response: 'x',
      $feature_flag_bootstrapped_payload: '{"p":1}',
    })
    await analytics.shutdown()
    expect(startAnalytics().analytics.getFeatureFlag('a')).toBeUndefined()
  })

  test('replaces bootstrapped flags with the response of the service', async () => {
    const { analytics } = await withFlags([flag('a', 'y')], { bootstrap })
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'y' })
  })

  test('is applied again by reset with a bootstrap', () => {
    const { analytics } = startAnalytics({ bootstrap })
    analytics.reset({ resetDeviceID: true, bootstrap: { distinctID: 'next', featureFlags: { b: true } } })
    expect([analytics.get_distinct_id(), analytics.getFeatureFlag('a'), analytics.getFeatureFlag('b')]).toEqual([
      'next',
      undefined,
      true,
    ])
    analytics.reset()
    expect(analytics.getFeatureFlag('b')).toBeUndefined()
  })
})

describe('local flag overrides', () => {
  test('take precedence over the service, survive a reload and leave no trace when removed', async () => {
    const first = await withFlags([flag('a', true, '1')])
    first.analytics.featureFlags.overrideFeatureFlags({ flags: { a: 'mine', b: true }, payloads: { a: { p: 2 } } })
    expect(first.analytics.getFeatureFlag('a')).toBe('mine')
    expect(first.analytics.getFeatureFlagPayload('a')).toEqual({ p: 2 })
    await first.settle()
    expect(called(first.sent)[0]).toMatchObject({
      $feature_flag_original_response: true,
      $feature_flag_original_payload: '1',
    })
    await first.analytics.shutdown()

    const { analytics, setApiResponse, settle } = await withFlags([flag('a', true)])
    setApiResponse(200, { ...flagsResponse(flag('c', true)), errorsWhileComputingFlags: true })
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'mine', b: true, c: true })
    expect(analytics.capture('e')!.properties).toMatchObject({ $override_feature_flags: { a: 'mine', b: true } })
    analytics.featureFlags.overrideFeatureFlags(false)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: true, c: true })
  })

  test.each([
    ['a list of flags', ['b'], { a: true, b: true }],
    ['an object of values', { a: false }, { a: false }],
    ['flags: false, which removes the overrides', { flags: false as const }, { a: true }],
  ])('accept %s', async (_, overrides, expected) => {
    const { analytics } = await withFlags([flag('a', true)])
    analytics.featureFlags.overrideFeatureFlags(overrides)
    expect(analytics.featureFlags.getFlagVariants()).toEqual(expected)
  })

  test('updateFlags replaces or merges flags and calls listeners', async () => {
    const { analytics } = await withFlags([flag('a', true)])
    const received: unknown[] = []
    analytics.onFeatureFlags((flags) => received.push(flags))
    analytics.updateFlags({ b: true }, { b: { p: 1 } }, { merge: true })
    analytics.updateFlags({ c: 'x' })
    expect(received).toEqual([['a'], ['a', 'b'], ['c']])
  })
})

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
    globalThis.CompressionStream = class {} as unknown as typeof CompressionStream
    globalThis.Response = class {
      constructor() {
        compress()
        throw new Error('asked')
      }
    } as unknown as typeof Response
    const { analytics, setApiResponse, settle } = startAnalytics(options)
    setApiResponse(200, { ...NO_FLAGS, supportedCompression })
    await settle(100)
    compress.mockClear()
    // Smaller bodies are not worth compressing.
    analytics.capture('x', { filler: 'x'.repeat(1500) })
    await settle()
    expect(compress.mock.calls.length > 0).toBe(expected)
    delete (globalThis as { CompressionStream?: unknown }).CompressionStream
    delete (globalThis as { Response?: unknown }).Response
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

test('getRemoteConfigPayload passes the latest payload from the service', async () => {
  const { analytics, setApiResponse, settle } = await withFlags([flag('a', true, '1')])
  const received: unknown[] = []
  setApiResponse(200, flagsResponse(flag('a', true, '{"new":1}')))
  analytics.featureFlags.getRemoteConfigPayload('a', (payload) => received.push(payload))
  expect(received).toEqual([])
  await settle(100)
  expect(received).toEqual([{ new: 1 }])
})

test('hasLoadedFlags and flagsEndpointWasHit become true once flags are loaded, and ensureFlagsLoaded requests them until then', async () => {
  const { analytics, apiRequests, setApiResponse, settle } = startAnalytics()
  setApiResponse(200, flagsResponse(flag('a', true)))
  const known = () => [analytics.featureFlags.hasLoadedFlags, analytics.flagsEndpointWasHit]
  expect(known()).toEqual([false, false])
  await settle(100)
  expect(known()).toEqual([true, true])
  analytics.featureFlags.ensureFlagsLoaded()
  await settle(100)
  expect(apiRequests).toHaveLength(1)
})

test('setAnonymousDistinctId sends the id with the next flags request', async () => {
  const { analytics, apiRequests, settle } = startAnalytics()
  analytics.featureFlags.setAnonymousDistinctId('before')
  await settle(100)
  expect(apiRequests[0]!.body).toMatchObject({ $anon_distinct_id: 'before' })
})

test.each([
  ['loaded', 200, {}],
  ['error', 0, {}],
  ['skipped', 200, { advanced_disable_flags: true }],
] as const)('reloadFeatureFlagsAsync resolves with status %s', async (status, httpStatus, options) => {
  const { analytics, setApiResponse, settle } = startAnalytics(options)
  setApiResponse(httpStatus, flagsResponse(flag('a', true)))
  const listener = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(listener)
  await settle(100)
  expect(listener).toHaveBeenCalledWith({ status })
  expect(analytics.decideEndpointWasHit).toBe(status !== 'skipped')
})

test('flags are requested again for the new visitor when another tab changes the visitor during a request', async () => {
  const { analytics, apiRequests, setApiResponse, settle } = startAnalytics({ persistence: 'localStorage' })
  const listener = jest.fn()
  analytics.onFeatureFlags(listener)
  setApiResponse(200, flagsResponse(flag('checkout', 'short')))
  const originalFetch = globalThis.fetch
  globalThis.fetch = async (...request: Parameters<typeof fetch>) => {
    globalThis.fetch = originalFetch
    // A slow response: this tab stored its visitor long before.
    await new Promise((done) => setTimeout(done, 2000))
    localStorage.setItem('ph_token_posthog', '{"distinct_id":"of the other tab"}')
    window.dispatchEvent(new StorageEvent('storage', { key: 'ph_token_posthog', storageArea: localStorage }))
    return originalFetch(...request)
  }
  await settle()
  expect(analytics.get_distinct_id()).toBe('of the other tab')
  expect(apiRequests.map(({ body }) => body!.distinct_id)).toEqual([expect.any(String), 'of the other tab'])
  expect(listener).toHaveBeenCalledTimes(1)
  expect(analytics.getFeatureFlag('checkout')).toBe('short')
})
