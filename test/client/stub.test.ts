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
  const analytics = createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('none')) })
  made.push(analytics)
  return analytics
}
const stubWith = (init: unknown[][], calls: unknown[], named: Record<string, unknown[]> = {}) =>
  Object.assign([...calls], { _i: init, __SV: 1 }, named)

beforeEach(() => {
  jest.useFakeTimers()
  globalThis.fetch = jest.fn(async () => ({ status: 200, text: async () => '', headers: { get: () => null } })) as never
})

test('queued calls run in the order aliases, other calls, captures', () => {
  const calls = [['capture', 'a'], ['register', {}], ['alias', 'x'], ['capture', 'b'], () => {}]
  expect(replayOrder(calls)).toEqual([calls[2], calls[1], calls[4], calls[0], calls[3]])
})

test.each<[title: string, calls: string[][], known: string | undefined, order: number[]]>([
  ['reset', [['capture'], ['reset'], ['capture'], ['register']], undefined, [0, 1, 3, 2]],
  [
    'a decision about consent',
    [['capture'], ['opt_out_capturing'], ['capture'], ['register']],
    undefined,
    [0, 1, 3, 2],
  ],
  [
    'identify of a second person',
    [['capture'], ['identify', 'a'], ['capture'], ['identify', 'b']],
    undefined,
    [1, 0, 2, 3],
  ],
  ['identify of another person than the known one', [['capture'], ['identify', 'b']], 'a', [0, 1]],
  ['nothing: identify of the known person comes first', [['capture'], ['identify', 'a']], 'a', [1, 0]],
])('queued captures stay before %s', (_, calls, known, order) => {
  expect(replayOrder(calls, known)).toEqual(order.map((index) => calls[index]))
})

test('calls queued by the stub run after init, so captures include properties registered later', () => {
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

test('code that holds a reference to the stub uses the SDK through it', () => {
  const stub = stubWith([['t', OPTIONS]], [])
  const page: Record<string, unknown> = { analytics: stub }
  replaceStub(page, 'analytics', fresh)
  stub.push(['register', { a: 1 }])
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('a running SDK is kept when the script runs a second time', () => {
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
])('the script keeps %s of another library in window.analytics and uses window.trailmark', (_, foreign) => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: foreign }
  replaceStub(page, 'analytics', fresh)
  expect(page.analytics).toBe(foreign)
  expect((page.trailmark as Analytics).version).toBeTruthy()
  expect(lines).toEqual([expect.stringContaining('window.analytics belongs to another library. Use window.trailmark')])
})

describe('the stub of PostHog at window.posthog', () => {
  const begin = (chosen: string, source?: string, page: Record<string, unknown> = {}) => {
    const stub = stubWith([['theirs', { ...OPTIONS, api_host: 'https://theirs.example/ingest/' }, 'posthog']], [])
    const warnings = listenToConsole('warn')
    const lines = listenToConsole('info')
    page.posthog = stub
    replaceStub(page, chosen, fresh, source)
    return { page, stub, lines, warnings }
  }

  test.each([
    ['without a URL', undefined],
    ["by the SDK's snippet", 'https://ours.example/static/analytics.js'],
    ['from another host', 'https://ours.example/static/array.js'],
    ['under another name', 'https://theirs.example/ingest/static/analytics.js'],
  ])('is left alone by a script loaded %s', (_, source) => {
    const { page, stub, lines } = begin('analytics', source)
    expect(page.posthog).toBe(stub)
    expect(page.analytics).toBe(page.trailmark)
    expect(page.analytics).toMatchObject({ __SV: 1, __loaded: false })
    expect(lines).toEqual([])
  })

  test.each([
    ['data-global asks for it', 'posthog', 'https://ours.example/static/analytics.js'],
    ['that snippet has loaded the script', 'analytics', 'https://theirs.example/ingest/static/array.js'],
    ['that snippet has loaded the script by token', 'analytics', 'https://theirs.example/ingest/array/t/array.js'],
  ])('is replaced, with one line in the console, if %s', (_, chosen, source) => {
    const { page, lines } = begin(chosen, source)
    expect(page.posthog).toMatchObject({ __loaded: true, config: { token: 'theirs' } })
    expect(lines).toEqual([expect.stringContaining('window.posthog is Trailmark')])
  })

  test.each(['posthog', 'mixpanel'])('is left alone where window.analytics is the stub at window.%s', (name) => {
    const theirs = stubWith([['theirs', OPTIONS]], [])
    const page: Record<string, unknown> = { analytics: theirs, [name]: theirs }
    const lines = listenToConsole('warn')
    replaceStub(page, 'analytics', fresh)
    expect([page.analytics, page[name]]).toEqual([theirs, theirs])
    expect((page.trailmark as Analytics).__loaded).toBe(false)
    expect(lines).toEqual([expect.stringContaining('Use window.trailmark')])
  })

  test('a running posthog-js keeps its name where data-global asks for it', () => {
    const running = { __SV: 1, __loaded: true }
    const page: Record<string, unknown> = { posthog: running }
    const lines = listenToConsole('warn')
    replaceStub(page, 'posthog', fresh)
    expect(page.posthog).toBe(running)
    expect((page.trailmark as Analytics).version).toBeTruthy()
    expect(lines).toEqual([expect.stringContaining('window.posthog belongs to another library. Use window.trailmark')])
  })
})

test('the script uses the global name chosen by data-global', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: {} }
  replaceStub(page, 'metrics', fresh)
  expect((page.metrics as Analytics).version).toBeTruthy()
  expect(lines).toEqual([])
})

test('the script logs a message after page load when another library has taken the global name', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = {}
  replaceStub(page, 'analytics', fresh)
  page.analytics = { track: () => {} }
  dispatchEvent(new Event('load'))
  expect(lines).toEqual([expect.stringContaining('Use window.trailmark')])
})

test('the script runs queued calls of people, which protocol snippets queue separately', () => {
  const stub = stubWith([['t', { ...OPTIONS, person_profiles: 'always' }]], [])
  const page: Record<string, unknown> = { posthog: Object.assign(stub, { people: [['set', { plan: 'gold' }]] }) }
  const seen: unknown[] = []
  replaceStub(page, 'posthog', () => {
    const analytics = fresh()
    analytics.on('eventCaptured', ({ event, properties }) => seen.push([event, properties.$set]))
    return analytics
  })
  expect(seen).toEqual([['$set', { plan: 'gold' }]])
})

test.each([
  ['one stub under two names', true],
  ['two stubs with an equal token', false],
])('%s share an instance and run each call once', (_, isSame) => {
  const stub = () => stubWith([['t', OPTIONS]], [['capture', 'once']])
  const first = stub()
  // A stub at window.trailmark is the SDK's own, under every name.
  const page: Record<string, unknown> = isSame
    ? { analytics: first, posthog: first, trailmark: first }
    : { analytics: first, trailmark: stub() }
  listenToConsole('warn')
  const captured: string[] = []
  replaceStub(page, 'analytics', () => {
    const analytics = fresh()
    analytics.on('eventCaptured', ({ event }) => captured.push(event))
    return analytics
  })
  expect(page[isSame ? 'posthog' : 'trailmark']).toBe(page.analytics)
  expect(captured).toEqual(isSame ? ['once'] : ['once', 'once'])
  expect(made).toHaveLength(1)
})

test('the script keeps calls of a stub without init until init is called', () => {
  const page: Record<string, unknown> = { analytics: stubWith([], [['register', { a: 1 }]]) }
  replaceStub(page, 'analytics', fresh)
  ;(page.analytics as Analytics).init('t', OPTIONS)
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('the queue runs a pushed method call even if another snippet has overwritten the method', () => {
  const analytics = fresh()
  analytics.init('t', OPTIONS)
  Object.assign(analytics, { register: (...args: unknown[]) => analytics.push(['register', ...args]) })
  analytics.register({ a: 1 })
  expect(analytics.get_property('a')).toBe(1)
})

test('the queue logs the name of an unknown method and runs the other calls', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: stubWith([['t', OPTIONS]], [['dance'], ['register', { a: 1 }]]) }
  replaceStub(page, 'analytics', fresh)
  expect(lines).toEqual([expect.stringContaining('dance is not in this version')])
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('the queue runs a chained call on the return value of the previous call', () => {
  const analytics = fresh()
  analytics.init('t', OPTIONS)
  const seen = jest.fn()
  analytics.push([
    ['on', 'eventCaptured', seen],
    ['call', null],
  ])
  analytics.capture('x')
  // `on` returns a function that removes the listener. The chained call invoked it.
  expect(seen).not.toHaveBeenCalled()
})
