import { act, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Limits": each limit at its boundary with the default configuration. flagOptions.test.ts covers the limits of flags.
const { row, close } = tableOf(
  'events_per_second (rate_limiting)',
  'events_burst_limit (rate_limiting)',
  'session_idle_timeout_seconds',
  'feature_flag_request_timeout_ms',
  'remote_config_refresh_interval_ms',
  'content_ignorelist custom array',
  'feature_flag_cache_ttl_ms',
)

const captureMany = (capture: (name: string) => unknown, times: number) =>
  Array.from({ length: times }, () => capture('x')).filter(Boolean).length

row('events_per_second (rate_limiting)', () => {
  test('limits events to 10 per second on average once the burst is used up', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    captureMany(analytics.capture, 200)
    for (let second = 0; second < 5; second++) {
      jest.advanceTimersByTime(1000)
      expect(captureMany(analytics.capture, 50)).toBe(10)
    }
  })
  test('allows 10 events per second indefinitely', () => {
    const { analytics } = startAnalytics()
    for (let second = 0; second < 60; second++) {
      expect(captureMany(analytics.capture, 10)).toBe(10)
      jest.advanceTimersByTime(1000)
    }
  })
})

row('events_burst_limit (rate_limiting)', () => {
  test('allows a burst of 100 events and drops the next one by default', async () => {
    listenToConsole('error')
    const { analytics, sent, settle } = startAnalytics()
    expect(captureMany(analytics.capture, 101)).toBe(100)
    await settle()
    expect(namesOf(sent).filter((name) => name === 'x')).toHaveLength(100)
  })
  test.each([1, 4, 20])('defaults to 10 times an events_per_second of %i', (events_per_second) => {
    listenToConsole('error')
    const { analytics } = startAnalytics({ rate_limiting: { events_per_second } })
    expect(captureMany(analytics.capture, 500)).toBe(10 * events_per_second)
  })
})

row('session_idle_timeout_seconds', () => {
  test.each([
    [1800, true],
    [1801, false],
  ])('after %i idle seconds the session continues: %p', (seconds, expected) => {
    const { analytics } = startAnalytics()
    const session = analytics.capture('x')!.properties.$session_id
    jest.advanceTimersByTime(seconds * 1000)
    expect(analytics.capture('x')!.properties.$session_id === session).toBe(expected)
  })
})

row('feature_flag_request_timeout_ms', () => {
  test('is 3000 by default', () => expect(startAnalytics().analytics.config.feature_flag_request_timeout_ms).toBe(3000))
})

row('remote_config_refresh_interval_ms', () => {
  test('is 300000 by default', () =>
    expect(startAnalytics().analytics.config.remote_config_refresh_interval_ms).toBe(300_000))
})

row('content_ignorelist custom array', () => {
  test.each([
    [10, [], 0],
    [11, ['$rageclick'], 1],
  ])('with %i items the last item captures %j and logs %i messages', async (length, expected, count) => {
    const lines = listenToConsole('error')
    show(`<button id="b">word${length}</button>`)
    const { sent, settle } = startAnalytics({
      rageclick: { content_ignorelist: Array.from({ length }, (_, index) => `word${index + 1}`) },
    })
    act('#b', 'click', 3)
    await settle()
    expect(namesOf(sent)).toEqual(expected)
    expect(lines).toHaveLength(count)
  })
})

row('feature_flag_cache_ttl_ms', () => {
  test('is 0 by default', () => expect(startAnalytics().analytics.config.feature_flag_cache_ttl_ms).toBe(0))
})

close()
