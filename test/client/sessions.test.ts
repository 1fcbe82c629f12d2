import { startAnalytics, type Started } from '../support/startAnalytics'

const IDLE = 31 * 60 * 1000

describe('onSessionId', () => {
  test('calls listeners with the current session immediately and with each new session before its first event', async () => {
    const { analytics, settle } = startAnalytics()
    const received: unknown[][] = []
    const stop = analytics.onSessionId((...args) => received.push(args))
    expect(received).toEqual([])
    const first = analytics.get_session_id()
    expect(received).toEqual([
      [
        first,
        expect.any(String),
        { noSessionId: true, activityTimeout: false, sessionPastMaximumLength: false, crossTabAdoption: false },
      ],
    ])
    const late: unknown[][] = []
    analytics.onSessionId((...args) => late.push(args))
    expect(late).toEqual([[first, received[0]![1]]])
    await settle(IDLE)
    analytics.on('eventCaptured', () => received.push(['event']))
    analytics.capture('x')
    expect(received.slice(1)).toEqual([
      [analytics.get_session_id(), expect.any(String), expect.objectContaining({ activityTimeout: true })],
      ['event'],
    ])
    stop()
    await settle(IDLE)
    analytics.capture('x')
    expect(received).toHaveLength(4)
  })
})

test('get_session_id starts a session with its entry attributes', () => {
  history.replaceState(null, '', '/landing?utm_source=news')
  const { analytics } = startAnalytics()
  analytics.get_session_id()
  expect(analytics.capture('x')!.properties).toMatchObject({
    $session_entry_pathname: '/landing',
    $session_entry_utm_source: 'news',
  })
})

describe('register_for_session', () => {
  test('keeps values until the session ends and does not remove the campaign of the tab', async () => {
    history.replaceState(null, '', '/landing?utm_source=news')
    const { analytics, settle } = startAnalytics()
    analytics.register_for_session({ basket: 7 })
    expect(analytics.capture('x')!.properties).toMatchObject({ basket: 7, utm_source: 'news' })
    await settle(IDLE / 2)
    expect(analytics.capture('x')!.properties).toMatchObject({ basket: 7, utm_source: 'news' })
    await settle(IDLE)
    const { properties } = analytics.capture('x')!
    expect(properties).toMatchObject({ utm_source: 'news', $referrer: '$direct' })
    expect(properties).not.toHaveProperty('basket')
    expect(analytics.getSessionProperty('basket')).toBeUndefined()
  })

  test('drops values when the session ends after a reload', async () => {
    const first = startAnalytics()
    first.analytics.register_for_session({ basket: 7 })
    first.analytics.capture('x')
    await first.settle()
    const { analytics } = startAnalytics()
    jest.setSystemTime(Date.now() + IDLE)
    expect(analytics.capture('x')!.properties).not.toHaveProperty('basket')
  })

  describe('in a tab reloaded after another tab', () => {
    /** Runs `other` as another tab of the browser, between two pages of a tab that registered a value. */
    const reloadAfter = async (other: (tab: Started) => void) => {
      const page = startAnalytics()
      page.analytics.register_for_session({ basket: 7 })
      page.analytics.capture('x')
      await page.settle()
      await page.analytics.shutdown()
      const tabStorage = { ...sessionStorage }
      sessionStorage.clear()
      const otherTab = startAnalytics()
      other(otherTab)
      await otherTab.settle()
      sessionStorage.clear()
      for (const name in tabStorage) sessionStorage.setItem(name, tabStorage[name])
      return startAnalytics().analytics
    }

    test.each<[how: string, other: (tab: Started) => void]>([
      [
        'that started a new session',
        ({ analytics }) => {
          analytics.sessionManager.resetSessionId()
          analytics.capture('x')
        },
      ],
      ['that ended the session', ({ analytics }) => analytics.sessionManager.resetSessionId()],
      ['that was reset', ({ analytics }) => analytics.reset()],
    ])('%s: drops the values', async (_, other) => {
      const analytics = await reloadAfter(other)
      expect(analytics.getSessionProperty('basket')).toBeUndefined()
      analytics.register_for_session({ theme: 'dark' })
      expect(analytics.capture('x')!.properties).not.toHaveProperty('basket')
      expect(analytics.capture('x')!.properties).toMatchObject({ theme: 'dark' })
    })

    test('that captured an event: keeps the values', async () => {
      const analytics = await reloadAfter((tab) => tab.analytics.capture('x'))
      expect(analytics.capture('x')!.properties).toMatchObject({ basket: 7 })
    })
  })
})

test('reset ends the session', () => {
  const { analytics } = startAnalytics()
  const first = analytics.get_session_id()
  const reasons: unknown[] = []
  analytics.onSessionId((_, __, reason) => reason && reasons.push(reason))
  analytics.reset()
  expect(analytics.get_session_id()).not.toBe(first)
  expect(reasons).toEqual([expect.objectContaining({ noSessionId: true })])
})

test('a pageview does not refer to a pageview of the previous session', async () => {
  const { analytics, settle } = startAnalytics()
  const names = () =>
    Object.keys(analytics.capture('$pageview')!.properties).filter((name) => name.startsWith('$prev_pageview'))
  names()
  expect(names()).toContain('$prev_pageview_id')
  await settle(IDLE)
  expect(names()).toEqual([])
})

test('a page restored from the back/forward cache prevents other tabs from using its window id', () => {
  startAnalytics()
  const mark = () => sessionStorage.getItem('ph_token_primary_window_exists')
  expect(mark()).toBe('true')
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }))
  expect(mark()).toBeNull()
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(mark()).toBe('true')
})

test('sessionManager.resetSessionId ends the session', () => {
  const { analytics } = startAnalytics()
  const first = analytics.get_session_id()
  analytics.sessionManager.resetSessionId()
  expect(analytics.get_session_id()).not.toBe(first)
})

test.each([
  ['api_host', {}, 'https://events.example.com'],
  ['ui_host', { ui_host: 'https://app.example.com/' }, 'https://app.example.com'],
  ['the public cloud', { api_host: 'https://eu.i.posthog.com' }, 'https://eu.posthog.com'],
])('get_session_replay_url uses the host of %s', async (_, options, host) => {
  const { analytics, settle } = startAnalytics(options)
  const url = `${host}/project/token/replay/${analytics.get_session_id()}`
  expect(analytics.get_session_replay_url()).toBe(url)
  await settle(60_000)
  expect(analytics.get_session_replay_url({ withTimestamp: true })).toBe(`${url}?t=50`)
  expect(analytics.get_session_replay_url({ withTimestamp: true, timestampLookBack: 100 })).toBe(`${url}?t=0`)
})

test('session_idle_timeout_seconds accepts values below and above the usual range', async () => {
  const { analytics, settle } = startAnalytics({ session_idle_timeout_seconds: 10 })
  const first = analytics.get_session_id()
  analytics.capture('x')
  await settle(9_000)
  analytics.capture('x')
  expect(analytics.get_session_id()).toBe(first)
  await settle(11_000)
  analytics.capture('x')
  expect(analytics.get_session_id()).not.toBe(first)
  const second = analytics.get_session_id()
  analytics.set_config({ session_idle_timeout_seconds: 40_000 })
  await settle(39_000_000)
  analytics.capture('x')
  expect(analytics.get_session_id()).toBe(second)
})
