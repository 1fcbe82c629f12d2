import { listenToConsole, NO_FLAGS, startAnalytics } from '../../support/startAnalytics'
import { called, flag, flagsResponse, withFlags } from './withFlags'

// What a site reads of flags, and `$feature_flag_called`.

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
