import { AS_SHIPPED, act, itIsAnOption, namesOf, show, tableOf } from '../../support/specRows'
import { startAnalytics } from '../../support/startAnalytics'
import { BUTTON, ENTRY, holds, MAIN_OPTIONS } from './rows'

// The specification, "Main options": storage, consent and session.
const { row, close } = tableOf(...MAIN_OPTIONS.storage)

/** Everything stored in the browser. */
const stored = () => [localStorage.length, sessionStorage.length, document.cookie]

row('cross_subdomain_cookie', () => {
  itIsAnOption('cross_subdomain_cookie', { fallback: true, wrong: ['yes', 1, null], right: false })

  // crossSubdomainCookie.test.ts and e2e/scenarios/specRows.spec.ts cover hosts with several domain levels.
  test.each([[true], [false]])(
    '%p: sets the cookie for the current host when the host has one label',
    async (cross_subdomain_cookie) => {
      const { settle } = startAnalytics({ cross_subdomain_cookie })
      await settle()
      expect(holds().cookie).toBe(true)
    },
  )
})

row('disable_persistence', () => {
  itIsAnOption('disable_persistence', { fallback: false, wrong: ['yes', 1, null], right: true })

  test('stores no cookie, no session storage and no local storage when true', async () => {
    const { analytics, sent, settle } = startAnalytics({ ...AS_SHIPPED, disable_persistence: true })
    analytics.register({ plan: 'gold' })
    analytics.register_for_session({ tab: 1 })
    analytics.capture('x')
    await settle()
    expect(stored()).toEqual([0, 0, ''])
    expect(sent.find(({ event }) => event === 'x')!.properties).toMatchObject({ plan: 'gold', tab: 1 })
  })

  test('restores the visitor after a reload when false', async () => {
    const first = startAnalytics({ disable_persistence: false })
    await first.settle()
    expect(startAnalytics().analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test('clears and restores stored data when changed by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    const id = analytics.get_distinct_id()
    await settle()
    expect(holds()).toMatchObject({ localStorage: true, cookie: true })
    analytics.set_config({ disable_persistence: true })
    analytics.capture('x')
    await settle()
    expect(holds()).toEqual({ localStorage: false, sessionStorage: false, cookie: false })
    analytics.set_config({ disable_persistence: false })
    await settle()
    expect(holds()).toMatchObject({ localStorage: true, cookie: true })
    expect(analytics.get_distinct_id()).toBe(id)
  })
})

row('opt_out_capturing_by_default', () => {
  itIsAnOption('opt_out_capturing_by_default', { fallback: false, wrong: ['yes', 1, null], right: true })

  test('captures no manual and no automatic events until opt_in_capturing when true', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({
      ...AS_SHIPPED,
      opt_out_useragent_filter: true,
      opt_out_capturing_by_default: true,
    })
    analytics.capture('before')
    act('#b')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.has_opted_out_capturing()).toBe(true)
    analytics.opt_in_capturing()
    analytics.capture('after')
    act('#b')
    await settle()
    expect(namesOf(sent).sort()).toEqual(['$autocapture', '$dead_click', '$opt_in', '$pageview', 'after'])
  })

  test('captures events without an opt-in when false', () => {
    const { analytics } = startAnalytics({ opt_out_capturing_by_default: false })
    expect([analytics.has_opted_out_capturing(), analytics.capture('x')?.event]).toEqual([false, 'x'])
  })

  test('applies to visitors without a decision, and only to them, when changed by set_config', () => {
    const { analytics } = startAnalytics()
    analytics.set_config({ opt_out_capturing_by_default: true })
    expect(analytics.capture('x')).toBeUndefined()
    analytics.opt_in_capturing()
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('opt_out_persistence_by_default', () => {
  itIsAnOption('opt_out_persistence_by_default', { fallback: false, wrong: ['yes', 1, null], right: true })

  test.each([[true], [false]])(
    'stores nothing in the browser until opt_in_capturing when true (opt_out_capturing_by_default: %p)',
    async (opt_out_capturing_by_default) => {
      const { analytics, settle } = startAnalytics({
        opt_out_persistence_by_default: true,
        opt_out_capturing_by_default,
      })
      const id = analytics.get_distinct_id()
      analytics.capture('x')
      await settle()
      expect(stored()).toEqual([0, 0, ''])
      analytics.opt_in_capturing()
      await settle()
      expect(holds()).toMatchObject({ localStorage: true, cookie: true })
      expect(localStorage.getItem(ENTRY)).toContain(id)
    },
  )

  test('does not stop capturing when true', async () => {
    const { analytics, sent, settle } = startAnalytics({ opt_out_persistence_by_default: true })
    analytics.capture('x')
    await settle()
    expect(namesOf(sent)).toEqual(['x'])
  })

  test('restores a visitor who opted in earlier when true', async () => {
    const first = startAnalytics({ opt_out_persistence_by_default: true })
    first.analytics.opt_in_capturing()
    await first.settle()
    const again = startAnalytics({ opt_out_persistence_by_default: true })
    expect(again.analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test('clears stored data when turned on by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    await settle()
    expect(holds().localStorage).toBe(true)
    analytics.set_config({ opt_out_persistence_by_default: true })
    analytics.capture('x')
    await settle()
    expect(holds()).toEqual({ localStorage: false, sessionStorage: false, cookie: false })
  })
})

row('persistence', () => {
  itIsAnOption('persistence', {
    fallback: 'localStorage+cookie',
    wrong: ['disk', 'localstorage', 5, null],
    right: 'memory',
  })

  const BACKENDS = [
    ['localStorage', { localStorage: true, cookie: false }],
    ['sessionStorage', { localStorage: false, sessionStorage: true, cookie: false }],
    ['cookie', { localStorage: false, cookie: true }],
    ['memory', { localStorage: false, sessionStorage: false, cookie: false }],
    ['localStorage+cookie', { localStorage: true, cookie: true }],
  ] as const

  test.each(BACKENDS)('%s: stores the visitor only in this backend', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence })
    analytics.register({ plan: 'gold' })
    await settle()
    expect(holds()).toMatchObject(expected)
  })

  test.each(BACKENDS)('%s: restores the visitor after a reload, except for memory', async (persistence) => {
    const first = startAnalytics({ persistence })
    await first.settle()
    expect(startAnalytics({ persistence }).analytics.get_distinct_id() === first.analytics.get_distinct_id()).toBe(
      persistence !== 'memory',
    )
  })

  test.each(BACKENDS)('%s: set_config moves the visitor to this backend', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence: persistence === 'memory' ? 'localStorage' : 'memory' })
    const id = analytics.get_distinct_id()
    analytics.set_config({ persistence })
    await settle()
    expect(holds()).toMatchObject(expected)
    expect(analytics.get_distinct_id()).toBe(id)
  })
})

row('session_idle_timeout_seconds', () => {
  itIsAnOption('session_idle_timeout_seconds', { fallback: 1800, wrong: ['60', null, {}, NaN, 90.5], right: 600 })

  const survives = (config: object, seconds: number) => {
    const { analytics } = startAnalytics(config)
    const session = analytics.capture('x')!.properties.$session_id
    jest.advanceTimersByTime(seconds * 1000)
    return analytics.capture('x')!.properties.$session_id === session
  }
  test.each([
    [{}, 1799, true],
    [{}, 1801, false],
    [{ session_idle_timeout_seconds: 120 }, 119, true],
    [{ session_idle_timeout_seconds: 120 }, 121, false],
    [{ session_idle_timeout_seconds: 7200 }, 7199, true],
    [{ session_idle_timeout_seconds: 7200 }, 7201, false],
  ])('%j: keeps the session after %i idle seconds: %p', (config, seconds, expected) =>
    expect(survives(config, seconds)).toBe(expected),
  )

  test('is restarted by activity', () => {
    const { analytics } = startAnalytics()
    const session = analytics.get_session_id()
    for (let index = 0; index < 3; index++) {
      jest.advanceTimersByTime(1_700_000)
      analytics.capture('x')
    }
    expect(analytics.get_session_id()).toBe(session)
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    const session = analytics.capture('x')!.properties.$session_id
    analytics.set_config({ session_idle_timeout_seconds: 60 })
    jest.advanceTimersByTime(61_000)
    expect(analytics.capture('x')!.properties.$session_id).not.toBe(session)
  })
})

close()
