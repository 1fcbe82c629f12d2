import { createAnalytics } from '../../src/client/instances'
import { replayOrder, takeOver } from '../../src/client/stub'
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
  const analytics = createAnalytics(() => () => Promise.reject(new Error('none')))
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
  expect(takeOver(page, 'analytics', fresh())).toBe(true)
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
  takeOver(page, 'analytics', fresh())
  const primary = page.analytics as Analytics & { second: Analytics }
  made.push(primary.second)
  expect([primary.get_property('of'), primary.second.get_property('of')]).toEqual(['first', 'second'])
})

test('code that kept the stub reaches the SDK through it', () => {
  const stub = stubWith([['t', OPTIONS]], [])
  const page: Record<string, unknown> = { analytics: stub }
  takeOver(page, 'analytics', fresh())
  stub.push(['register', { a: 1 }])
  expect((page.analytics as Analytics).get_property('a')).toBe(1)
})

test('a living SDK stays', () => {
  const living = { capture: () => 'living' }
  const page: Record<string, unknown> = { analytics: living }
  expect(takeOver(page, 'analytics', fresh())).toBe(false)
  expect(page.analytics).toBe(living)
})

test('a call of a method that is not there is named, and the others still run', () => {
  const lines = listenToConsole('warn')
  const page: Record<string, unknown> = { analytics: stubWith([['t', OPTIONS]], [['dance'], ['register', { a: 1 }]]) }
  takeOver(page, 'analytics', fresh())
  expect(lines).toEqual([expect.stringContaining('there is no method dance')])
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
