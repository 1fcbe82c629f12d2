import { startAnalytics } from '../support/startAnalytics'

const pageEvent = (type: string, persisted: boolean) =>
  window.dispatchEvent(Object.assign(new Event(type), { persisted }))
const names = (sent: { event: string }[]) => sent.map(({ event }) => event)

test('captures one pageview per page load, in the task after init', async () => {
  document.title = 'Shop'
  const { sent, settle } = startAnalytics({ capture_pageview: true })
  await settle()
  expect(names(sent)).toEqual(['$pageview'])
  expect(sent[0]!.properties).toMatchObject({ title: 'Shop', $pageview_id: sent[0]!.uuid })
})

test('captures the pageview of a prerendered page when it is shown', async () => {
  Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
  const { sent, settle } = startAnalytics({ capture_pageview: true })
  await settle()
  expect(sent).toEqual([])
  Object.defineProperty(document, 'prerendering', { value: false, configurable: true })
  document.dispatchEvent(new Event('prerenderingchange'))
  await settle()
  expect(names(sent)).toEqual(['$pageview'])
})

test('history_change captures a pageview on path changes only, and true captures none', async () => {
  const { sent, analytics, settle } = startAnalytics({ capture_pageview: 'history_change' })
  await settle()
  history.pushState(null, '', '/a')
  await settle()
  history.replaceState(null, '', '/a?x=1#y')
  await settle()
  analytics.set_config({ capture_pageview: true })
  history.pushState(null, '', '/b')
  await settle()
  expect(sent.map(({ properties }) => [properties.$pathname, properties.navigation_type])).toEqual([
    ['/', undefined],
    ['/a', 'pushState'],
  ])
})

test('shutdown restores the history methods of the page', async () => {
  const { pushState, replaceState } = history
  const { analytics } = startAnalytics({ capture_pageview: 'history_change' })
  expect(history.pushState).not.toBe(pushState)
  expect(history.replaceState).not.toBe(replaceState)
  await analytics.shutdown()
  expect([history.pushState, history.replaceState]).toEqual([pushState, replaceState])
})

test('sends $pageleave with the last beacon, including the time the page was visible', async () => {
  const beacons: string[] = []
  navigator.sendBeacon = (_, body) => {
    const reader = new FileReader()
    reader.onload = () => beacons.push(reader.result as string)
    reader.readAsText(body as Blob)
    return true
  }
  const { sent, settle } = startAnalytics({ capture_pageview: true, capture_pageleave: true })
  await settle(10_000)
  pageEvent('pagehide', false)
  await settle()
  const { batch } = JSON.parse(beacons[0]!) as { batch: { event: string; properties: Record<string, unknown> }[] }
  expect(names(batch)).toEqual(['$pageleave'])
  expect(batch[0]!.properties).toMatchObject({
    $prev_pageview_id: sent[0]!.uuid,
    $prev_pageview_pathname: '/',
    $pageview_id: sent[0]!.uuid,
  })
  expect(batch[0]!.properties.$prev_pageview_duration).toBeCloseTo(10, 1)
  expect(batch[0]!.properties).toHaveProperty('$prev_pageview_max_scroll_percentage')
})

test('captures another pageview when a page is restored from the back/forward cache, but not on the first pageshow', async () => {
  const { sent, settle } = startAnalytics({ capture_pageview: true })
  pageEvent('pageshow', false)
  await settle()
  pageEvent('pageshow', true)
  await settle()
  expect(names(sent)).toEqual(['$pageview', '$pageview'])
  expect(sent[1]!.properties.$prev_pageview_id).toBe(sent[0]!.uuid)
})

test('sends queued events when the page is hidden', async () => {
  const { analytics, sent, settle } = startAnalytics()
  analytics.capture('x')
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
  await settle(0)
  expect(names(sent)).toEqual(['x'])
  delete (document as unknown as Record<string, unknown>).visibilityState
})

test('set_config starts and stops autocapture', async () => {
  const { analytics, sent, settle } = startAnalytics()
  document.body.innerHTML = '<button>b</button>'
  const click = () => document.querySelector('button')!.click()
  click()
  analytics.set_config({ autocapture: true })
  click()
  analytics.set_config({ autocapture: false })
  click()
  await settle()
  expect(names(sent)).toEqual(['$autocapture'])
})

test.each([
  [true, false, 1],
  [false, true, 0],
  ['if_capture_pageview', true, 1],
  ['if_capture_pageview', false, 0],
] as const)(
  'capture_pageleave %j with capture_pageview %j captures %i pageleaves',
  async (capture_pageleave, capture_pageview, expected) => {
    const { analytics, settle } = startAnalytics({ capture_pageleave, capture_pageview })
    await settle()
    window.dispatchEvent(new Event('pagehide'))
    expect(analytics.explain('$pageleave')).toHaveLength(expected)
  },
)
