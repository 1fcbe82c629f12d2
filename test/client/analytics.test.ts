import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { CapturedEvent } from '../../src/types'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('an event', () => {
  test('arrives with what the page and the browser tell', async () => {
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

  test('what the caller says beats what the page says, but not the ids of session and project', async () => {
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

  test("keeps the caller's time and id, and says what the clock said", async () => {
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

  test('an old time given by the caller does not end the session', () => {
    const { analytics } = startAnalytics()
    const session = analytics.get_session_id()
    analytics.capture('x', {}, { timestamp: new Date('2020-01-01T00:00:00Z') })
    expect(analytics.get_session_id()).toBe(session)
  })

  test('capture answers what will be sent, and changes nothing of what it was given', () => {
    const { analytics } = startAnalytics()
    const given = Object.freeze({ list: Object.freeze([1]) })
    expect(analytics.capture('x', given)).toMatchObject({ event: 'x', properties: { list: [1] } })
  })

  test('properties on the denylist are never sent', async () => {
    const { analytics, sent, settle } = startAnalytics({ property_denylist: ['$current_url', 'secret'] })
    analytics.capture('x', { secret: 1, open: 2 })
    await settle()
    expect(sent[0]!.properties).not.toHaveProperty('secret')
    expect(sent[0]!.properties).not.toHaveProperty('$current_url')
    expect(sent[0]!.properties).toHaveProperty('open', 2)
  })

  test('strings are cut to properties_string_max_length', async () => {
    const { analytics, sent, settle } = startAnalytics({ properties_string_max_length: 5 })
    analytics.capture('x', { text: 'abcdefgh' })
    await settle()
    expect(sent[0]!.properties.text).toBe('abcde')
  })

  test.each([[undefined], [null], [5], [{}]])('a name of %p drops it', (name) => {
    const { analytics } = startAnalytics()
    expect(analytics.capture(name as never)).toBeUndefined()
    expect(analytics.drops()).toEqual({ invalid_name: 1 })
  })
})

describe('before_send', () => {
  test('amends an event', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => ({ ...event, properties: { ...event.properties, more: 1 } }),
    })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.more).toBe(1)
  })

  test('rejects an event with null', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => (event.event === 'no' ? null : event),
    })
    analytics.capture('no')
    analytics.capture('yes')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['yes'])
    expect(analytics.drops()).toEqual({ before_send: 1 })
  })

  test('several run in order, until one rejects', () => {
    const seen: string[] = []
    const say = (word: string, answer?: null) => (event: CapturedEvent) => (
      seen.push(word),
      answer === null ? null : event
    )
    const { analytics } = startAnalytics({ before_send: [say('one'), say('two', null), say('three')] })
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
    ['answers rubbish', () => 'rubbish' as never],
    ['answers an event without properties', () => ({ event: 'x' }) as never],
  ])('that %s drops the event with one line', (_, before_send) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ before_send })
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.drops()).toEqual({ before_send: 1 })
    expect(lines).toHaveLength(1)
  })

  test('that breaks the uuid gets it back', () => {
    const { analytics } = startAnalytics({ before_send: (event) => ({ ...event, uuid: 'mine' }) })
    expect(analytics.capture('x')!.uuid).toMatch(uuid)
  })
})

describe('super properties', () => {
  test('ride on every event until they are unregistered', async () => {
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

  test('are there again after a reload', async () => {
    const first = startAnalytics()
    first.analytics.register({ plan: 'gold' })
    await first.settle()
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('a')
    await settle()
    expect(sent[0]!.properties.plan).toBe('gold')
    expect(analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test("the SDK's own stored values cannot be overwritten", () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.register({ $user_state: 'identified', plan: 1 })
    expect(analytics.get_property('$user_state')).toBe('anonymous')
    expect(analytics.get_property('plan')).toBe(1)
    expect(lines).toHaveLength(1)
  })
})

describe('identify', () => {
  test('names an anonymous visitor: one $identify, at once, with both ids', async () => {
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

  test('again with the same id and nothing new sends nothing', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify('u1')
    analytics.identify('u1')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$identify'])
  })

  test('again with properties sends $set', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify('u1')
    analytics.identify('u1', { plan: 'gold' })
    await settle()
    expect(sent[1]).toMatchObject({ event: '$set', properties: { $set: { plan: 'gold' } } })
  })

  test('events after it make a person profile, events before did not', async () => {
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

  test.each([[''], ['undefined'], ['null'], [null], [{}], [undefined]])('refuses %p with one line', (id) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    const before = analytics.get_distinct_id()
    analytics.identify(id as never)
    expect(analytics.get_distinct_id()).toBe(before)
    expect(lines).toHaveLength(1)
  })

  test('takes a number as text, and says so', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics()
    analytics.identify(42 as never)
    expect(analytics.get_distinct_id()).toBe('42')
    expect(lines).toHaveLength(1)
  })
})

describe('reset', () => {
  test('makes another anonymous visitor on the same device', () => {
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

  test('with true makes another device', () => {
    const { analytics } = startAnalytics()
    const device = analytics.get_property('$device_id')
    analytics.reset(true)
    expect(analytics.get_property('$device_id')).not.toBe(device)
  })
})

describe('consent', () => {
  test('after opt-out nothing is captured, and what waited is not sent', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('before')
    analytics.opt_out_capturing()
    analytics.capture('after')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.drops()).toEqual({ opted_out: 2 })
    expect(analytics.has_opted_out_capturing()).toBe(true)
  })

  test('a refusal that another SDK of the protocol noted in a cookie, or under a name of the site, holds', () => {
    document.cookie = '__ph_opt_in_out_token=0; path=/'
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
    localStorage.setItem('my-consent', 'no')
    expect(
      startAnalytics({ consent_persistence_name: 'my-consent' }, 'other').analytics.get_explicit_consent_status(),
    ).toBe('denied')
  })

  test('is remembered', () => {
    startAnalytics().analytics.opt_out_capturing()
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
  })

  test('opting in says so with $opt_in, or with another event, or with none', async () => {
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

  test('opt_out_persistence_by_default stores nothing before opt-in, and keeps the id after', async () => {
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

  test('respect_dnt takes Do Not Track and Global Privacy Control for a refusal', () => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true })
    expect(startAnalytics({ respect_dnt: true }).analytics.has_opted_out_capturing()).toBe(true)
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(false)
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: undefined, configurable: true })
  })
})

describe('rate_limiting', () => {
  test('holds back what is over the burst, warns the service once, and lets through again later', async () => {
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

  test('the default is 10 a second and 100 at once', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    for (let index = 0; index < 150; index++) analytics.capture('e')
    expect(analytics.drops()).toEqual({ rate_limited: 50 })
    jest.advanceTimersByTime(1000)
    for (let index = 0; index < 150; index++) analytics.capture('e')
    expect(analytics.drops()).toEqual({ rate_limited: 190 })
  })

  test('skip_client_rate_limiting counts nothing', () => {
    const { analytics } = startAnalytics()
    for (let index = 0; index < 150; index++) analytics.capture('e', {}, { skip_client_rate_limiting: true })
    expect(analytics.drops()).toEqual({})
  })
})

describe('bots', () => {
  test('are not captured', () => {
    const { analytics } = startAnalytics({ opt_out_useragent_filter: false, custom_blocked_useragents: ['jsdom'] })
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.drops()).toEqual({ bot: 1 })
  })

  test('are captured and marked with opt_out_useragent_filter', () => {
    const { analytics } = startAnalytics({ opt_out_useragent_filter: true, custom_blocked_useragents: ['jsdom'] })
    expect(analytics.capture('x')!.properties.$browser_type).toBe('bot')
  })
})

describe('init', () => {
  test('a second call changes nothing and says so', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics()
    expect(analytics.init('token', { capture_pageleave: true })).toBe(analytics)
    analytics.init('other')
    expect(analytics.config.capture_pageleave).toBe(false)
    expect(lines).toEqual([expect.stringContaining('the first call holds'), expect.stringContaining('another token')])
  })

  test.each([[''], ['  '], [undefined], [null]])('a token of %p gives a silent no-op', (token) => {
    const lines = [listenToConsole('warn'), listenToConsole('error')]
    const analytics = createAnalytics(FEATURES, () => () => Promise.reject(new Error('no extension')))
    const asked = (globalThis.fetch = jest.fn())
    expect(analytics.init(token as never)).toBe(analytics)
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.get_distinct_id()).toBe('')
    expect(() => analytics.identify('u')).not.toThrow()
    expect([analytics.__loaded, lines, asked.mock.calls, localStorage.length]).toEqual([false, [[], []], [], 0])
  })

  test('a token that is no text is an error, and a later init with one holds', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({}, 'token', (early) => void early.init(5 as never))
    expect(lines).toEqual([expect.stringContaining('init() expects a project token (string), got 5')])
    expect(analytics.capture('x')).toBeDefined()
  })

  test('React StrictMode: init, shutdown and init again are one visit', async () => {
    listenToConsole('warn')
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: true })
    await analytics.shutdown()
    analytics.init('token', { ...analytics.config, capture_pageview: true })
    analytics.init('token')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$pageview'])
  })

  test('enabled: false is silent and complete: nothing stored, nothing sent', async () => {
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

  test('calls loaded once with the instance and ignores what it throws', () => {
    listenToConsole('error')
    const loaded = jest.fn(() => {
      throw new Error('no')
    })
    const { analytics } = startAnalytics({ loaded })
    expect(loaded).toHaveBeenCalledTimes(1)
    expect(loaded).toHaveBeenCalledWith(analytics)
    expect(analytics.capture('x')).toBeDefined()
  })

  test('a name gives an instance of its own beside the first', async () => {
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
  ] as const)('%s', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence })
    analytics.capture('x')
    await settle()
    expect(places()).toEqual(expected)
  })

  test('disable_persistence keeps everything in memory and removes what was there', async () => {
    const first = startAnalytics()
    await first.settle()
    await first.analytics.shutdown()
    const { analytics, settle } = startAnalytics({ disable_persistence: true })
    analytics.capture('x')
    await settle()
    expect([localStorage.getItem('ph_token_posthog'), document.cookie]).toEqual([null, ''])
  })

  test('changing it by set_config takes everything along', async () => {
    const { analytics, settle } = startAnalytics()
    const id = analytics.get_distinct_id()
    await settle()
    analytics.set_config({ persistence: 'cookie' })
    await settle()
    expect(localStorage.getItem('ph_token_posthog')).toBeNull()
    expect(decodeURIComponent(document.cookie)).toContain(id)
    expect(analytics.get_distinct_id()).toBe(id)
  })

  test('a visitor of another SDK of the protocol stays the same visitor', () => {
    localStorage.setItem(
      'ph_token_posthog',
      JSON.stringify({ distinct_id: 'old', $device_id: 'dev', $user_state: 'identified', plan: 'gold' }),
    )
    const { analytics } = startAnalytics()
    expect(analytics.get_distinct_id()).toBe('old')
    expect(analytics.capture('x')!.properties).toMatchObject({ $device_id: 'dev', plan: 'gold', $is_identified: true })
  })
})

describe('on', () => {
  test('hears of captured, delivered and dropped events, until it is stopped', async () => {
    const { analytics, settle } = startAnalytics({ before_send: (event) => (event.event === 'no' ? null : event) })
    const heard: unknown[] = []
    analytics.on('eventCaptured', ({ event }) => heard.push(['captured', event]))
    analytics.on('eventsDelivered', ({ uuids }) => heard.push(['delivered', uuids.length]))
    const stop = analytics.on('eventDropped', ({ event, reason }) => heard.push(['dropped', event, reason]))
    analytics.capture('a')
    analytics.capture('no')
    await settle()
    stop()
    analytics.capture('no')
    expect(heard).toEqual([
      ['captured', 'a'],
      ['dropped', 'no', 'before_send'],
      ['delivered', 1],
    ])
  })

  test('a listener that throws does not affect other listeners', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    const heard = jest.fn()
    analytics.on('eventCaptured', () => {
      throw new Error('no')
    })
    analytics.on('*', heard)
    expect(analytics.capture('a')).toBeDefined()
    expect(heard).toHaveBeenCalledWith('eventCaptured', expect.objectContaining({ event: 'a' }))
  })
})

test('a request that is refused reaches on_request_error with status, text and json', async () => {
  const on_request_error = jest.fn()
  const { analytics, answer, settle } = startAnalytics({ on_request_error })
  answer(400, { detail: 'no' })
  analytics.capture('x')
  await settle()
  expect(on_request_error).toHaveBeenCalledWith({ statusCode: 400, text: '{"detail":"no"}', json: { detail: 'no' } })
})

test('xhr_headers and fetch_options travel with every request', async () => {
  const { analytics, requests, settle } = startAnalytics({
    xhr_headers: { 'X-A': '1' },
    fetch_options: { cache: 'no-store', next_options: { revalidate: 0 } },
  })
  analytics.capture('x')
  await settle()
  expect(requests[0]!.init).toMatchObject({ headers: { 'X-A': '1' }, cache: 'no-store', next: { revalidate: 0 } })
  expect(requests[0]!.init).not.toHaveProperty('next_options')
})

test('nothing the page hands over makes a member throw', () => {
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

test('calculateEventProperties tells what an event would carry, and captures nothing', async () => {
  const { analytics, sent, settle } = startAnalytics({ property_denylist: ['secret'] })
  analytics.register({ plan: 'gold' })
  const told = analytics.calculateEventProperties('$pageview', { a: 1, secret: 2 })
  expect(told).toMatchObject({
    a: 1,
    plan: 'gold',
    token: 'token',
    distinct_id: analytics.get_distinct_id(),
    $session_id: analytics.get_session_id(),
    $lib: 'web',
  })
  expect(told).not.toHaveProperty('secret')
  expect(analytics.getPageViewId()).toBeUndefined()
  await settle()
  expect(sent).toEqual([])
})

test('logger is there and silent', () => {
  const { analytics } = startAnalytics()
  expect(() => analytics.logger.error!()).not.toThrow()
})
