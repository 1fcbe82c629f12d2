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
const answerWith = (...flags: FlagDetails[]) => ({
  ...NO_FLAGS,
  flags: Object.fromEntries(flags.map((each) => [each.key, each])),
  requestId: 'r-1',
  evaluatedAt: 1795255200000,
})

/** A client whose service has these flags, after they have arrived. */
const withFlags = async (flags: FlagDetails[], options: Options = {}) => {
  const started = startAnalytics(options)
  started.say(200, answerWith(...flags))
  await started.settle(100)
  return started
}
const called = (sent: { event: string; properties: Record<string, unknown> }[]) =>
  sent.filter(({ event }) => event === '$feature_flag_called').map(({ properties }) => properties)

describe('the request', () => {
  test('is one at load, after init, and asks with everything that flags are decided on', async () => {
    const { analytics, asked, settle } = startAnalytics({ evaluation_contexts: ['web', ' '] })
    analytics.group('company', 'acme', { plan: 'pro' })
    analytics.identify('ada', { age: 36 })
    await settle(100)
    expect(asked).toHaveLength(1)
    expect(asked[0]!.url).toBe('https://events.example.com/flags/?v=2&config=true')
    expect(asked[0]!.body).toMatchObject({
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
    expect(asked[0]!.body).not.toHaveProperty('disable_flags')
  })

  test('the older name of evaluation_contexts is understood, and names that are not text are left out', async () => {
    const { asked, settle } = startAnalytics({ evaluation_environments: ['app', 5] } as unknown as Options)
    await settle(100)
    expect(asked[0]!.body).toMatchObject({ evaluation_contexts: ['app'] })
  })

  test('the id before identify goes along until a request has succeeded', async () => {
    const { analytics, asked, say, settle } = startAnalytics()
    await settle(100)
    const anonymous = analytics.get_distinct_id()
    say(503)
    analytics.identify('ada')
    await settle(100)
    say(200, NO_FLAGS)
    analytics.reloadFeatureFlags()
    await settle(100)
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(asked.map(({ body }) => body!.$anon_distinct_id)).toEqual([undefined, anonymous, anonymous, undefined])
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
  ])('%s changes where it goes', async (_, options, url) => {
    const { asked, settle } = startAnalytics(options)
    await settle(100)
    expect(asked[0]!.url).toBe(url)
  })

  test.each(['advanced_disable_flags', 'advanced_disable_decide'])('%s: none at all', async (name) => {
    const { analytics, asked, settle } = startAnalytics({ [name]: true })
    analytics.reloadFeatureFlags()
    await settle(700_000)
    expect(asked).toEqual([])
  })

  test('advanced_disable_feature_flags asks for the configuration only', async () => {
    const { analytics, asked, say, settle } = startAnalytics({ advanced_disable_feature_flags: true })
    say(200, answerWith(flag('a', true)))
    await settle(100)
    expect(asked[0]!.body).toHaveProperty('disable_flags', true)
    expect(analytics.getFeatureFlag('a')).toBeUndefined()
  })

  test('advanced_disable_feature_flags_on_first_load asks for flags only after something changed', async () => {
    const { analytics, asked, settle } = startAnalytics({ advanced_disable_feature_flags_on_first_load: true })
    await settle(100)
    analytics.identify('ada')
    await settle(100)
    expect(asked.map(({ body }) => body!.disable_flags)).toEqual([true, undefined])
  })

  test('comes again every remote_config_refresh_interval_ms, not while the page is hidden, and never for 0', async () => {
    const { analytics, asked, settle } = startAnalytics({ remote_config_refresh_interval_ms: 10_000 })
    await settle(35_000)
    expect(asked).toHaveLength(4)
    const visible = jest.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    await settle(20_000)
    expect(asked).toHaveLength(4)
    visible.mockRestore()
    analytics.set_config({ remote_config_refresh_interval_ms: 0 })
    await settle(1_000_000)
    expect(asked).toHaveLength(4)
  })

  test('by default every five minutes', async () => {
    const { asked, settle } = startAnalytics()
    await settle(299_000)
    expect(asked).toHaveLength(1)
    await settle(2_000)
    expect(asked).toHaveLength(2)
  })

  test('properties that are no news ask for nothing', async () => {
    const { analytics, asked, settle } = startAnalytics()
    analytics.setPersonProperties({ plan: 'pro' })
    await settle(100)
    analytics.capture('x', {}, { $set: { plan: 'pro' } })
    analytics.setPersonPropertiesForFlags({ plan: 'pro' })
    await settle(100)
    expect(asked).toHaveLength(1)
    analytics.capture('x', {}, { $set: { plan: 'free' } })
    await settle(100)
    expect(asked[1]!.body).toMatchObject({ person_properties: { plan: 'free' } })
  })

  test('properties for flags: with and without asking, and forgotten', async () => {
    const { analytics, asked, settle } = startAnalytics()
    await settle(100)
    analytics.setPersonPropertiesForFlags({ a: 1 }, false)
    analytics.setGroupPropertiesForFlags({ company: { b: 2 } }, false)
    await settle(100)
    expect(asked).toHaveLength(1)
    analytics.setPersonPropertiesForFlags({ $set: { c: 3 }, $set_once: { a: 9, d: 4 } })
    analytics.setGroupPropertiesForFlags({ company: { e: 5 } })
    await settle(100)
    expect(asked[1]!.body).toMatchObject({
      person_properties: { a: 1, c: 3, d: 4 },
      group_properties: { company: { b: 2, e: 5 } },
    })
    analytics.resetGroupPropertiesForFlags('company')
    analytics.resetPersonPropertiesForFlags()
    await settle(100)
    expect(asked[2]!.body).toMatchObject({ group_properties: { company: {} } })
    expect(asked[2]!.body!.person_properties).not.toHaveProperty('a')
    analytics.unsetPersonProperties('x')
    analytics.resetGroupPropertiesForFlags()
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(asked[3]!.body).not.toHaveProperty('group_properties')
  })

  test('says when it is about to be made', async () => {
    const { analytics, settle } = startAnalytics()
    const heard: unknown[] = []
    analytics.on('featureFlagsReloading', (value) => heard.push(value))
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(heard).toEqual([true])
  })

  test('a group with another key forgets what was known of the one before', async () => {
    const { analytics, asked, settle } = startAnalytics()
    analytics.group('company', 'acme', { plan: 'pro' })
    await settle(100)
    analytics.group('company', 'other')
    await settle(100)
    expect(asked[1]!.body).toMatchObject({ groups: { company: 'other' }, group_properties: { company: {} } })
    analytics.resetGroups()
    await settle(100)
    expect(asked[2]!.body).toMatchObject({ groups: {} })
  })

  test('setReloadingPaused holds requests back', async () => {
    const { analytics, asked, settle } = startAnalytics()
    await settle(100)
    analytics.featureFlags.setReloadingPaused(true)
    analytics.reloadFeatureFlags()
    await settle(100)
    analytics.featureFlags.setReloadingPaused(false)
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(asked).toHaveLength(2)
  })
})

describe('an answer about somebody else', () => {
  test('is not applied: identify while a request is under way', async () => {
    const { analytics, settle } = startAnalytics()
    const heard: unknown[] = []
    analytics.onFeatureFlags((flags) => heard.push(flags))
    const answers: ((body: unknown) => void)[] = []
    globalThis.fetch = jest.fn(
      () =>
        new Promise((resolve) =>
          answers.push((body) =>
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
    const [first] = answers
    first!(answerWith(flag('of-anonymous', true)))
    await settle(10)
    expect(analytics.getFeatureFlag('of-anonymous')).toBeUndefined()
    answers.forEach((answer) => answer(answerWith(flag('of-ada', true))))
    await settle(10)
    expect(analytics.getFeatureFlag('of-ada')).toBe(true)
    expect(heard).toEqual([['of-ada']])
  })
})

describe('reading', () => {
  test('values, variants and payloads', async () => {
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
  ])('an older answer with %s', async (_, body, expected) => {
    const started = startAnalytics()
    started.say(200, { ...NO_FLAGS, flags: undefined, ...body })
    await started.settle(100)
    expect(started.analytics.featureFlags.getFlagVariants()).toEqual(expected)
  })

  test('returns no flags before the first response, and stored flags at once on the next page', async () => {
    const first = startAnalytics()
    expect([first.analytics.getFeatureFlag('a'), first.analytics.isFeatureEnabled('a')]).toEqual([undefined, undefined])
    first.say(200, answerWith(flag('a', 'x')))
    await first.settle()
    expect(called(first.sent)).toEqual([])
    await first.analytics.shutdown()
    const second = startAnalytics()
    second.say(0)
    expect(second.analytics.getFeatureFlag('a')).toBe('x')
    expect(second.analytics.getFeatureFlag('a', { fresh: true })).toBeUndefined()
  })

  test('every event carries the flags', async () => {
    const { analytics } = await withFlags([flag('a', 'x'), flag('b', false)])
    expect(analytics.capture('e')!.properties).toMatchObject({
      $active_feature_flags: ['a'],
      '$feature/a': 'x',
      '$feature/b': false,
      $feature_flag_request_id: 'r-1',
    })
  })

  test('feature_flag_cache_ttl_ms: an old value counts as unknown, is not attached, and is asked for once', async () => {
    const { analytics, asked, say, settle } = await withFlags([flag('a', true)], {
      feature_flag_cache_ttl_ms: 60_000,
      remote_config_refresh_interval_ms: 0,
    })
    await settle(59_000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
    await settle(2_000)
    say(0)
    expect([
      analytics.getFeatureFlag('a'),
      analytics.isFeatureEnabled('a'),
      analytics.getFeatureFlagPayload('a'),
    ]).toEqual([undefined, undefined, undefined])
    expect(analytics.capture('e')!.properties).not.toHaveProperty('$feature/a')
    await settle(1000)
    expect(asked).toHaveLength(2)
    say(200, answerWith(flag('a', true)))
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })

  test('feature_flag_cache_ttl_ms of 0: values never expire', async () => {
    const { analytics, settle } = await withFlags([flag('a', true)], { remote_config_refresh_interval_ms: 0 })
    await settle(400 * 24 * 3600 * 1000)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })
})

describe('when asking fails', () => {
  test.each([
    ['no answer', 0, {}, 'connection_error'],
    ['an error', 500, {}, 'api_error_500'],
    ['quota', 200, { ...NO_FLAGS, flags: undefined, quotaLimited: ['feature_flags'] }, 'quota_limited'],
  ])(
    '%s: what was known stays, listeners hear of it, and the next event about a flag says why',
    async (_, status, body, error) => {
      listenToConsole('error')
      const { analytics, say, sent, settle } = await withFlags([flag('a', true)])
      const heard: unknown[] = []
      analytics.onFeatureFlags((flags, variants, context) => heard.push([flags, variants, context]))
      say(status, body)
      analytics.reloadFeatureFlags()
      await settle(100)
      expect(heard).toEqual([
        [['a'], { a: true }, undefined],
        [['a'], { a: true }, { errorsLoading: true }],
      ])
      analytics.getFeatureFlag('a')
      await settle()
      expect(called(sent)).toMatchObject([{ $feature_flag: 'a', $feature_flag_error: error }])
    },
  )

  test('feature_flag_request_timeout_ms ends the wait', async () => {
    const { analytics, settle } = startAnalytics({ feature_flag_request_timeout_ms: 500 })
    const heard: unknown[] = []
    analytics.onFeatureFlags((_, __, context) => heard.push(context))
    globalThis.fetch = jest.fn(
      (_, init) =>
        new Promise((_resolve, reject) => init!.signal!.addEventListener('abort', () => reject(new Error('aborted')))),
    ) as unknown as typeof fetch
    await settle(490)
    expect(heard).toEqual([])
    await settle(20)
    expect(heard).toEqual([{ errorsLoading: true }])
  })

  test('a flag that could not be evaluated keeps its value, the others get theirs', async () => {
    const { analytics, say, settle } = await withFlags([flag('a', 'old'), flag('b', true)])
    say(200, {
      ...answerWith({ ...flag('a', false), failed: true }, flag('b', 'new')),
      errorsWhileComputingFlags: true,
    })
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'old', b: 'new' })
  })

  test('a flag that is gone is gone', async () => {
    const { analytics, say, settle } = await withFlags([flag('a', true), flag('b', true)])
    say(200, answerWith(flag('b', true)))
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlags()).toEqual(['b'])
  })

  test('three times without any answer: no more before the network is back', async () => {
    const { analytics, asked, say, settle } = startAnalytics()
    say(0)
    for (let i = 0; i < 6; i++) {
      analytics.reloadFeatureFlags()
      await settle(100)
    }
    expect(asked).toHaveLength(3)
    say(200, answerWith(flag('a', true)))
    window.dispatchEvent(new Event('online'))
    await settle(100)
    expect(analytics.getFeatureFlag('a')).toBe(true)
  })
})

describe('onFeatureFlags', () => {
  test('calls listeners at once with known flags and on changes until they are removed, also if another one throws', async () => {
    listenToConsole('error')
    const { analytics, settle } = await withFlags([flag('a', true), flag('b', false)])
    const heard: unknown[] = []
    analytics.onFeatureFlags(() => {
      throw new Error('no')
    })
    const stop = analytics.onFeatureFlags((flags, variants) => heard.push([flags, variants]))
    expect(heard).toEqual([[['a'], { a: true, b: false }]])
    analytics.reloadFeatureFlags()
    await settle(100)
    stop()
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(heard).toHaveLength(2)
  })
})

describe('$feature_flag_called', () => {
  test('once for each value of a flag, with all that is known of it', async () => {
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

  test('is remembered by the next page, and reported again for another identity', async () => {
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

  test('advanced_feature_flags_dedup_per_session reports each flag once per session, also for another person', async () => {
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

  test('is reported again after its event was dropped', async () => {
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

  test('a before_send that looks at flags goes round in no circle', async () => {
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

  test('flags are there from the first moment, false ones too, and are not stored', async () => {
    const { analytics, sent, say, settle } = startAnalytics({ bootstrap })
    say(0)
    const heard: unknown[] = []
    analytics.onFeatureFlags((flags) => heard.push(flags))
    expect([
      analytics.getFeatureFlag('a'),
      analytics.getFeatureFlag('off'),
      analytics.getFeatureFlagPayload('a'),
      heard,
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

  test('the network answer takes over', async () => {
    const { analytics } = await withFlags([flag('a', 'y')], { bootstrap })
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'y' })
  })

  test('reset with a bootstrap begins with its id and its flags', () => {
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

describe('values of your own', () => {
  test('overrides stand above the service, survive the page, and leave no trace when they end', async () => {
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

    const { analytics, say, settle } = await withFlags([flag('a', true)])
    say(200, { ...answerWith(flag('c', true)), errorsWhileComputingFlags: true })
    analytics.reloadFeatureFlags()
    await settle(100)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: 'mine', b: true, c: true })
    expect(analytics.capture('e')!.properties).toMatchObject({ $override_feature_flags: { a: 'mine', b: true } })
    analytics.featureFlags.overrideFeatureFlags(false)
    expect(analytics.featureFlags.getFlagVariants()).toEqual({ a: true, c: true })
  })

  test.each([
    ['a list', ['b'], { a: true, b: true }],
    ['an object', { a: false }, { a: false }],
    ['flags alone ended', { flags: false as const }, { a: true }],
  ])('%s', async (_, given, expected) => {
    const { analytics } = await withFlags([flag('a', true)])
    analytics.featureFlags.overrideFeatureFlags(given)
    expect(analytics.featureFlags.getFlagVariants()).toEqual(expected)
  })

  test('updateFlags replaces or merges, and tells', async () => {
    const { analytics } = await withFlags([flag('a', true)])
    const heard: unknown[] = []
    analytics.onFeatureFlags((flags) => heard.push(flags))
    analytics.updateFlags({ b: true }, { b: { p: 1 } }, { merge: true })
    analytics.updateFlags({ c: 'x' })
    expect(heard).toEqual([['a'], ['a', 'b'], ['c']])
  })
})

describe('what the service has turned on', () => {
  const CLICK = { autocapture: true, rageclick: false }
  const click = () => {
    document.body.innerHTML = '<button>Buy</button>'
    document.querySelector('button')!.click()
  }

  test('clicks before the answer are kept, and dropped with a reason when autocapture turns out to be off', async () => {
    const { analytics, say, sent, settle } = startAnalytics(CLICK)
    say(200, { ...NO_FLAGS, autocapture_opt_out: true })
    click()
    analytics.capture('mine')
    await settle()
    click()
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['mine'])
    expect(analytics.drops()).toEqual({ turned_off_by_service: 1 })
    await analytics.shutdown()

    const next = startAnalytics(CLICK)
    next.say(0)
    click()
    await next.settle()
    expect(next.sent).toEqual([])
    next.say(200, NO_FLAGS)
    next.analytics.reloadFeatureFlags()
    await next.settle(100)
    click()
    await next.settle()
    expect(next.sent.map(({ event }) => event)).toEqual(['$autocapture'])
  })

  test('clicks are captured where the service does not say, or does not answer', async () => {
    const { say, sent, settle } = startAnalytics(CLICK)
    say(0)
    click()
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$autocapture'])
  })

  test('advanced_disable_flags: no autocapture and no compression, and everything of your own goes on', async () => {
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
    ['gzip is understood', {}, ['LZ64', 'gzip'], true],
    ['gzip is understood, by its other name', {}, ['gzip-js'], true],
    ['gzip is not understood', {}, ['LZ64'], false],
    ['disable_compression', { disable_compression: true }, ['gzip'], false],
    ['advanced_disable_flags', { advanced_disable_flags: true }, ['gzip'], false],
  ])('compression: %s', async (_, options, supportedCompression, expected) => {
    // jsdom cannot compress; this browser says that it can, and fails when it is asked to.
    const compress = jest.fn()
    globalThis.CompressionStream = class {} as unknown as typeof CompressionStream
    globalThis.Response = class {
      constructor() {
        compress()
        throw new Error('asked')
      }
    } as unknown as typeof Response
    const { analytics, say, settle } = startAnalytics(options)
    say(200, { ...NO_FLAGS, supportedCompression })
    await settle(100)
    compress.mockClear()
    // Less is not worth compressing.
    analytics.capture('x', { filler: 'x'.repeat(1500) })
    await settle()
    expect(compress.mock.calls.length > 0).toBe(expected)
    delete (globalThis as { CompressionStream?: unknown }).CompressionStream
    delete (globalThis as { Response?: unknown }).Response
  })

  test('analytics.endpoint says where events go', async () => {
    const { analytics, say, requests, settle } = startAnalytics()
    say(200, { ...NO_FLAGS, analytics: { endpoint: '/i/v0/e/' } })
    analytics.capture('x')
    await settle()
    expect(requests[0]!.url).toBe('https://events.example.com/i/v0/e/')
  })

  test('a service that tells its configuration elsewhere is asked there, once', async () => {
    const { analytics, asked, settle } = startAnalytics(CLICK)
    globalThis.fetch = jest.fn(async (url: string) => {
      asked.push({ url })
      const body = url.includes('/flags/')
        ? { flags: {} }
        : { supportedCompression: ['gzip-js'], autocapture_opt_out: true }
      return { status: 200, text: async () => JSON.stringify(body), headers: { get: () => null } }
    }) as unknown as typeof fetch
    await settle(100)
    expect(asked.map(({ url }) => url)).toEqual([
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

  test('features are fetched once, by stage', async () => {
    const { analytics, asked, say, settle } = startAnalytics()
    await settle(100)
    say(200, { earlyAccessFeatures: [feature] })
    const heard: unknown[] = []
    analytics.getEarlyAccessFeatures((features) => heard.push(features), false, ['beta', 'concept'])
    await settle(100)
    analytics.getEarlyAccessFeatures((features) => heard.push(features))
    await settle(100)
    expect(heard).toEqual([[feature], [feature]])
    expect(asked.slice(1).map(({ url }) => url)).toEqual([
      'https://events.example.com/api/early_access_features/?token=token&stage=beta&stage=concept',
    ])
  })

  test('enrolling applies at once, is captured, and affects the next flags', async () => {
    const { analytics, asked, say, sent, settle } = startAnalytics()
    await settle(100)
    say(200, { earlyAccessFeatures: [feature] })
    analytics.getEarlyAccessFeatures(() => {})
    await settle(100)
    say(200, answerWith(flag('dark', true)))
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
    expect(asked.at(-1)!.body).toMatchObject({ person_properties: { '$feature_enrollment/dark': true } })
  })
})

test('getRemoteConfigPayload answers with what the service says now', async () => {
  const { analytics, say, settle } = await withFlags([flag('a', true, '1')])
  const heard: unknown[] = []
  say(200, answerWith(flag('a', true, '{"new":1}')))
  analytics.featureFlags.getRemoteConfigPayload('a', (payload) => heard.push(payload))
  expect(heard).toEqual([])
  await settle(100)
  expect(heard).toEqual([{ new: 1 }])
})

test('hasLoadedFlags and flagsEndpointWasHit become true once flags are loaded, and ensureFlagsLoaded requests them until then', async () => {
  const { analytics, asked, say, settle } = startAnalytics()
  say(200, answerWith(flag('a', true)))
  const known = () => [analytics.featureFlags.hasLoadedFlags, analytics.flagsEndpointWasHit]
  expect(known()).toEqual([false, false])
  await settle(100)
  expect(known()).toEqual([true, true])
  analytics.featureFlags.ensureFlagsLoaded()
  await settle(100)
  expect(asked).toHaveLength(1)
})

test('setAnonymousDistinctId goes along with the next request', async () => {
  const { analytics, asked, settle } = startAnalytics()
  analytics.featureFlags.setAnonymousDistinctId('before')
  await settle(100)
  expect(asked[0]!.body).toMatchObject({ $anon_distinct_id: 'before' })
})

test.each([
  ['loaded', 200, {}],
  ['error', 0, {}],
  ['skipped', 200, { advanced_disable_flags: true }],
] as const)('reloadFeatureFlagsAsync: %s', async (status, answered, options) => {
  const { analytics, say, settle } = startAnalytics(options)
  say(answered, answerWith(flag('a', true)))
  const heard = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(heard)
  await settle(100)
  expect(heard).toHaveBeenCalledWith({ status })
  expect(analytics.decideEndpointWasHit).toBe(status !== 'skipped')
})

test('another tab makes the visitor another while an answer is under way: the service is asked about who they are now', async () => {
  const { analytics, asked, say, settle } = startAnalytics({ persistence: 'localStorage' })
  const heard = jest.fn()
  analytics.onFeatureFlags(heard)
  say(200, answerWith(flag('checkout', 'short')))
  const answering = globalThis.fetch
  globalThis.fetch = async (...request: Parameters<typeof fetch>) => {
    globalThis.fetch = answering
    // A slow answer: this tab has long written who its visitor was.
    await new Promise((done) => setTimeout(done, 2000))
    localStorage.setItem('ph_token_posthog', '{"distinct_id":"of the other tab"}')
    window.dispatchEvent(new StorageEvent('storage', { key: 'ph_token_posthog', storageArea: localStorage }))
    return answering(...request)
  }
  await settle()
  expect(analytics.get_distinct_id()).toBe('of the other tab')
  expect(asked.map(({ body }) => body!.distinct_id)).toEqual([expect.any(String), 'of the other tab'])
  expect(heard).toHaveBeenCalledTimes(1)
  expect(analytics.getFeatureFlag('checkout')).toBe('short')
})
