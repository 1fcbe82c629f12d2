import { act, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// The specification: the behavior of its rows about flags from "Main options", "Advanced options", "Limits" and "Events".
const { row, close } = tableOf(
  'bootstrap',
  'evaluation_contexts',
  'evaluation_environments',
  'flags_api_host',
  'xhr_headers',
  'advanced_disable_flags',
  'advanced_disable_decide',
  'advanced_disable_feature_flags',
  'advanced_disable_feature_flags_on_first_load',
  'advanced_only_evaluate_survey_feature_flags',
  'advanced_feature_flags_dedup_per_session',
  'feature_flag_request_timeout_ms',
  'feature_flag_cache_ttl_ms',
  'remote_config_refresh_interval_ms',
  'fetch_options.cache',
  'fetch_options.next_options',
  'on_request_error',
  '$feature_flag_called',
)

type Answered = Record<string, boolean | string>
const flagsOf = (values: Answered) => ({
  ...NO_FLAGS,
  flags: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      {
        key,
        enabled: value !== false,
        variant: typeof value === 'string' ? value : null,
        metadata: { id: 1, version: 1 },
      },
    ]),
  ),
})

/** A client whose flags have been loaded from the service. */
const visit = async (options: object = {}, flags: Answered = { beta: true }) => {
  const started = startAnalytics({ remote_config_refresh_interval_ms: 0, ...options })
  started.setApiResponse(200, flagsOf(flags))
  await started.settle(1000)
  const flagRequests = () => started.apiRequests.filter(({ url }) => url.includes('/flags'))
  return {
    ...started,
    flagRequests,
    /** Requests that evaluate flags, not only fetch the configuration. */
    evaluations: () => flagRequests().filter(({ body }) => body!.disable_flags !== true),
    calls: () =>
      started.sent
        .filter(({ event }) => event === '$feature_flag_called')
        .map(({ properties }) => [properties.$feature_flag, properties.$feature_flag_response]),
  }
}
/** The options of every fetch call that was not for events. */
const fetched = () =>
  (fetch as unknown as jest.Mock<unknown, [string, RequestInit & { next?: unknown }]>).mock.calls
    .filter(([url]) => url.includes('/flags'))
    .map(([, init]) => init)

describe('the /flags request', () => {
  test('is sent once after initialization for both flags and configuration', async () => {
    const { apiRequests, analytics } = await visit()
    expect(apiRequests.map(({ url }) => url)).toEqual(['https://events.example.com/flags/?v=2&config=true'])
    expect(apiRequests[0]!.body).toMatchObject({ token: 'token', distinct_id: analytics.get_distinct_id() })
  })

  test('is not sent before init', () => {
    startAnalytics({}, 'token', () => expect(fetched()).toEqual([]))
  })
})

row('bootstrap', () => {
  test('provides featureFlags before the first request', () => {
    const { analytics } = startAnalytics({ bootstrap: { featureFlags: { on: true, off: false, variant: 'b' } } })
    expect([
      analytics.getFeatureFlag('on'),
      analytics.getFeatureFlag('off'),
      analytics.getFeatureFlag('variant'),
    ]).toEqual([true, false, 'b'])
    expect([
      analytics.isFeatureEnabled('on'),
      analytics.isFeatureEnabled('off'),
      analytics.isFeatureEnabled('variant'),
    ]).toEqual([true, false, true])
  })
  test('calls onFeatureFlags listeners immediately', () => {
    const listener = jest.fn()
    startAnalytics({ bootstrap: { featureFlags: { on: true } } }).analytics.onFeatureFlags(listener)
    expect(listener.mock.calls[0]!.slice(0, 2)).toEqual([['on'], { on: true }])
  })
  test('is replaced by the response of the service', async () => {
    const { analytics } = await visit({ bootstrap: { featureFlags: { beta: 'old', gone: true } } }, { beta: 'new' })
    expect([analytics.getFeatureFlag('beta'), analytics.getFeatureFlag('gone')]).toEqual(['new', undefined])
  })
})

row('evaluation_contexts', () => {
  test('are sent with the request', async () =>
    expect((await visit({ evaluation_contexts: ['web', 'docs'] })).apiRequests[0]!.body!.evaluation_contexts).toEqual([
      'web',
      'docs',
    ]))
  test.each([[undefined], [[]]])('%j: sends no contexts', async (evaluation_contexts) =>
    expect((await visit({ evaluation_contexts })).apiRequests[0]!.body).not.toHaveProperty('evaluation_contexts'),
  )
  test('are sent with the next request after set_config', async () => {
    const { analytics, flagRequests, settle } = await visit({ evaluation_contexts: ['web'] })
    analytics.set_config({ evaluation_contexts: ['docs'] })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(flagRequests().at(-1)!.body!.evaluation_contexts).toEqual(['docs'])
  })
})

row('evaluation_environments', () => {
  test('are sent as evaluation_contexts', async () =>
    expect((await visit({ evaluation_environments: ['web'] })).apiRequests[0]!.body!.evaluation_contexts).toEqual([
      'web',
    ]))
})

row('flags_api_host', () => {
  test.each(['https://flags.example', 'https://flags.example/', 'https://flags.example/proxy'])(
    '%s: receives all flag requests and no events',
    async (flags_api_host) => {
      const { analytics, apiRequests, requests, settle } = await visit({ flags_api_host })
      analytics.reloadFeatureFlags()
      analytics.capture('x')
      await settle()
      const host = flags_api_host.replace(/\/$/, '')
      expect(apiRequests.filter(({ url }) => url.includes('/flags/')).map(({ url }) => url)).toEqual([
        `${host}/flags/?v=2&config=true`,
        `${host}/flags/?v=2&config=true`,
      ])
      expect(requests[0]!.url).toMatch(/^https:\/\/events\.example\.com\//)
    },
  )
  test('uses api_host when null', async () =>
    expect((await visit({ flags_api_host: null })).apiRequests[0]!.url).toMatch(
      /^https:\/\/events\.example\.com\/flags\//,
    ))
  test('can be changed by set_config', async () => {
    const { analytics, apiRequests, settle } = await visit()
    analytics.set_config({ flags_api_host: 'https://flags.example' })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(apiRequests.at(-1)!.url).toMatch(/^https:\/\/flags\.example\/flags\//)
  })
})

row('xhr_headers', () => {
  test('are sent with flag requests', async () => {
    await visit({ xhr_headers: { 'X-Team': 'web' } })
    expect(fetched()[0]!.headers).toMatchObject({ 'X-Team': 'web' })
  })
})

const DISABLING = [['advanced_disable_flags'], ['advanced_disable_decide']] as const
for (const [name] of DISABLING) {
  row(name, () => {
    test('sends no requests for flags or configuration when true', async () => {
      listenToConsole('warn')
      const { analytics, apiRequests, settle } = await visit({ [name]: true, remote_config_refresh_interval_ms: 1000 })
      analytics.reloadFeatureFlags()
      analytics.identify('u1', { a: 1 })
      analytics.group('company', 'acme')
      analytics.setPersonPropertiesForFlags({ a: 2 })
      analytics.reset()
      await settle(600_000)
      expect(apiRequests).toEqual([])
    })

    test('disables flags and autocapture when true, even if both are enabled', async () => {
      listenToConsole('warn')
      show('<button id="b">b</button>')
      const { analytics, sent, settle } = await visit({ [name]: true, autocapture: true })
      act('#b')
      await settle()
      expect(analytics.getFeatureFlag('beta')).toBeUndefined()
      expect(sent).toEqual([])
    })

    test('does not affect custom events, $identify, $set, $set_once and pageviews when true', async () => {
      const { analytics, sent, settle } = await visit({ [name]: true, capture_pageview: true })
      analytics.capture('mine')
      analytics.identify('u1', { plan: 'gold' }, { first: 1 })
      analytics.setPersonProperties({ age: 36 }, { born: 1815 })
      await settle()
      expect(namesOf(sent).sort()).toEqual(['$identify', '$pageview', '$set', 'mine'])
      expect(sent.find(({ event }) => event === '$identify')).toMatchObject({
        $set: { plan: 'gold' },
        $set_once: { first: 1 },
      })
    })

    test('sends the request when false', async () =>
      expect((await visit({ [name]: false })).flagRequests()).toHaveLength(1))

    test('stops and resumes requests when changed by set_config', async () => {
      const { analytics, flagRequests, settle } = await visit()
      analytics.set_config({ [name]: true })
      analytics.reloadFeatureFlags()
      await settle(1000)
      expect(flagRequests()).toHaveLength(1)
      analytics.set_config({ [name]: false })
      analytics.reloadFeatureFlags()
      await settle(1000)
      expect(flagRequests()).toHaveLength(2)
    })

    test('stops and resumes autocapture when changed by set_config', async () => {
      show('<button id="b">b</button>')
      const { analytics, sent, settle } = await visit({ autocapture: true })
      analytics.set_config({ [name]: true })
      act('#b')
      await settle()
      expect(sent).toEqual([])
      analytics.set_config({ [name]: false })
      act('#b')
      await settle()
      expect(namesOf(sent)).toEqual(['$autocapture'])
    })
  })
}

row('advanced_disable_feature_flags', () => {
  test('requests /flags without feature flags when true', async () => {
    const { analytics, flagRequests, evaluations, settle } = await visit({ advanced_disable_feature_flags: true })
    expect(flagRequests()).toHaveLength(1)
    analytics.reloadFeatureFlags()
    analytics.identify('u1')
    await settle(1000)
    expect(evaluations()).toEqual([])
  })
  test('ignores flags in the response when true', async () =>
    expect((await visit({ advanced_disable_feature_flags: true })).analytics.getFeatureFlag('beta')).toBeUndefined())
  test('applies remote configuration that turns features off when true', async () => {
    show('<button id="b">b</button>')
    const { sent, setApiResponse, settle } = startAnalytics({ advanced_disable_feature_flags: true, autocapture: true })
    setApiResponse(200, { ...NO_FLAGS, autocapture_opt_out: true })
    await settle(1000)
    act('#b')
    await settle()
    expect(sent).toEqual([])
  })
  test('evaluates flags when false', async () =>
    expect((await visit({ advanced_disable_feature_flags: false })).analytics.getFeatureFlag('beta')).toBe(true))
  test('can be changed by set_config', async () => {
    const { analytics, evaluations, settle } = await visit({ advanced_disable_feature_flags: true })
    analytics.set_config({ advanced_disable_feature_flags: false })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(evaluations()).toHaveLength(1)
    expect(analytics.getFeatureFlag('beta')).toBe(true)
  })
})

row('advanced_disable_feature_flags_on_first_load', () => {
  test('loads no flags at page load when true', async () => {
    const { analytics, evaluations } = await visit({ advanced_disable_feature_flags_on_first_load: true })
    expect(evaluations()).toEqual([])
    expect(analytics.getFeatureFlag('beta')).toBeUndefined()
  })
  test.each([
    ['the identity changes', (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.identify('u1')],
    [
      'person properties change',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.setPersonProperties({ plan: 'gold' }),
    ],
    [
      'person properties for flags change',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) =>
        analytics.setPersonPropertiesForFlags({ plan: 'gold' }),
    ],
    [
      'the group changes',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.group('company', 'acme'),
    ],
    [
      'a reload is requested',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.reloadFeatureFlags(),
    ],
  ])('loads flags when true and %s', async (_, change) => {
    const { analytics, evaluations, settle } = await visit({ advanced_disable_feature_flags_on_first_load: true })
    change(analytics)
    await settle(1000)
    expect(evaluations()).toHaveLength(1)
    expect(analytics.getFeatureFlag('beta')).toBe(true)
  })
  test('loads flags at page load when false', async () =>
    expect((await visit({ advanced_disable_feature_flags_on_first_load: false })).evaluations()).toHaveLength(1))
})

row('advanced_only_evaluate_survey_feature_flags', () => {
  const asks = async (options: object) =>
    new URL((await visit(options)).apiRequests[0]!.url).searchParams.get('only_evaluate_survey_feature_flags')
  test('is sent with the request when true', async () =>
    expect(await asks({ advanced_only_evaluate_survey_feature_flags: true })).toBe('true'))
  test.each([[false], [undefined]])('%p: is not sent with the request', async (value) =>
    expect(await asks({ advanced_only_evaluate_survey_feature_flags: value })).toBeNull(),
  )
  test('can be changed by set_config', async () => {
    const { analytics, apiRequests, settle } = await visit()
    analytics.set_config({ advanced_only_evaluate_survey_feature_flags: true })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(apiRequests.at(-1)!.url).toContain('only_evaluate_survey_feature_flags=true')
  })
})

row('advanced_feature_flags_dedup_per_session', () => {
  const HOUR = 3_600_000
  const read = async (options: object) => {
    const { analytics, calls, settle } = await visit(options)
    analytics.getFeatureFlag('beta')
    analytics.getFeatureFlag('beta')
    await settle(HOUR)
    analytics.capture('another session begins')
    analytics.getFeatureFlag('beta')
    analytics.getFeatureFlag('beta')
    await settle()
    const inTwoSessions = calls().length
    analytics.identify('u1')
    analytics.getFeatureFlag('beta')
    await settle()
    return [inTwoSessions, calls().length - inTwoSessions]
  }
  test('captures once per identity, regardless of the session, when false', async () =>
    expect(await read({ advanced_feature_flags_dedup_per_session: false })).toEqual([1, 1]))
  test('captures once per session, regardless of the identity, when true', async () =>
    expect(await read({ advanced_feature_flags_dedup_per_session: true })).toEqual([2, 0]))
  test('can be changed by set_config', async () => {
    const { analytics, calls, settle } = await visit()
    analytics.set_config({ advanced_feature_flags_dedup_per_session: true })
    analytics.getFeatureFlag('beta')
    await settle(HOUR)
    analytics.capture('another session begins')
    analytics.getFeatureFlag('beta')
    await settle()
    expect(calls()).toHaveLength(2)
  })
})

row('feature_flag_request_timeout_ms', () => {
  const hang = () => {
    const ended: number[] = []
    globalThis.fetch = jest.fn(
      (_url: string, { signal }: RequestInit) =>
        new Promise((_, reject) =>
          signal?.addEventListener(
            'abort',
            () => (ended.push(Date.now()), reject(new DOMException('aborted', 'AbortError'))),
          ),
        ),
    ) as unknown as typeof fetch
    return ended
  }
  test.each([
    [undefined, 3000],
    [500, 500],
    [20_000, 20_000],
  ])('%p: calls flag listeners after %i ms without a response', async (feature_flag_request_timeout_ms, expected) => {
    const { analytics, settle } = startAnalytics({ feature_flag_request_timeout_ms })
    hang()
    const listener = jest.fn()
    analytics.onFeatureFlags(listener)
    // Wait until the request has been sent.
    await settle(100)
    await settle(expected - 100)
    expect(listener).not.toHaveBeenCalled()
    await settle(150)
    expect(listener.mock.calls).toEqual([[[], {}, { errorsLoading: true }]])
  })
  test('can be changed by set_config', async () => {
    const { analytics, settle } = await visit()
    const listener = jest.fn()
    analytics.onFeatureFlags(listener)
    listener.mockClear()
    const ended = hang()
    analytics.set_config({ feature_flag_request_timeout_ms: 200 })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(ended).toHaveLength(1)
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

row('feature_flag_cache_ttl_ms', () => {
  const DAY = 86_400_000
  const read = async (options: object, wait: number) => {
    const started = await visit(options)
    started.setApiResponse(503)
    await started.settle(wait)
    started.sent.length = 0
    const value = started.analytics.getFeatureFlag('beta', { send_event: false })
    const { properties } = started.analytics.capture('x')!
    return [value, properties['$feature/beta']]
  }
  test.each([[0], [undefined]])('%p: never expires cached values', async (feature_flag_cache_ttl_ms) =>
    expect(await read({ feature_flag_cache_ttl_ms }, 400 * DAY)).toEqual([true, true]),
  )
  test('uses newer flags and adds them to events', async () =>
    expect(await read({ feature_flag_cache_ttl_ms: 60_000 }, 50_000)).toEqual([true, true]))
  test('makes getFeatureFlag() return undefined and omits $feature/ properties for older flags', async () =>
    expect(await read({ feature_flag_cache_ttl_ms: 60_000 }, 62_000)).toEqual([undefined, undefined]))
  test('expires older flags stored by the previous page', async () => {
    const first = await visit({ feature_flag_cache_ttl_ms: 60_000 })
    await first.analytics.shutdown()
    const { analytics } = startAnalytics({ feature_flag_cache_ttl_ms: 60_000 })
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBe(true)
    jest.setSystemTime(Date.now() + 62_000)
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBeUndefined()
    expect(analytics.capture('x')!.properties).not.toHaveProperty('$feature/beta')
  })
  test('can be changed by set_config', async () => {
    const { analytics, setApiResponse, settle } = await visit()
    setApiResponse(503)
    await settle(62_000)
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBe(true)
    analytics.set_config({ feature_flag_cache_ttl_ms: 60_000 })
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBeUndefined()
  })
})

row('remote_config_refresh_interval_ms', () => {
  /** Returns the number of requests sent after this time. */
  const requestsAfter = async (ms: number, options: object) => {
    const { flagRequests, settle } = await visit(options)
    await settle(ms - 1000)
    return flagRequests().length
  }
  test.each([
    [undefined, 299_000, 1],
    [undefined, 302_000, 2],
    [undefined, 302_000 * 3, 4],
    [60_000, 61_500, 2],
    [0, 86_400_000, 1],
  ])('%p: after %i ms %i requests have been sent', async (remote_config_refresh_interval_ms, ms, expected) =>
    expect(await requestsAfter(ms, { remote_config_refresh_interval_ms })).toBe(expected),
  )

  test('allows reloadFeatureFlags when 0', async () => {
    const { analytics, flagRequests, settle } = await visit({ remote_config_refresh_interval_ms: 0 })
    analytics.reloadFeatureFlags()
    await settle(1000)
    expect(flagRequests()).toHaveLength(2)
  })

  test('refreshes both flags and configuration', async () => {
    show('<button id="b">b</button>')
    const { analytics, sent, setApiResponse, settle } = await visit(
      { remote_config_refresh_interval_ms: 10_000, autocapture: true },
      { beta: 'old' },
    )
    setApiResponse(200, { ...flagsOf({ beta: 'new' }), autocapture_opt_out: true })
    await settle(11_000)
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBe('new')
    act('#b')
    await settle()
    expect(sent).toEqual([])
  })

  test('can be changed by set_config', async () => {
    const { analytics, flagRequests, settle } = await visit({ remote_config_refresh_interval_ms: 0 })
    analytics.set_config({ remote_config_refresh_interval_ms: 10_000 })
    await settle(25_000)
    expect(flagRequests()).toHaveLength(3)
    analytics.set_config({ remote_config_refresh_interval_ms: 0 })
    await settle(100_000)
    expect(flagRequests()).toHaveLength(3)
  })
})

row('fetch_options.cache', () => {
  test('is passed to flag requests', async () => {
    await visit({ fetch_options: { cache: 'no-store' } })
    expect(fetched().map(({ cache }) => cache)).toEqual(['no-store'])
  })
})

row('fetch_options.next_options', () => {
  test('are passed to flag requests', async () => {
    await visit({ fetch_options: { next_options: { revalidate: 5 } } })
    expect(fetched().map(({ next }) => next)).toEqual([{ revalidate: 5 }])
  })
})

row('on_request_error', () => {
  test.each([400, 401, 404, 429, 500, 503])('is called when a flag request returns status %i', async (status) => {
    const on_request_error = jest.fn()
    const { setApiResponse, settle } = startAnalytics({ on_request_error })
    setApiResponse(status, { detail: 'no' })
    await settle(1000)
    expect(on_request_error.mock.calls[0]).toEqual([
      { statusCode: status, text: '{"detail":"no"}', json: { detail: 'no' } },
    ])
  })
})

row('$feature_flag_called', () => {
  test.each([
    ['getFeatureFlag', (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.getFeatureFlag('beta')],
    [
      'isFeatureEnabled',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.isFeatureEnabled('beta'),
    ],
    [
      'getFeatureFlagResult',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => analytics.getFeatureFlagResult('beta'),
    ],
  ])('is captured once when a flag is evaluated by %s', async (_, read) => {
    const { analytics, calls, settle } = await visit({}, { beta: 'b' })
    read(analytics)
    read(analytics)
    await settle()
    expect(calls()).toEqual([['beta', 'b']])
  })
  test('is captured once for each flag and again for another value', async () => {
    const { analytics, calls, setApiResponse, settle } = await visit({}, { beta: 'b', gamma: false })
    analytics.getFeatureFlag('beta')
    analytics.getFeatureFlag('gamma')
    setApiResponse(200, flagsOf({ beta: 'c', gamma: false }))
    analytics.reloadFeatureFlags()
    await settle(1000)
    analytics.getFeatureFlag('beta')
    analytics.getFeatureFlag('gamma')
    await settle()
    expect(calls()).toEqual([
      ['beta', 'b'],
      ['gamma', false],
      ['beta', 'c'],
    ])
  })
  test('is captured once per identity, not again on the next page load, and again for another person', async () => {
    const first = await visit()
    first.analytics.getFeatureFlag('beta')
    await first.settle()
    await first.analytics.shutdown()
    const { analytics, calls, settle } = await visit()
    analytics.getFeatureFlag('beta')
    await settle()
    expect(calls()).toEqual([])
    analytics.reset()
    await settle()
    analytics.getFeatureFlag('beta')
    await settle()
    expect(calls()).toEqual([['beta', true]])
  })
  test('is not captured with send_event: false', async () => {
    const { analytics, calls, settle } = await visit()
    expect(analytics.getFeatureFlag('beta', { send_event: false })).toBe(true)
    await settle()
    expect(calls()).toEqual([])
  })
})

close()
