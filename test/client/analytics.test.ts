import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { CapturedEvent } from '../../src/types'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('capture', () => {
  test('adds page and browser properties to an event', async () => {
    history.replaceState(null, '', '/shop?utm_source=news#top')
    const { analytics, sent, settle } = startAnalytics({ defaults: '2026-01-30' })
    analytics.capture('purchase', { amount: 42 })
    await settle()
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      event: 'purchase',
      uuid: expect.stringMatching(uuid),
      timestamp: '2026-11-21T10:00:00.000Z',
    })
    expect(sent[0]!.properties).toMatchObject({
      amount: 42,
      token: 'token',
      distinct_id: analytics.get_distinct_id(),
      $device_id: analytics.get_distinct_id(),
      $session_id: analytics.get_session_id(),
      $window_id: expect.stringMatching(uuid),
      $current_url: 'http://localhost/shop?utm_source=news#top',
      $pathname: '/shop',
      $host: 'localhost',
      $lib: 'web',
      $config_defaults: '2026-01-30',
      $lib_custom_api_host: 'https://events.example.com',
      $is_identified: false,
      $process_person_profile: false,
      $referrer: '$direct',
      $referring_domain: '$direct',
      utm_source: 'news',
      $session_entry_utm_source: 'news',
      $session_entry_pathname: '/shop',
      $time: 1795255200,
      $browser_type: 'browser',
    })
  })

  test('lets event properties override page properties, but not session and project ids', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('x', {
      $current_url: 'mine',
      $lib: 'mine',
      $session_id: 'mine',
      token: 'mine',
      distinct_id: 'mine',
    })
    await settle()
    expect(sent[0]!.properties).toMatchObject({
      $current_url: 'mine',
      $lib: 'mine',
      distinct_id: 'mine',
      token: 'token',
      $session_id: analytics.get_session_id(),
    })
  })

  test('keeps the timestamp and uuid passed by the caller and adds the system time', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const id = '0192f1c0-0000-4000-8000-000000000000'
    analytics.capture('x', {}, { timestamp: new Date('2020-01-01T00:00:00Z'), uuid: id })
    await settle()
    expect(sent[0]).toMatchObject({
      uuid: id,
      timestamp: '2020-01-01T00:00:00.000Z',
      properties: { $event_time_override_provided: true, $event_time_override_system_time: '2026-11-21T10:00:00.000Z' },
    })
  })

  test('keeps the session when the caller passes an old timestamp', () => {
    const { analytics } = startAnalytics()
    const session = analytics.get_session_id()
    analytics.capture('x', {}, { timestamp: new Date('2020-01-01T00:00:00Z') })
    expect(analytics.get_session_id()).toBe(session)
  })

  test('returns the event and does not modify its arguments', () => {
    const { analytics } = startAnalytics()
    const properties = Object.freeze({ list: Object.freeze([1]) })
    expect(analytics.capture('x', properties)).toMatchObject({ event: 'x', properties: { list: [1] } })
  })

  test('never sends properties on the denylist', async () => {
    const { analytics, sent, settle } = startAnalytics({ property_denylist: ['$current_url', 'secret'] })
    analytics.capture('x', { secret: 1, open: 2 })
    await settle()
    expect(sent[0]!.properties).not.toHaveProperty('secret')
    expect(sent[0]!.properties).not.toHaveProperty('$current_url')
    expect(sent[0]!.properties).toHaveProperty('open', 2)
  })

  test('truncates strings to properties_string_max_length', async () => {
    const { analytics, sent, settle } = startAnalytics({ properties_string_max_length: 5 })
    analytics.capture('x', { text: 'abcdefgh' })
    await settle()
    expect(sent[0]!.properties.text).toBe('abcde')
  })

  test.each([[undefined], [null], [5], [{}]])('drops an event whose name is %p', (name) => {
    const { analytics } = startAnalytics()
    expect(analytics.capture(name as string)).toBeUndefined()
    expect(analytics.drops()).toEqual({ invalid_name: 1 })
  })
})

describe('before_send', () => {
  test('modifies an event', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => ({ ...event, properties: { ...event.properties, more: 1 } }),
    })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.more).toBe(1)
  })

  test('drops an event by returning null', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => (event.event === 'no' ? null : event),
    })
    analytics.capture('no')
    analytics.capture('yes')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['yes'])
    expect(analytics.drops()).toEqual({ before_send: 1 })
  })

  test('runs several functions in order until one rejects the event', () => {
    const seen: string[] = []
    const record = (word: string, result?: null) => (event: CapturedEvent) => (
      seen.push(word),
      result === null ? null : event
    )
    const { analytics } = startAnalytics({ before_send: [record('one'), record('two', null), record('three')] })
    analytics.capture('x')
    expect(seen).toEqual(['one', 'two'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['returns a string', () => 'rubbish' as never],
    ['returns an event without properties', () => ({ event: 'x' }) as never],
  ])('drops the event and logs one message when it %s', (_, before_send) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ before_send })
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.drops()).toEqual({ before_send: 1 })
    expect(lines).toHaveLength(1)
  })

  test('restores the uuid when a callback sets an invalid one', () => {
    const { analytics } = startAnalytics({ before_send: (event) => ({ ...event, uuid: 'mine' }) })
    expect(analytics.capture('x')!.uuid).toMatch(uuid)
  })
})

describe('super properties', () => {
  test('adds super properties to every event until they are unregistered', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.register({ plan: 'gold' })
    analytics.register_once({ plan: 'lead', first: 1 })
    analytics.capture('a')
    analytics.unregister('plan')
    analytics.capture('b', { first: 2 })
    await settle()
    expect(sent[0]!.properties).toMatchObject({ plan: 'gold', first: 1 })
    expect(sent[1]!.properties).not.toHaveProperty('plan')
    expect(sent[1]!.properties.first).toBe(2)
  })

  test('restores super properties after a reload', async () => {
    const first = startAnalytics()
    first.analytics.register({ plan: 'gold' })
    await first.settle()
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('a')
    await settle()
    expect(sent[0]!.properties.plan).toBe('gold')
    expect(analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test('does not let super properties overwrite the values the SDK stores', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.register({ $user_state: 'identified', plan: 1 })
    expect(analytics.get_property('$user_state')).toBe('anonymous')
    expect(analytics.get_property('plan')).toBe(1)
    expect(lines).toHaveLength(1)
  })
})

describe('identify', () => {
  test('sends one $identify with both ids when an anonymous visitor is identified', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const anonymous = analytics.get_distinct_id()
    analytics.identify('u1', { plan: 'gold' }, { first: 1 })
    await settle(0)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      event: '$identify',
      properties: {
        distinct_id: 'u1',
        $anon_distinct_id: anonymous,
        $device_id: anonymous,
        $user_id: 'u1',
        $is_identified: true,
        $process_person_profile: true,
      },
      $set: { plan: 'gold' },
      $set_once: { first: 1, $initial_referrer: '$direct', $initial_pathname: '/' },
    })
    expect(analytics.get_distinct_id()).toBe('u1')
  })

  test('sends nothing when called again with the same id and no new properties', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify('u1')
    analytics.identify('u1')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$identify'])
  })

  test('sends $set when called again with new properties', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify('u1')
    analytics.identify('u1', { plan: 'gold' })
    await settle()
    expect(sent[1]).toMatchObject({ event: '$set', properties: { $set: { plan: 'gold' } } })
  })

  test('enables person profiles for later events, not for earlier ones', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('before')
    analytics.identify('u1')
    analytics.capture('after')
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.$process_person_profile])).toEqual([
      ['before', false],
      ['$identify', true],
      ['after', true],
    ])
  })

  test.each([[''], ['undefined'], ['null'], [null], [{}], [undefined]])('rejects %p and logs one message', (id) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    const before = analytics.get_distinct_id()
    analytics.identify(id as never)
    expect(analytics.get_distinct_id()).toBe(before)
    expect(lines).toHaveLength(1)
  })

  test('converts a number to a string and logs a warning', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics()
    analytics.identify(42 as never)
    expect(analytics.get_distinct_id()).toBe('42')
    expect(lines).toHaveLength(1)
  })
})

describe('reset', () => {
  test('starts a new anonymous visitor on the same device', () => {
    const { analytics } = startAnalytics()
    const device = analytics.get_property('$device_id')
    const session = analytics.get_session_id()
    analytics.identify('u1')
    analytics.register({ plan: 'gold' })
    analytics.reset()
    expect(analytics.get_distinct_id()).not.toBe('u1')
    expect(analytics.get_property('$device_id')).toBe(device)
    expect(analytics.get_property('$user_id')).toBeUndefined()
    expect(analytics.get_property('plan')).toBeUndefined()
    expect(analytics.get_session_id()).not.toBe(session)
  })

  test('starts a new device when called with true', () => {
    const { analytics } = startAnalytics()
    const device = analytics.get_property('$device_id')
    analytics.reset(true)
    expect(analytics.get_property('$device_id')).not.toBe(device)
  })
})

describe('consent', () => {
  test('captures nothing after an opt-out and drops queued events', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('before')
    analytics.opt_out_capturing()
    analytics.capture('after')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.drops()).toEqual({ opted_out: 2 })
    expect(analytics.has_opted_out_capturing()).toBe(true)
  })

  test('honors an opt-out stored by another SDK in a cookie or under a custom name', () => {
    document.cookie = '__ph_opt_in_out_token=0; path=/'
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
    localStorage.setItem('my-consent', 'no')
    expect(
      startAnalytics({ consent_persistence_name: 'my-consent' }, 'other').analytics.get_explicit_consent_status(),
    ).toBe('denied')
  })

  test('keeps an opt-out after a reload', () => {
    startAnalytics().analytics.opt_out_capturing()
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
  })

  test('captures $opt_in, a custom event or no event on opt-in', async () => {
    const { analytics, sent, settle } = startAnalytics({ opt_out_capturing_by_default: true })
    analytics.capture('lost')
    analytics.opt_in_capturing()
    analytics.opt_in_capturing()
    analytics.clear_opt_in_out_capturing()
    analytics.opt_in_capturing({ captureEventName: 'agreed', captureProperties: { a: 1 } })
    analytics.clear_opt_in_out_capturing()
    analytics.opt_in_capturing({ captureEventName: null })
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$opt_in', 'agreed'])
    expect(analytics.get_explicit_consent_status()).toBe('granted')
  })

  test('opt_out_persistence_by_default stores nothing before an opt-in and keeps the id afterwards', async () => {
    const { analytics, settle } = startAnalytics({
      opt_out_capturing_by_default: true,
      opt_out_persistence_by_default: true,
    })
    const id = analytics.get_distinct_id()
    await settle()
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
    analytics.opt_in_capturing()
    await settle()
    expect(localStorage.getItem('ph_token_posthog')).toContain(id)
    expect(document.cookie).toContain('ph_token_posthog')
  })

  test('respect_dnt treats Do Not Track and Global Privacy Control as an opt-out', () => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true })
    expect(startAnalytics({ respect_dnt: true }).analytics.has_opted_out_capturing()).toBe(true)
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(false)
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: undefined, configurable: true })
  })
})

describe('rate_limiting', () => {
  test('drops events over the burst limit, reports it once and captures again later', async () => {
    listenToConsole('error')
    const { analytics, sent, settle } = startAnalytics({
      rate_limiting: { events_per_second: 1, events_burst_limit: 3 },
    })
    for (let index = 0; index < 10; index++) analytics.capture(`e${index}`)
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['e0', 'e1', 'e2', '$$client_ingestion_warning'])
    expect(analytics.drops()).toEqual({ rate_limited: 7 })
    analytics.capture('later')
    await settle()
    expect(sent.at(-1)!.event).toBe('later')
  })

  test('allows 10 events per second and bursts of 100 by default', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    for (let index = 0; index < 150; index++) analytics.capture('e')
    expect(analytics.drops()).toEqual({ rate_limited: 50 })
    jest.advanceTimersByTime(1000)
    for (let index = 0; index < 150; index++) analytics.capture('e')
    expect(analytics.drops()).toEqual({ rate_limited: 190 })
  })

  test('does not count events captured with skip_client_rate_limiting', () => {
    const { analytics } = startAnalytics()
    for (let index = 0; index < 150; index++) analytics.capture('e', {}, { skip_client_rate_limiting: true })
    expect(analytics.drops()).toEqual({})
  })
})

describe('events of bots', () => {
  test('are not captured by default', () => {
    const { analytics } = startAnalytics({
      opt_out_useragent_filter: false,
      custom_blocked_useragents: ['AppleWebKit'],
    })
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.drops()).toEqual({ bot: 1 })
  })

  test('are captured and marked with opt_out_useragent_filter', () => {
    const { analytics } = startAnalytics({ opt_out_useragent_filter: true, custom_blocked_useragents: ['AppleWebKit'] })
    expect(analytics.capture('x')!.properties.$browser_type).toBe('bot')
  })
})

describe('init', () => {
  test('ignores a second call and logs a warning', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics()
    expect(analytics.init('token', { capture_pageleave: true })).toBe(analytics)
    analytics.init('other')
    expect(analytics.config.capture_pageleave).toBe(false)
    expect(lines).toEqual([expect.stringContaining('the first call wins'), expect.stringContaining('another token')])
  })

  test.each([[''], ['  '], [undefined], [null]])('silently disables the SDK when the token is %p', (token) => {
    const lines = [listenToConsole('warn'), listenToConsole('error')]
    const analytics = createAnalytics({
      features: FEATURES,
      makeLoad: () => () => Promise.reject(new Error('no extension')),
    })
    const fetchMock = (globalThis.fetch = jest.fn())
    expect(analytics.init(token as never)).toBe(analytics)
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.get_distinct_id()).toBe('')
    expect(() => analytics.identify('u')).not.toThrow()
    expect([analytics.__loaded, lines, fetchMock.mock.calls, localStorage.length]).toEqual([false, [[], []], [], 0])
  })

  test('logs an error for a token that is not a string and accepts a valid token later', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({}, 'token', (early) => void early.init(5 as never))
    expect(lines).toEqual([expect.stringContaining('init() expects a project token (string), got 5')])
    expect(analytics.capture('x')).toBeDefined()
  })

  test('sends one visit for init, shutdown and init in React StrictMode', async () => {
    listenToConsole('warn')
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: true })
    await analytics.shutdown()
    analytics.init('token', { ...analytics.config, capture_pageview: true })
    analytics.init('token')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$pageview'])
  })

  test('stores nothing, sends nothing and logs nothing with enabled: false', async () => {
    const lines = [...listenToConsole('warn'), ...listenToConsole('error')]
    const { analytics, requests, settle } = startAnalytics({
      enabled: false,
      capture_pageview: true,
      autocapture: true,
    })
    analytics.capture('x')
    await settle()
    expect([requests.length, localStorage.length, document.cookie, lines.length]).toEqual([0, 0, '', 0])
  })

  test('calls loaded once with the instance and ignores exceptions it throws', () => {
    listenToConsole('error')
    const loaded = jest.fn(() => {
      throw new Error('no')
    })
    const { analytics } = startAnalytics({ loaded })
    expect(loaded).toHaveBeenCalledTimes(1)
    expect(loaded).toHaveBeenCalledWith(analytics)
    expect(analytics.capture('x')).toBeDefined()
  })

  test('creates a separate instance when given a name', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const second = analytics.init('token-2', { ...analytics.config, persistence_name: 'second' }, 'second')
    expect((analytics as unknown as Record<string, unknown>).second).toBe(second)
    second.capture('of the second')
    await settle()
    expect(sent[0]!.properties.token).toBe('token-2')
    expect(second.get_distinct_id()).not.toBe(analytics.get_distinct_id())
    void second.shutdown()
  })
})

describe('persistence', () => {
  const places = () => [
    localStorage.length,
    sessionStorage.getItem('ph_token_posthog') ? 1 : 0,
    document.cookie.includes('ph_token_posthog') ? 1 : 0,
  ]

  test.each([
    ['localStorage+cookie', [1, 1, 1]],
    ['localStorage', [1, 1, 0]],
    ['cookie', [0, 1, 1]],
    ['sessionStorage', [0, 1, 0]],
    ['memory', [0, 0, 0]],
  ] as const)('stores data only in the backends of %s', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence })
    analytics.capture('x')
    await settle()
    expect(places()).toEqual(expected)
  })

  test('disable_persistence keeps data in memory and removes stored data', async () => {
    const first = startAnalytics()
    await first.settle()
    await first.analytics.shutdown()
    const { analytics, settle } = startAnalytics({ disable_persistence: true })
    analytics.capture('x')
    await settle()
    expect([localStorage.getItem('ph_token_posthog'), document.cookie]).toEqual([null, ''])
  })

  test('moves all stored data when set_config changes the backend', async () => {
    const { analytics, settle } = startAnalytics()
    const id = analytics.get_distinct_id()
    await settle()
    analytics.set_config({ persistence: 'cookie' })
    await settle()
    expect(localStorage.getItem('ph_token_posthog')).toBeNull()
    expect(decodeURIComponent(document.cookie)).toContain(id)
    expect(analytics.get_distinct_id()).toBe(id)
  })

  test('keeps the visitor stored by another SDK of the protocol', () => {
    localStorage.setItem(
      'ph_token_posthog',
      JSON.stringify({ distinct_id: 'old', $device_id: 'dev', $user_state: 'identified', plan: 'gold' }),
    )
    const { analytics } = startAnalytics()
    expect(analytics.get_distinct_id()).toBe('old')
    expect(analytics.capture('x')!.properties).toMatchObject({ $device_id: 'dev', plan: 'gold', $is_identified: true })
  })
})

describe('on()', () => {
  test('notifies listeners of captured, delivered and dropped events until they are removed', async () => {
    const { analytics, settle } = startAnalytics({ before_send: (event) => (event.event === 'no' ? null : event) })
    const received: unknown[] = []
    analytics.on('eventCaptured', ({ event }) => received.push(['captured', event]))
    analytics.on('eventsDelivered', ({ uuids }) => received.push(['delivered', uuids.length]))
    const stop = analytics.on('eventDropped', ({ event, reason }) => received.push(['dropped', event, reason]))
    analytics.capture('a')
    analytics.capture('no')
    await settle()
    stop()
    analytics.capture('no')
    expect(received).toEqual([
      ['captured', 'a'],
      ['dropped', 'no', 'before_send'],
      ['delivered', 1],
    ])
  })

  test('isolates a listener that throws from other listeners', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    const listener = jest.fn()
    analytics.on('eventCaptured', () => {
      throw new Error('no')
    })
    analytics.on('*', listener)
    expect(analytics.capture('a')).toBeDefined()
    expect(listener).toHaveBeenCalledWith('eventCaptured', expect.objectContaining({ event: 'a' }))
  })
})

test('on_request_error receives status, text and json of a rejected request', async () => {
  const on_request_error = jest.fn()
  const { analytics, setEventsResponse, settle } = startAnalytics({ on_request_error })
  setEventsResponse(400, { detail: 'no' })
  analytics.capture('x')
  await settle()
  expect(on_request_error).toHaveBeenCalledWith({ statusCode: 400, text: '{"detail":"no"}', json: { detail: 'no' } })
})

test('sends xhr_headers and fetch_options with every request', async () => {
  const { analytics, requests, settle } = startAnalytics({
    xhr_headers: { 'X-A': '1' },
    fetch_options: { cache: 'no-store', next_options: { revalidate: 0 } },
  })
  analytics.capture('x')
  await settle()
  expect(requests[0]!.init).toMatchObject({ headers: { 'X-A': '1' }, cache: 'no-store', next: { revalidate: 0 } })
  expect(requests[0]!.init).not.toHaveProperty('next_options')
})

test('public methods never throw, whatever the page passes', () => {
  listenToConsole('error')
  listenToConsole('warn')
  const { analytics } = startAnalytics()
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('get')
      },
      ownKeys: () => {
        throw new Error('keys')
      },
    },
  )
  for (const [name, member] of Object.entries(analytics)) {
    if (typeof member !== 'function' || name === 'shutdown') continue
    for (const value of [undefined, null, 5, 'x', [], {}, hostile, () => hostile]) {
      expect(() => (member as (...args: unknown[]) => unknown).call(analytics, value, value, value)).not.toThrow()
    }
  }
})

test('calculateEventProperties returns the properties an event would have and captures nothing', async () => {
  const { analytics, sent, settle } = startAnalytics({ property_denylist: ['secret'] })
  analytics.register({ plan: 'gold' })
  const calculated = analytics.calculateEventProperties('$pageview', { a: 1, secret: 2 })
  expect(calculated).toMatchObject({
    a: 1,
    plan: 'gold',
    token: 'token',
    distinct_id: analytics.get_distinct_id(),
    $session_id: analytics.get_session_id(),
    $lib: 'web',
  })
  expect(calculated).not.toHaveProperty('secret')
  expect(analytics.getPageViewId()).toBeUndefined()
  await settle()
  expect(sent).toEqual([])
})

test('logger exists and prints nothing', () => {
  const { analytics } = startAnalytics()
  expect(() => analytics.logger.error!()).not.toThrow()
})
