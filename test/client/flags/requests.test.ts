import type { Options } from '../../../src/client/publicApi'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../../support/startAnalytics'
import { called, flag, flagsResponse, withFlags } from './withFlags'

// When flags are requested, and what happens to the response.

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

  test('emits featureFlagsReloading once per reload', async () => {
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

test('setAnonymousDistinctId sends the id with the next flags request', async () => {
  const { analytics, apiRequests, settle } = startAnalytics()
  analytics.featureFlags.setAnonymousDistinctId('before')
  await settle(100)
  expect(apiRequests[0]!.body).toMatchObject({ $anon_distinct_id: 'before' })
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
