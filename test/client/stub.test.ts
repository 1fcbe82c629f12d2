import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { replayOrder, replaceStub } from '../../src/client/stub'
import type { Analytics } from '../../src/client/publicApi'
import { listenToConsole } from '../support/startAnalytics'

const OPTIONS = {
  api_host: 'https://e.example',
  opt_out_useragent_filter: true,
  capture_pageview: false,
  capture_pageleave: false,
  autocapture: false,
}

const made: Analytics[] = []
afterEach(() => made.splice(0).forEach((each) => void each.shutdown()))
const fresh = () => {
  const analytics = createAnalytics(FEATURES, () => () => Promise.reject(new Error('none')))
  made.push(analytics)
  return analytics
}
const stubWith = (init: unknown[][], calls: unknown[], named: Record<string, unknown[]> = {}) =>
  Object.assign([...calls], { _i: init, __SV: 1 }, named)

beforeEach(() => {
  jest.useFakeTimers()
  globalThis.fetch = jest.fn(async () => ({ status: 200, text: async () => '', headers: { get: () => null } })) as never
})

test('aliases come first, captures last', () => {
  const calls = [['capture', 'a'], ['register', {}], ['alias', 'x'], ['capture', 'b'], () => {}]
  expect(replayOrder(calls)).toEqual([calls[2], calls[1], calls[4], calls[0], calls[3]])
})

test('queued calls run after init, so that a capture carries what was registered after it', () => {
  const seen: unknown[] = []
  const page: Record<string, unknown> = {
    analytics: stubWith(
      [
        [
          't',
          {
            ...OPTIONS,
            before_send: (event: { event: string; properties: object }) => (
              seen.push([event.event, event.properties]),
              event
            ),
          },
        ],
      ],
      [
        ['capture', 'early', { a: 1 }],
        ['register', { plan: 'gold' }],
        ['identify', 'u1'],
      ],
    ),
  }
  replaceStub(page, 'analytics', fresh)
  expect(seen).toEqual([
    ['$identify', expect.objectContaining({ plan: 'gold' })],
    ['early', expect.objectContaining({ a: 1, plan: 'gold', distinct_id: 'u1' })],
  ])
  expect(page.analytics).toMatchObject({ __SV: 1, __loaded: true })
})

test('named instances run their own queues', () => {
  const page: Record<string, unknown> = {
    analytics: stubWith(
      [
        ['t1', { ...OPTIONS, persistence_name: 'one' }],
        ['t2', { ...OPTIONS, persistence_name: 'two' }, 'second'],
      ],
      [['register', { of: 'first' }]],
      {
        second: [['register', { of: 'second' }]],
      },
    ),
  }
  replaceStub(page, 'analytics', fresh)
  const primary = page.analytics as Analytics & { second: Analytics }
  made.push(primary.second)
  expect([primary.get_property('of'), primary.second.get_property('of')]).toEqual(['first', 'second'])
})

test('code that kept the stub reaches the SDK through it', () => {
  const stub = stubWith([['t', OPTIONS]], [])
  const page: Record<string, unknown> = { analytics: stub }
  replaceStub(page, 'analytics', fresh)
  stub.push(['register', { a: 1 }])
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('a running SDK stays when the script runs a second time', () => {
  const page: Record<string, unknown> = {}
  replaceStub(page, 'analytics', fresh)
  const { analytics } = page
  replaceStub(page, 'analytics', fresh)
  expect(page).toEqual({ analytics, trailmark: analytics })
  expect(made).toHaveLength(1)
})

test.each([
  ['an object', { track: () => {} }],
  ['an array of queued calls', Object.assign([['page']], { invoked: true, track: () => {} })],
])("leaves window.analytics to another library's %s and takes window.trailmark", (_, foreign) => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: foreign }
  replaceStub(page, 'analytics', fresh)
  expect(page.analytics).toBe(foreign)
  expect((page.trailmark as Analytics).version).toBeTruthy()
  expect(lines).toEqual([expect.stringContaining('window.analytics belongs to another library. Use window.trailmark')])
})

test('takes the name that data-global chooses', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: {} }
  replaceStub(page, 'metrics', fresh)
  expect((page.metrics as Analytics).version).toBeTruthy()
  expect(lines).toEqual([])
})

test('says so once the page has loaded and another library has taken the name', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = {}
  replaceStub(page, 'analytics', fresh)
  page.analytics = { track: () => {} }
  dispatchEvent(new Event('load'))
  expect(lines).toEqual([expect.stringContaining('Use window.trailmark')])
})

test('runs queued calls of people, which snippets of the protocol keep apart', () => {
  const stub = stubWith([['t', { ...OPTIONS, person_profiles: 'always' }]], [])
  const page: Record<string, unknown> = { posthog: Object.assign(stub, { people: [['set', { plan: 'gold' }]] }) }
  const seen: unknown[] = []
  replaceStub(page, 'analytics', () => {
    const analytics = fresh()
    analytics.on('eventCaptured', ({ event, properties }) => seen.push([event, properties.$set]))
    return analytics
  })
  expect(seen).toEqual([['$set', { plan: 'gold' }]])
})

test.each([
  ['one stub under two names', true],
  ['two stubs of one token', false],
])('%s share an instance, and each call runs once', (_, isSame) => {
  const stub = () => stubWith([['t', OPTIONS]], [['capture', 'once']])
  const first = stub()
  const page: Record<string, unknown> = { analytics: first, posthog: isSame ? first : stub() }
  listenToConsole('warn')
  const captured: string[] = []
  replaceStub(page, 'analytics', () => {
    const analytics = fresh()
    analytics.on('eventCaptured', ({ event }) => captured.push(event))
    return analytics
  })
  expect(page.posthog).toBe(page.analytics)
  expect(captured).toEqual(isSame ? ['once'] : ['once', 'once'])
  expect(made).toHaveLength(1)
})

test('keeps the calls of a stub without init until init', () => {
  const page: Record<string, unknown> = { analytics: stubWith([], [['register', { a: 1 }]]) }
  replaceStub(page, 'analytics', fresh)
  ;(page.analytics as Analytics).init('t', OPTIONS)
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test("a method that another library's snippet has overwritten still runs when it is pushed", () => {
  const analytics = fresh()
  analytics.init('t', OPTIONS)
  Object.assign(analytics, { register: (...args: unknown[]) => analytics.push(['register', ...args]) })
  analytics.register({ a: 1 })
  expect(analytics.get_property('a')).toBe(1)
})

test('a call of a method that is not there is named, and the others still run', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: stubWith([['t', OPTIONS]], [['dance'], ['register', { a: 1 }]]) }
  replaceStub(page, 'analytics', fresh)
  expect(lines).toEqual([expect.stringContaining('dance is not in this version')])
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('a chained call is made on what the one before answered', () => {
  const analytics = fresh()
  analytics.init('t', OPTIONS)
  const seen = jest.fn()
  analytics.push([
    ['on', 'eventCaptured', seen],
    ['call', null],
  ])
  analytics.capture('x')
  // `on` answers the way to stop; calling it stopped the listener.
  expect(seen).not.toHaveBeenCalled()
})
