import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const pageEvent = (type: string, persisted: boolean) =>
  window.dispatchEvent(Object.assign(new Event(type), { persisted }))
const names = (sent: { event: string }[]) => sent.map(({ event }) => event)
const IDLE = 31 * 60_000

describe('a captured pageview', () => {
  test.each([
    [
      'an opt-out and an opt-in',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => {
        analytics.opt_out_capturing()
        analytics.opt_in_capturing({ captureEventName: null })
      },
    ],
    [
      'capture_pageview off and on',
      (analytics: ReturnType<typeof startAnalytics>['analytics']) => {
        analytics.set_config({ capture_pageview: false })
        analytics.set_config({ capture_pageview: true })
      },
    ],
  ])('is not captured again after %s', async (_, toggle) => {
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: true })
    await settle()
    toggle(analytics)
    await settle(IDLE)
    toggle(analytics)
    await settle()
    expect(names(sent)).toEqual(['$pageview'])
    history.pushState(null, '', '/next')
    toggle(analytics)
    await settle()
    expect(names(sent)).toEqual(['$pageview', '$pageview'])
  })

  test('is captured on opt-in if the page was opened before consent', async () => {
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: true, opt_out_capturing_by_default: true })
    await settle()
    analytics.opt_in_capturing({ captureEventName: null })
    await settle()
    expect(names(sent)).toEqual(['$pageview'])
  })

  test('reports its duration and scroll depth once when the page is restored from the back/forward cache', async () => {
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: true, capture_pageleave: true })
    await settle(10_000)
    const captured: Record<string, unknown>[] = []
    analytics.on('eventCaptured', ({ properties }) => captured.push(properties))
    pageEvent('pagehide', true)
    await settle(60_000)
    pageEvent('pageshow', true)
    await settle(5000)
    pageEvent('pagehide', true)
    expect(captured.map(({ $prev_pageview_duration: seconds }) => seconds && Math.round(seconds as number))).toEqual([
      10,
      undefined,
      5,
    ])
    expect(captured.filter((each) => '$prev_pageview_max_scroll' in each)).toHaveLength(2)
    expect(captured[1]).toMatchObject({ $prev_pageview_id: sent[0]!.uuid, $prev_pageview_pathname: '/' })
  })
})

describe('an idle page', () => {
  test('ends its expired session when it is left and starts no new one', async () => {
    const { analytics, settle } = startAnalytics({ capture_pageview: true, capture_pageleave: true })
    await settle()
    const session = analytics.get_session_id()
    const listener = jest.fn()
    analytics.onSessionId(listener)
    listener.mockClear()
    const captured: Record<string, unknown>[] = []
    analytics.on('eventCaptured', ({ properties }) => captured.push(properties))
    await settle(IDLE)
    pageEvent('pagehide', false)
    expect(captured).toMatchObject([{ $session_id: session, $pageview_id: expect.any(String) }])
    expect(listener).not.toHaveBeenCalled()
    expect(analytics.capture('x')!.properties.$session_id).not.toBe(session)
  })

  test('keeps its session alive when it is left before the timeout', async () => {
    const { analytics, settle } = startAnalytics({ capture_pageview: true, capture_pageleave: true })
    await settle()
    const session = analytics.get_session_id()
    await settle(29 * 60_000)
    pageEvent('pagehide', true)
    await settle(29 * 60_000)
    expect(analytics.capture('x')!.properties.$session_id).toBe(session)
  })
})

describe('two clients in one browser', () => {
  // A second fake clock would drop the timers of the first.
  const both = async () => {
    const { analytics: one, settle } = startAnalytics()
    await settle()
    return [one, startAnalytics().analytics] as const
  }

  test('share one visitor and session immediately after a reset', async () => {
    const [one, two] = await both()
    one.identify('ada')
    two.register({ plan: 'gold' })
    two.register_for_session({ basket: 7 })
    const before = two.capture('x')!.properties
    expect(before).toMatchObject({ distinct_id: 'ada', $session_id: one.get_session_id() })
    one.reset()
    const after = [two, one, two, one].map((each) => each.capture('x')!.properties)
    for (const properties of after) {
      expect(properties).toMatchObject({
        distinct_id: one.get_distinct_id(),
        $session_id: one.get_session_id(),
        $is_identified: false,
      })
      for (const name of ['plan', 'basket', '$user_id']) expect(properties).not.toHaveProperty(name)
    }
    expect(after[0]!.$session_id).not.toBe(before.$session_id)
    expect(after[0]!.$window_id).toBe(after[2]!.$window_id)
    expect(after[1]!.$window_id).toBe(after[3]!.$window_id)
  })

  test('link an id to the visitor after the reset, not to the previous one', async () => {
    const [one, two] = await both()
    one.identify('ada')
    one.reset()
    two.identify('grace')
    expect(two.explain('$identify')).toHaveLength(1)
    expect([one.capture('x')!.properties.distinct_id, two.get_distinct_id()]).toEqual(['grace', 'grace'])
    expect(one.capture('x')!.properties.$device_id).toBe(two.get_property('$device_id'))
  })

  test('keep the super properties each of them registers', async () => {
    const { analytics: one, settle } = startAnalytics()
    await settle()
    const { analytics: two } = startAnalytics()
    one.register({ a: 1 })
    two.register({ b: 2 })
    await settle()
    for (const each of [one, two]) expect(each.capture('x')!.properties).toMatchObject({ a: 1, b: 2 })
    one.unregister('b')
    await settle()
    expect(two.capture('x')!.properties).not.toHaveProperty('b')
  })

  test('follow a reset when the clock was set back after an earlier reset', async () => {
    const { analytics: one, settle } = startAnalytics()
    one.reset()
    await settle()
    jest.setSystemTime(Date.now() - 86_400_000)
    const { analytics: two } = startAnalytics()
    const before = one.get_distinct_id()
    one.reset()
    expect(one.get_distinct_id()).not.toBe(before)
    expect(two.capture('x')!.properties.distinct_id).toBe(one.get_distinct_id())
    await settle()
    expect(one.capture('x')!.properties.distinct_id).toBe(two.get_distinct_id())
  })
})

describe('the stored state', () => {
  const stored = () => localStorage.getItem('ph_token_posthog')

  test.each([
    ['another tab clears it', () => new StorageEvent('storage', { key: null, storageArea: localStorage })],
    ['the page that cleared it is left', () => Object.assign(new Event('pagehide'), { persisted: false })],
  ])('is written again without an event when %s', async (_, event) => {
    const { analytics, settle } = startAnalytics({ persistence: 'localStorage' })
    analytics.register({ plan: 'gold' })
    await settle()
    localStorage.clear()
    window.dispatchEvent(event())
    await settle(0)
    expect(JSON.parse(stored()!)).toMatchObject({ distinct_id: analytics.get_distinct_id(), plan: 'gold' })
  })

  test('is not written after an opt-out in another tab before this tab receives the storage event', async () => {
    const { analytics, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    analytics.opt_in_capturing()
    await settle()
    analytics.register({ plan: 'gold' })
    localStorage.setItem('__ph_opt_in_out_token', '0')
    localStorage.removeItem('ph_token_posthog')
    await settle(0)
    expect(stored()).toBeNull()
  })
})

describe('consent', () => {
  test('denied in one tab drops queued events in the other', async () => {
    const { analytics: one } = startAnalytics()
    const { analytics: two, sent, settle } = startAnalytics()
    one.capture('x')
    two.opt_out_capturing()
    window.dispatchEvent(new StorageEvent('storage', { key: '__ph_opt_in_out_token', newValue: '0' }))
    await settle()
    expect(sent).toEqual([])
    expect(one.drops()).toEqual({ opted_out: 1 })
  })

  test('granted after a denial starts a new visitor and device in cookieless mode', async () => {
    const { analytics, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    const idsOf = () => {
      const { distinct_id, $device_id } = analytics.capture('x')!.properties
      return [distinct_id, $device_id]
    }
    analytics.opt_in_capturing()
    const before = idsOf()
    analytics.opt_out_capturing()
    await settle()
    analytics.opt_in_capturing()
    const after = idsOf()
    expect(after).toEqual([expect.any(String), expect.any(String)])
    expect(after.filter((id) => before.includes(id))).toEqual([])
  })

  test('granted earlier does not override Do Not Track', () => {
    const { analytics } = startAnalytics({ respect_dnt: true })
    analytics.opt_in_capturing()
    Object.defineProperty(navigator, 'doNotTrack', { value: '1', configurable: true })
    expect(analytics.capture('x')).toBeUndefined()
    delete (navigator as { doNotTrack?: unknown }).doNotTrack
    expect(analytics.capture('x')).toBeDefined()
  })

  test('granted in one tab shares the visitor of its first event with the other', async () => {
    const { analytics: one, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    await settle()
    const { analytics: two } = startAnalytics({ cookieless_mode: 'on_reject' })
    const captured: unknown[] = []
    one.on('eventCaptured', ({ properties }) => captured.push(properties.distinct_id))
    one.opt_in_capturing()
    const after = [two, one].map((each) => each.capture('x')!.properties.distinct_id)
    expect(after).toEqual([captured[0], captured[0]])
  })

  test.each([
    [{}, true, false],
    [{ opt_out_capturing_by_default: true }, false, true],
    [{ cookieless_mode: 'on_reject' as const }, false, true],
  ])('with %j and no decision: opted in %s, opted out %s', (options, isIn, isOut) => {
    const { analytics } = startAnalytics(options)
    expect([analytics.has_opted_in_capturing(), analytics.has_opted_out_capturing()]).toEqual([isIn, isOut])
    analytics.opt_out_capturing()
    expect([analytics.has_opted_in_capturing(), analytics.has_opted_out_capturing()]).toEqual([false, true])
    analytics.opt_in_capturing()
    expect([analytics.has_opted_in_capturing(), analytics.has_opted_out_capturing()]).toEqual([true, false])
  })

  test("undecided with cookieless_mode: 'on_reject' and opt_out_capturing_by_default captures anonymous events", async () => {
    const { analytics, sent, settle } = startAnalytics({
      cookieless_mode: 'on_reject',
      opt_out_capturing_by_default: true,
    })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({ distinct_id: '$posthog_cookieless', $cookieless_mode: true })
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
    expect(analytics.is_capturing()).toBe(true)
    analytics.opt_in_capturing()
    expect(analytics.capture('x')!.properties.distinct_id).toBe(analytics.get_distinct_id())
    expect(analytics.get_distinct_id()).not.toBe('$posthog_cookieless')
  })

  test('denied removes the ids from every storage', async () => {
    const { analytics, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    analytics.opt_in_capturing()
    await settle()
    expect(sessionStorage.getItem('ph_token_window_id')).toBeTruthy()
    analytics.opt_out_capturing()
    analytics.capture('x')
    await settle(6000)
    pageEvent('pagehide', false)
    expect([Object.keys(localStorage), sessionStorage.length, document.cookie]).toEqual([
      ['__ph_opt_in_out_token'],
      0,
      '',
    ])
  })

  test('granted in another tab starts pending captures in this one', async () => {
    const { sent, settle } = startAnalytics({ capture_pageview: true, opt_out_capturing_by_default: true })
    await settle()
    localStorage.setItem('__ph_opt_in_out_token', '1')
    window.dispatchEvent(new StorageEvent('storage', { key: '__ph_opt_in_out_token', storageArea: localStorage }))
    await settle()
    expect(names(sent)).toEqual(['$pageview'])
  })

  test('granted in another tab does not drop queued events', () => {
    const { analytics } = startAnalytics({ persistence: 'memory' })
    analytics.capture('x')
    localStorage.setItem('__ph_opt_in_out_token', '1')
    window.dispatchEvent(
      new StorageEvent('storage', { key: '__ph_opt_in_out_token', storageArea: localStorage, newValue: '1' }),
    )
    expect(analytics.drops()).toEqual({})
  })
})

describe('person events', () => {
  test.each([
    ['after identify', { person_profiles: 'identified_only' as const }, true],
    ["with person_profiles: 'always'", { person_profiles: 'always' as const }, false],
  ])('createPersonProfile %s sends no additional event', async (_, options, isNamed) => {
    const { analytics, sent, settle } = startAnalytics(options)
    if (isNamed) analytics.identify('ada')
    analytics.createPersonProfile()
    await settle()
    expect(names(sent)).toEqual(isNamed ? ['$identify'] : [])
  })

  test.each([
    ['an anonymous visitor', 'ada'],
    ['a visitor who already has the id', undefined],
  ])('identify of %s and setPersonProperties with equal properties send one event', async (_, id) => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.identify(id ?? analytics.get_distinct_id(), { plan: 'gold' }, { first: 1 })
    analytics.setPersonProperties({ plan: 'gold' }, { first: 1 })
    await settle()
    expect(names(sent)).toEqual([id ? '$identify' : '$set'])
    analytics.setPersonProperties({ plan: 'lead' })
    await settle()
    expect(names(sent)).toEqual([id ? '$identify' : '$set', '$set'])
  })

  test.each([[undefined], [''], ['null'], [null], [{}], [10n]])(
    'alias(%p) sends nothing and logs one message',
    async (id) => {
      const lines = listenToConsole('error')
      const { analytics, sent, settle } = startAnalytics()
      analytics.alias(id as never)
      await settle()
      expect(sent).toEqual([])
      expect(lines).toEqual([expect.stringContaining('alias() expects an id (string), got')])
    },
  )
})

describe('reset', () => {
  test('switches to the person of an identified bootstrap', () => {
    const { analytics } = startAnalytics()
    const device = analytics.get_property('$device_id')
    analytics.reset({ bootstrap: { distinctID: 'ada', isIdentifiedID: true } })
    expect(analytics.capture('x')!.properties).toMatchObject({
      distinct_id: 'ada',
      $device_id: device,
      $is_identified: true,
      $process_person_profile: true,
    })
    analytics.reset({ resetDeviceID: true, bootstrap: { distinctID: 'grace', isIdentifiedID: true } })
    expect(analytics.get_property('$device_id')).not.toBe(device)
    expect(analytics.get_property('$device_id')).not.toBe('grace')
    analytics.reset({ bootstrap: { isIdentifiedID: true } })
    expect(analytics.capture('x')!.properties.$is_identified).toBe(false)
  })

  test.each<[unknown, string?]>([
    [null],
    [{ bootstrap: null }],
    [{ bootstrap: 'ada' }, 'bootstrap expects object, got "ada". It is ignored'],
    [{ bootstrap: { distinctID: '' } }],
    [{ bootstrap: { distinctID: 'null', isIdentifiedID: true } }],
    [{ bootstrap: { distinctID: 5, isIdentifiedID: true } }],
  ])('begins a new anonymous visitor after reset(%j)', (...[input, line]) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.identify('old')
    analytics.reset(input as never)
    const { distinct_id, $is_identified } = analytics.capture('x')!.properties
    expect(distinct_id).toMatch(/^[0-9a-f-]{36}$/)
    expect($is_identified).toBe(false)
    expect(lines).toEqual(line ? [expect.stringContaining(line)] : [])
  })

  test('a bootstrapped id that identifies nobody does not replace the visitor', () => {
    localStorage.setItem('ph_token_posthog', JSON.stringify({ distinct_id: 'known', $device_id: 'known' }))
    const { analytics } = startAnalytics({ bootstrap: { distinctID: 'undefined' } })
    expect(analytics.get_distinct_id()).toBe('known')
  })

  test('works when the stored time of the previous reset is invalid', () => {
    localStorage.setItem('ph_token_posthog', JSON.stringify({ distinct_id: 'old', $last_posthog_reset: 'never' }))
    const { analytics } = startAnalytics()
    analytics.reset()
    expect(analytics.capture('x')!.properties.distinct_id).not.toBe('old')
  })
})

test('config contains the token', () => {
  expect(startAnalytics({}, ' my-token ').analytics.config.token).toBe('my-token')
})

test('a registered $referrer overrides the detected one in events', () => {
  const { analytics } = startAnalytics()
  expect(analytics.capture('x')!.properties.$referrer).toBe('$direct')
  analytics.register({ $referrer: 'https://partner.example/' })
  history.pushState(null, '', '/next')
  expect(analytics.capture('x')!.properties).toMatchObject({
    $referrer: 'https://partner.example/',
    $referring_domain: '$direct',
  })
})
