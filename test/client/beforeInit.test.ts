import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { Analytics } from '../../src/client/publicApi'
import { METHODS } from '../../src/client/features/methods'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const startAfter = (before: (analytics: Analytics) => void, config = {}) => {
  const events: string[] = []
  const started = startAnalytics(config, 'token', (analytics) => {
    analytics.on('eventCaptured', ({ event }) => events.push(event))
    before(analytics)
  })
  return { ...started, events }
}

test('init runs calls made before it in their order', async () => {
  const { analytics, sent, settle, events } = startAfter((early) => {
    early.register({ plan: 'gold' })
    early.capture('first', { n: 1 })
    early.identify('ada')
    early.group('company', 'acme')
    early.people.set({ age: 36 })
    early.push(['capture', 'pushed'])
    early.capture('last')
  })
  expect(events).toEqual(['first', '$identify', '$groupidentify', '$set', 'pushed', 'last'])
  await settle()
  expect(sent.find(({ event }) => event === 'first')!.properties).toMatchObject({ n: 1, plan: 'gold' })
  expect(sent.find(({ event }) => event === 'last')!.properties).toMatchObject({ $groups: { company: 'acme' } })
  expect(analytics.get_distinct_id()).toBe('ada')
})

test('an opt-out before init applies to everything captured later, including the pageview', async () => {
  const { analytics, events, settle } = startAfter(
    (early) => {
      early.opt_out_capturing()
      early.capture('after the refusal')
    },
    { capture_pageview: true, loaded: (analytics: Analytics) => analytics.capture('loaded') },
  )
  await settle()
  expect(events).toEqual([])
  expect(analytics.has_opted_out_capturing()).toBe(true)
})

test('init calls flag listeners added before it unless they were removed', async () => {
  const listener = jest.fn()
  const removed = jest.fn()
  let stop = () => {}
  const { settle, analytics } = startAfter((early) => {
    stop = early.onFeatureFlags(listener)
    early.onFeatureFlags(removed)()
  })
  await settle()
  expect(listener).toHaveBeenCalledTimes(1)
  expect(removed).not.toHaveBeenCalled()
  stop()
  analytics.updateFlags({ a: true })
  expect(listener).toHaveBeenCalledTimes(1)
})

test.each(Object.keys(METHODS))('%s before init does not throw and prints nothing', (path) => {
  const lines = [...listenToConsole('warn'), ...listenToConsole('error')]
  const analytics = createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('none')) })
  const [name, inner] = path.split('.') as [keyof Analytics, string?]
  const member = (
    inner ? (analytics[name] as unknown as Record<string, unknown>)[inner] : analytics[name]
  ) as () => unknown
  expect(() => member()).not.toThrow()
  expect(lines).toEqual([])
})

test('a flag read before init captures no event later because the page received no value', async () => {
  const { events, settle } = startAfter((early) => expect(early.getFeatureFlag('a')).toBeUndefined(), {
    bootstrap: { featureFlags: { a: true } },
  })
  await settle()
  expect(events).toEqual([])
})

test('shutdown before init has no effect', () => {
  const { analytics } = startAfter((early) => void early.shutdown())
  expect(analytics.capture('x')).toBeDefined()
})

test('init runs calls queued since the previous shutdown, as in React StrictMode', async () => {
  const { analytics, events } = startAfter(() => {})
  await analytics.shutdown()
  analytics.capture('between')
  analytics.init('token', { opt_out_useragent_filter: true, capture_pageview: false })
  expect(events).toEqual(['between'])
})

test('the SDK queues up to a thousand calls before init, counts dropped events and logs one warning', () => {
  const lines = listenToConsole('warn')
  const { analytics, events } = startAfter(
    (early) => {
      for (let n = 0; n < 1005; n++) early.capture(`event ${n}`)
    },
    { rate_limiting: { events_per_second: 10_000, events_burst_limit: 10_000 } },
  )
  expect(events).toHaveLength(1000)
  expect(analytics.drops()).toEqual({ not_initialized: 5 })
  expect(lines).toEqual([expect.stringContaining('before init()')])
})

test.each([
  ['without a token', '', {}],
  ['with enabled: false', 'token', { enabled: false }],
])('init discards queued calls when it is called %s', (_, token, config) => {
  const analytics = createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('none')) })
  analytics.capture('x')
  analytics.init(token, config)
  analytics.capture('y')
  expect(analytics.drops()).toEqual({})
  expect(analytics.explain()).toEqual([])
})

test('a call before init has the time and the URL of the call', async () => {
  let calledAt = 0
  history.replaceState(null, '', '/first')
  const { analytics, sent, settle } = startAfter((early) => {
    calledAt = Date.now()
    early.capture('early', { n: 1 })
    early.identify('ada')
    early.people.set({ age: 36 })
    jest.setSystemTime(calledAt + 60_000)
    history.replaceState(null, '', '/second')
  })
  analytics.capture('now')
  await settle()
  const found = sent.map(({ event, timestamp, properties }) => [event, Date.parse(timestamp), properties.$pathname])
  expect(found).toEqual([
    ['early', calledAt, '/first'],
    ['$identify', calledAt, '/first'],
    ['$set', calledAt, '/first'],
    ['now', calledAt + 60_000, '/second'],
  ])
})

test('a call in the queue of the snippet has the time and the URL that the snippet noted, if they are valid', async () => {
  const time = Date.now() - 5000
  const url = 'http://localhost/before'
  const noted = (call: unknown[], note: object) => Object.assign(call, note)
  const { sent, settle } = startAfter((early) => {
    history.replaceState(null, '', '/here')
    early.push(noted(['capture', 'noted'], { time, url }))
    early.push(noted(['capture', 'foreign'], {}))
    early.push(noted(['capture', 'odd'], { time: 'x', url: 7 }))
  })
  await settle()
  const pathOf = (name: string) => sent.find(({ event }) => event === name)!.properties.$pathname
  expect([pathOf('noted'), pathOf('foreign'), pathOf('odd')]).toEqual(['/before', '/here', '/here'])
  expect(Date.parse(sent.find(({ event }) => event === 'noted')!.timestamp)).toBe(time)
})
