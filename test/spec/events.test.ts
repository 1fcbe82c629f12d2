import { AS_SHIPPED, act, leavePage, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Events". flagOptions.test.ts covers how often `$feature_flag_called` is captured.
const { row, close } = tableOf(
  'pageview',
  'pageleave',
  'dead click',
  'rage click',
  'autocaptured events',
  '$feature_flag_called',
  'custom events',
  '$identify, $set, $set_once',
  'property $browser_type (bot or browser)',
)

const BUTTON = '<button id="b">Buy</button>'

test('captures every documented event for a site that passes only its token', async () => {
  show(BUTTON)
  const { analytics, sent, settle } = startAnalytics({ ...AS_SHIPPED })
  await settle()
  act('#b', 'click', 3)
  analytics.capture('purchase')
  analytics.identify('u1')
  await settle()
  expect([...new Set(namesOf(sent))].sort()).toEqual([
    '$autocapture',
    '$dead_click',
    '$identify',
    '$pageview',
    '$rageclick',
    'purchase',
  ])
  expect(await leavePage(settle)).toEqual(['$pageleave'])
})

row('pageview', () => {
  test('is captured at page load when capture_pageview is on', async () => {
    const { sent, settle } = startAnalytics({ capture_pageview: true })
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.$current_url])).toEqual([
      ['$pageview', 'http://localhost/'],
    ])
  })
  test('is captured on a history change', async () => {
    const { sent, settle } = startAnalytics({ capture_pageview: 'history_change' })
    await settle()
    history.pushState(null, '', '/two')
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.$current_url])).toEqual([
      ['$pageview', 'http://localhost/'],
      ['$pageview', 'http://localhost/two'],
    ])
  })
  test('is not captured when capture_pageview is off', async () => {
    const { sent, settle } = startAnalytics({ capture_pageview: false })
    await settle()
    history.pushState(null, '', '/two')
    await settle()
    expect(sent).toEqual([])
  })
})

row('pageleave', () => {
  test('is captured when capture_pageleave is on', async () =>
    expect(await leavePage(startAnalytics({ capture_pageleave: true }).settle)).toEqual(['$pageleave']))
  test('is not captured when capture_pageleave is off', async () =>
    expect(await leavePage(startAnalytics({ capture_pageleave: false }).settle)).toEqual([]))
})

row('dead click', () => {
  test('is captured when nothing follows a click', async () => {
    show(BUTTON)
    const { sent, settle } = startAnalytics({ capture_dead_clicks: true })
    act('#b')
    await settle(10_000)
    expect(namesOf(sent)).toEqual(['$dead_click'])
  })
  test('is not captured when the page responds to the click', async () => {
    show(BUTTON)
    const { sent, settle } = startAnalytics({ capture_dead_clicks: true })
    document.querySelector('#b')!.addEventListener('click', () => document.body.append('done'))
    act('#b')
    await settle(10_000)
    expect(sent).toEqual([])
  })
  test('is not captured when capture_dead_clicks is off', async () => {
    listenToConsole('warn')
    show(BUTTON)
    const { sent, settle } = startAnalytics({ capture_dead_clicks: false })
    act('#b')
    await settle(10_000)
    expect(sent).toEqual([])
  })
})

row('rage click', () => {
  const clicks = async (rageclick: boolean, pauses: number[]) => {
    show(BUTTON)
    const { sent, settle } = startAnalytics({ rageclick })
    for (const pause of [0, ...pauses]) {
      await settle(pause)
      act('#b')
    }
    await settle()
    return sent.map(({ event, properties }) => [event, properties.$el_text])
  }
  test('is captured for three quick clicks in one spot', async () =>
    expect(await clicks(true, [100, 100])).toEqual([['$rageclick', 'Buy']]))
  test('is not captured for two clicks', async () => expect(await clicks(true, [100])).toEqual([]))
  test('is not captured for three slow clicks', async () => expect(await clicks(true, [1500, 1500])).toEqual([]))
  test('is not captured when rageclick is off', async () => expect(await clicks(false, [100, 100])).toEqual([]))
})

row('autocaptured events', () => {
  test.each([
    [true, ['$autocapture']],
    [false, []],
  ])('with autocapture: %p a click captures %j', async (autocapture, expected) => {
    show(BUTTON)
    const { sent, settle } = startAnalytics({ autocapture })
    await settle()
    act('#b')
    await settle()
    expect(namesOf(sent)).toEqual(expected)
  })
})

row('$feature_flag_called', () => {
  test('is captured when a feature flag is evaluated', async () => {
    const { analytics, sent, settle } = startAnalytics({ bootstrap: { featureFlags: { beta: 'b' } } })
    analytics.getFeatureFlag('beta')
    analytics.getFeatureFlag('beta')
    await settle()
    expect(
      sent.map(({ event, properties }) => [event, properties.$feature_flag, properties.$feature_flag_response]),
    ).toEqual([['$feature_flag_called', 'beta', 'b']])
  })
})

row('custom events', () => {
  test('are captured by analytics.capture', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('purchase', { amount: 42, lines: [{ sku: 'a' }] })
    analytics.capture('purchase')
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.amount, properties.lines])).toEqual([
      ['purchase', 42, [{ sku: 'a' }]],
      ['purchase', undefined, undefined],
    ])
  })
})

row('$identify, $set, $set_once', () => {
  test('are captured by identify with both ids, $set and $set_once', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const before = analytics.get_distinct_id()
    analytics.identify('u1', { plan: 'gold' }, { first_plan: 'lead' })
    await settle()
    expect(sent).toEqual([
      expect.objectContaining({
        event: '$identify',
        properties: expect.objectContaining({ distinct_id: 'u1', $anon_distinct_id: before }),
        $set: { plan: 'gold' },
        $set_once: expect.objectContaining({ first_plan: 'lead' }),
      }),
    ])
  })
  test('are captured by setPersonProperties with $set and $set_once', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties({ plan: 'gold' }, { first_plan: 'lead' })
    await settle()
    expect(sent).toEqual([
      expect.objectContaining({
        event: '$set',
        properties: expect.objectContaining({ $set: { plan: 'gold' }, $set_once: { first_plan: 'lead' } }),
      }),
    ])
  })
  test('are captured by setPersonProperties with $set_once only', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.setPersonProperties(undefined, { first_plan: 'lead' })
    await settle()
    expect(sent).toEqual([
      expect.objectContaining({
        event: '$set',
        properties: expect.objectContaining({ $set_once: { first_plan: 'lead' } }),
      }),
    ])
  })
  test('are added to the event by the options of capture', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('x', {}, { $set: { plan: 'gold' }, $set_once: { first_plan: 'lead' } })
    await settle()
    expect(sent[0]).toMatchObject({ $set: { plan: 'gold' }, $set_once: { first_plan: 'lead' } })
  })
})

row('property $browser_type (bot or browser)', () => {
  test.each([
    [true, 'Googlebot/2.1', 'bot'],
    [true, 'Mozilla/5.0 Firefox/140.0', 'browser'],
    [false, 'Mozilla/5.0 Firefox/140.0', undefined],
  ])(
    'with opt_out_useragent_filter: %p an event of %s has the value %s',
    async (opt_out_useragent_filter, agent, expected) => {
      jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
      const { analytics, sent, settle } = startAnalytics({ opt_out_useragent_filter })
      analytics.capture('x')
      await settle()
      expect(sent.map(({ properties }) => properties.$browser_type)).toEqual([expected])
    },
  )
  test('cannot be overridden by the caller', async () => {
    const { analytics, sent, settle } = startAnalytics({ opt_out_useragent_filter: true })
    analytics.capture('x', { $browser_type: 'bot' })
    await settle()
    expect(sent[0]!.properties.$browser_type).toBe('browser')
  })
})

close()
