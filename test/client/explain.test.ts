import { startAnalytics } from '../support/startAnalytics'

test("an event's way: the stages, then the queue, then the service", async () => {
  const { analytics, settle } = startAnalytics()
  const { uuid } = analytics.capture('purchase')!
  expect(analytics.explain(uuid)).toEqual([
    { event: 'purchase', uuid, at: expect.any(Date), state: 'waiting', stages: expect.any(Array) },
  ])
  expect(analytics.explain('purchase')[0]!.stages).toEqual([
    'name',
    'consent',
    'bots',
    'rate',
    'session',
    'identity',
    'pageview',
    'properties',
    'cookieless',
    'person',
    'denylist',
    'beforeSend',
  ])
  await settle()
  expect(analytics.explain({ uuid })[0]!.state).toBe('delivered')
})

test.each([
  ['the stage that dropped it is the last', { before_send: () => null }, 'before_send', 'beforeSend'],
  ['a visitor who refused', { opt_out_capturing_by_default: true }, 'opted_out', 'consent'],
])('%s', (_, options, reason, last) => {
  const { analytics } = startAnalytics(options)
  analytics.capture('x')
  const [told] = analytics.explain('x')
  expect(told).toMatchObject({ state: 'dropped', reason })
  expect(told!.stages.at(-1)).toBe(last)
})

test('an event that was dropped out of the queue keeps its stages and gets its reason', () => {
  const { analytics } = startAnalytics()
  analytics.capture('x')
  analytics.opt_out_capturing()
  expect(analytics.explain('x')).toEqual([expect.objectContaining({ state: 'dropped', reason: 'opted_out' })])
  expect(analytics.explain('x')[0]!.stages).toContain('beforeSend')
})

test('an event the service refused', async () => {
  const { analytics, answer, settle } = startAnalytics({ on_request_error: () => {} })
  answer(400)
  analytics.capture('x')
  await settle()
  expect(analytics.explain('x')[0]).toMatchObject({ state: 'dropped', reason: 'refused_by_service' })
})

test('the latest come first, without arguments all of them, and no more than 200', () => {
  const { analytics } = startAnalytics({ rate_limiting: { events_per_second: 1000 } })
  for (let i = 0; i < 250; i++) analytics.capture(`e${i}`)
  const all = analytics.explain()
  expect([all.length, all[0]!.event, all.at(-1)!.event]).toEqual([200, 'e249', 'e50'])
})

test('what it answers is a copy', () => {
  const { analytics } = startAnalytics()
  analytics.capture('x')
  analytics.explain('x')[0]!.state = 'delivered'
  expect(analytics.explain('x')[0]!.state).toBe('waiting')
})
