import { itIsAnOption, namesOf, tableOf } from '../../support/specRows'
import { listenToConsole, startAnalytics } from '../../support/startAnalytics'
import { MAIN_OPTIONS } from './rows'

// The specification, "Main options": what happens to an event.
const { row, close } = tableOf(...MAIN_OPTIONS.events)

row('before_send', () => {
  itIsAnOption('before_send', { fallback: expect.any(Function), wrong: [5, 'x', null, {}], right: () => null })

  test('returns events unchanged by default', () => {
    const { analytics } = startAnalytics()
    const event = { uuid: 'u', event: 'x', properties: { a: 1 }, timestamp: new Date() }
    expect((analytics.config.before_send as (input: typeof event) => unknown)(event)).toEqual(event)
  })

  test('modifies an event before it is sent', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => ({ ...event, event: `${event.event}!`, properties: { ...event.properties, more: 1 } }),
    })
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([expect.objectContaining({ event: 'x!', properties: expect.objectContaining({ more: 1 }) })])
  })

  test.each([[null], [undefined]])('rejects an event by returning %p', async (result) => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => (event.event === 'no' ? result : event),
    })
    expect(analytics.capture('no')).toBeUndefined()
    analytics.capture('yes')
    await settle()
    expect(namesOf(sent)).toEqual(['yes'])
  })

  test('receives automatic events too', async () => {
    const { sent, settle } = startAnalytics({
      capture_pageview: true,
      before_send: (event) => (event.event === '$pageview' ? null : event),
    })
    await settle()
    expect(sent).toEqual([])
  })

  test('can be changed by set_config', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('a')
    analytics.set_config({ before_send: () => null })
    analytics.capture('b')
    await settle()
    expect(namesOf(sent)).toEqual(['a'])
  })
})

row('custom_blocked_useragents', () => {
  itIsAnOption('custom_blocked_useragents', { fallback: [], wrong: ['bot', 5, null, {}, [5]], right: ['my-bot'] })

  test('drops events of a matching user agent, ignoring case', async () => {
    const { analytics, sent, settle } = startAnalytics({
      opt_out_useragent_filter: false,
      custom_blocked_useragents: ['APPLEWEBKIT/'],
    })
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.drops()).toEqual({ bot: 1 })
  })

  test('sends events of other user agents', async () => {
    const { analytics, sent, settle } = startAnalytics({
      opt_out_useragent_filter: false,
      custom_blocked_useragents: ['another'],
    })
    analytics.capture('x')
    await settle()
    expect(namesOf(sent)).toEqual(['x'])
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
    expect(analytics.capture('x')).toBeDefined()
    analytics.set_config({ custom_blocked_useragents: ['applewebkit'] })
    expect(analytics.capture('x')).toBeUndefined()
  })
})

row('opt_out_useragent_filter', () => {
  itIsAnOption('opt_out_useragent_filter', { fallback: false, wrong: ['yes', 1, null], right: true })

  const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
  const captureAs = (agent: string, opt_out_useragent_filter: boolean | undefined) => {
    jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
    return startAnalytics({ opt_out_useragent_filter }).analytics.capture('x')
  }
  const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

  test.each([[false], [undefined]])('%p: drops events of a bot', (filter) =>
    expect(captureAs(BOT, filter)).toBeUndefined(),
  )
  test.each([[false], [undefined]])('%p: sends events of a browser without $browser_type', (filter) =>
    expect(captureAs(PERSON, filter)!.properties).not.toHaveProperty('$browser_type'),
  )
  test('sends events of a bot with $browser_type bot when true', () =>
    expect(captureAs(BOT, true)!.properties.$browser_type).toBe('bot'))
  test('sends events of a browser with $browser_type browser when true', () =>
    expect(captureAs(PERSON, true)!.properties.$browser_type).toBe('browser'))

  test('can be changed by set_config', () => {
    jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(BOT)
    const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
    expect(analytics.capture('x')).toBeUndefined()
    analytics.set_config({ opt_out_useragent_filter: true })
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('person_profiles', () => {
  itIsAnOption('person_profiles', { fallback: 'identified_only', wrong: ['sometimes', 5, null, true], right: 'always' })

  const profile = (analytics: { capture(name: string): { properties: Record<string, unknown> } | undefined }) =>
    analytics.capture('x')!.properties.$process_person_profile
  test('always: processes a person profile for every event', () =>
    expect(profile(startAnalytics({ person_profiles: 'always' }).analytics)).toBe(true))
  test('identified_only: processes a person profile for identified visitors only', () => {
    const { analytics } = startAnalytics({ person_profiles: 'identified_only' })
    expect(profile(analytics)).toBe(false)
    analytics.identify('u1')
    expect(profile(analytics)).toBe(true)
  })
  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    expect(profile(analytics)).toBe(false)
    analytics.set_config({ person_profiles: 'always' })
    expect(profile(analytics)).toBe(true)
  })
})

row('property_denylist', () => {
  itIsAnOption('property_denylist', { fallback: [], wrong: ['secret', 5, null, {}, [5]], right: ['secret'] })

  test('removes the listed properties from every source', async () => {
    const { analytics, sent, settle } = startAnalytics({ property_denylist: ['secret', 'plan', '$current_url'] })
    analytics.register({ plan: 'gold' })
    analytics.capture('x', { secret: 1, open: 1 })
    await settle()
    for (const name of ['secret', 'plan', '$current_url']) expect(sent[0]!.properties).not.toHaveProperty(name)
    expect(sent[0]!.properties.open).toBe(1)
  })

  test('removes listed properties that the SDK adds last', async () => {
    const denied = [
      '$process_person_profile',
      '$is_identified',
      '$lib_rate_limit_remaining_tokens',
      '$session_id',
      '$browser_type',
      '$active_feature_flags',
    ]
    const { analytics, sent, settle } = startAnalytics({
      property_denylist: denied,
      bootstrap: { featureFlags: { a: true } },
    })
    analytics.capture('x')
    await settle()
    for (const name of denied) expect(sent[0]!.properties).not.toHaveProperty([name])
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    analytics.set_config({ property_denylist: ['secret'] })
    expect(analytics.capture('x', { secret: 1 })!.properties).not.toHaveProperty('secret')
    analytics.set_config({ property_denylist: [] })
    expect(analytics.capture('x', { secret: 1 })!.properties.secret).toBe(1)
  })
})

row('rate_limiting', () => {
  itIsAnOption('rate_limiting', {
    fallback: { events_per_second: 10, events_burst_limit: 100 },
    wrong: [5, 'x', null, []],
    right: { events_per_second: 1 },
  })

  const arrive = async (config: object) => {
    listenToConsole('error')
    const { analytics, sent, settle } = startAnalytics(config)
    for (let index = 0; index < 300; index++) analytics.capture('x')
    await settle()
    return sent.filter(({ event }) => event === 'x').length
  }
  test('allows a burst of 100 events by default', async () => expect(await arrive({})).toBe(100))
  test('allows a burst of events_burst_limit events', async () =>
    expect(await arrive({ rate_limiting: { events_per_second: 1, events_burst_limit: 7 } })).toBe(7))
  test('allows a burst of 10 times events_per_second without events_burst_limit', async () =>
    expect(await arrive({ rate_limiting: { events_per_second: 3 } })).toBe(30))
  test('uses 10 events per second without events_per_second', async () =>
    expect(await arrive({ rate_limiting: {} })).toBe(100))
  test.each([
    ['events_per_second', 'many'],
    ['events_burst_limit', null],
  ])('%s %j: logs one message that names it and uses the default', async (name, value) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ rate_limiting: { [name]: value } })
    expect(lines).toEqual([expect.stringContaining(`rate_limiting.${name} expects`)])
    for (let index = 0; index < 150; index++) analytics.capture('x')
    expect(analytics.drops()).toEqual({ rate_limited: 50 })
  })

  test('limits the average rate to events_per_second', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics({ rate_limiting: { events_per_second: 5, events_burst_limit: 5 } })
    let through = 0
    for (let second = 0; second < 20; second++) {
      for (let index = 0; index < 30; index++) through += analytics.capture('x') ? 1 : 0
      jest.advanceTimersByTime(1000)
    }
    expect(through).toBe(100)
  })

  test('can be changed by set_config', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.set_config({ rate_limiting: { events_per_second: 1, events_burst_limit: 2 } })
    expect([1, 2, 3].map(() => !!analytics.capture('x'))).toEqual([true, true, false])
  })
})

close()
