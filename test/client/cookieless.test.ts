import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const stored = () => [localStorage.getItem('ph_token_posthog'), sessionStorage.length, document.cookie]

describe("cookieless_mode: 'always'", () => {
  test('stores nothing and sends nothing that identifies the visitor', async () => {
    const { analytics, sent, settle } = startAnalytics({ cookieless_mode: 'always' })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({
      distinct_id: '$posthog_cookieless',
      $device_id: null,
      $cookieless_mode: true,
      $process_person_profile: false,
    })
    for (const name of ['$session_id', '$window_id', '$user_id', '$initialization_time'])
      expect(sent[0]!.properties).not.toHaveProperty(name)
    expect(stored()).toEqual([null, 0, ''])
    expect(analytics.get_distinct_id()).toBe('$posthog_cookieless')
  })

  test('sends no ids within the values of properties, such as those of web vitals', () => {
    const { analytics } = startAnalytics({ cookieless_mode: 'always' })
    const metric = { name: 'LCP', $session_id: 's', $window_id: 'w' }
    const event = analytics.capture('$web_vitals', { $web_vitals_LCP_event: metric, all: [metric] })!
    expect(event.properties).toMatchObject({ $web_vitals_LCP_event: { name: 'LCP' }, all: [{ name: 'LCP' }] })
    expect(JSON.stringify(event)).not.toMatch(/\$(session|window)_id/)
  })

  test('ignores identify and consent changes', () => {
    const lines = listenToConsole('warn')
    const { analytics } = startAnalytics({ cookieless_mode: 'always' })
    analytics.identify('ada')
    analytics.opt_out_capturing()
    expect(analytics.get_distinct_id()).toBe('$posthog_cookieless')
    expect(analytics.is_capturing()).toBe(true)
    expect(lines.join('\n')).toMatch(/identify does nothing with cookieless_mode[\s\S]*consent does nothing/)
    expect(localStorage.length).toBe(0)
  })

  test('requests flags without a person', async () => {
    const { apiRequests, settle } = startAnalytics({ cookieless_mode: 'always' })
    await settle(100)
    expect(apiRequests[0]!.body).toMatchObject({ distinct_id: '$posthog_cookieless' })
    expect(apiRequests[0]!.body).not.toHaveProperty('$device_id')
  })
})

describe("cookieless_mode: 'on_reject'", () => {
  test('captures and stores nothing before the visitor decides', async () => {
    const { analytics, sent, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([])
    expect(stored()).toEqual([null, 0, ''])
    expect(analytics.drops()).toEqual({ opted_out: 1 })
  })

  test('captures anonymous events after consent is denied', async () => {
    const { analytics, sent, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    analytics.opt_out_capturing()
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties).toMatchObject({ distinct_id: '$posthog_cookieless', $cookieless_mode: true })
    expect(stored()).toEqual([null, 0, ''])
  })

  test('captures normally after consent is granted and starts a new visitor after a denial', async () => {
    const { analytics, sent, settle } = startAnalytics({ cookieless_mode: 'on_reject' })
    analytics.opt_out_capturing()
    analytics.opt_in_capturing()
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['$opt_in', 'x'])
    expect(sent[1]!.properties).toMatchObject({
      distinct_id: analytics.get_distinct_id(),
      $session_id: analytics.get_session_id(),
    })
    expect(sent[1]!.properties).not.toHaveProperty('$cookieless_mode')
    expect(localStorage.getItem('ph_token_posthog')).toContain(analytics.get_distinct_id())
  })
})
