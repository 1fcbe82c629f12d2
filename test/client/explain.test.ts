import { REFUSAL } from '../support/foreignErrors'
import { startAnalytics } from '../support/startAnalytics'

test('explain lists the pipeline stages, the queue and the delivery of an event', async () => {
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
    'surveys',
    'person',
    'denylist',
    'beforeSend',
  ])
  await settle()
  expect(analytics.explain({ uuid })[0]!.state).toBe('delivered')
})

test.each([
  ['the stage that dropped an event last', { before_send: () => null }, 'before_send', 'beforeSend'],
  ['consent as the last stage after an opt-out', { opt_out_capturing_by_default: true }, 'opted_out', 'consent'],
])('explain reports %s', (_, options, reason, last) => {
  const { analytics } = startAnalytics(options)
  analytics.capture('x')
  const [explained] = analytics.explain('x')
  expect(explained).toMatchObject({ state: 'dropped', reason })
  expect(explained!.stages.at(-1)).toBe(last)
})

test('explain keeps the stages and adds the reason when an event is dropped from the queue', () => {
  const { analytics } = startAnalytics()
  analytics.capture('x')
  analytics.opt_out_capturing()
  expect(analytics.explain('x')).toEqual([expect.objectContaining({ state: 'dropped', reason: 'opted_out' })])
  expect(analytics.explain('x')[0]!.stages).toContain('beforeSend')
})

test('explain reports an event the service rejected', async () => {
  const { analytics, setEventsResponse, settle } = startAnalytics({ on_request_error: () => {} })
  setEventsResponse(400, REFUSAL)
  analytics.capture('x')
  await settle()
  expect(analytics.explain('x')[0]).toMatchObject({ state: 'dropped', reason: 'refused_by_service' })
})

test('explain returns the latest 200 events, newest first, when called without arguments', () => {
  const { analytics } = startAnalytics({ rate_limiting: { events_per_second: 1000 } })
  for (let i = 0; i < 250; i++) analytics.capture(`e${i}`)
  const all = analytics.explain()
  expect([all.length, all[0]!.event, all.at(-1)!.event]).toEqual([200, 'e249', 'e50'])
})

test('explain returns a copy', () => {
  const { analytics } = startAnalytics()
  analytics.capture('x')
  analytics.explain('x')[0]!.state = 'delivered'
  expect(analytics.explain('x')[0]!.state).toBe('waiting')
})
