/** @jest-environment node */
import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { serverFlags } from '../../src/client/serverFlags'
import { createWithoutPage } from '../../src/client/withoutPage'
import { METHODS } from '../../src/client/features/methods'

const create = () =>
  createAnalytics({
    features: FEATURES,
    makeLoad: () => () => Promise.reject(new Error('nothing is loaded on a server')),
    withoutPage: createWithoutPage(undefined, serverFlags),
  })
const flagsOf = (checkout: string | boolean) => ({
  bootstrap: {
    distinctID: 'x',
    featureFlags: { checkout, off: false },
    featureFlagPayloads: { checkout: { steps: 2 } },
  },
})

let lines: unknown[][]
beforeEach(() => {
  lines = []
  for (const kind of ['log', 'warn', 'error'] as const)
    jest.spyOn(console, kind).mockImplementation((...words) => void lines.push(words))
})

test('flags on a server have their bootstrap values with every read method', () => {
  const analytics = create().init('token', flagsOf('short'))
  expect(analytics.getFeatureFlag('checkout')).toBe('short')
  expect(analytics.isFeatureEnabled('checkout')).toBe(true)
  expect(analytics.isFeatureEnabled('off')).toBe(false)
  expect(analytics.getFeatureFlagPayload('checkout')).toEqual({ steps: 2 })
  expect(analytics.getFeatureFlagResult('checkout')).toMatchObject({ key: 'checkout', variant: 'short' })
  expect(analytics.featureFlags.getFlagVariants()).toEqual({ checkout: 'short', off: false })
  expect(analytics.getFeatureFlag('unknown')).toBeUndefined()
  expect(analytics.isFeatureEnabled('unknown', { defaultValue: true })).toBe(true)
  const received: unknown[] = []
  analytics.onFeatureFlags((_, variants) => received.push(variants))
  expect(received).toEqual([{ checkout: 'short', off: false }])
})

test('no flag is known on a server without bootstrap', () => {
  const analytics = create().init('token', {})
  expect(analytics.getFeatureFlag('checkout')).toBeUndefined()
  expect(analytics.getAllFeatureFlags()).toEqual([])
})

test('each init on a server starts a new visitor without the previous flags and logs no warning', () => {
  const analytics = create()
  analytics.init('token', flagsOf('short'))
  analytics.init('token', flagsOf(true))
  expect(analytics.getFeatureFlag('checkout')).toBe(true)
  analytics.init('token', {})
  expect(analytics.getFeatureFlag('checkout')).toBeUndefined()
  expect(lines).toEqual([])
})

test('no method throws, sends, waits or logs on a server, and each returns its value without a client', () => {
  const send = jest.spyOn(globalThis, 'fetch')
  const timers = jest.spyOn(globalThis, 'setTimeout')
  const loaded = jest.fn()
  const analytics = create().init('token', { ...flagsOf('short'), loaded })
  for (const path of Object.keys(METHODS)) {
    const [name, inner] = path.split('.') as [string, string?]
    const member = (analytics as unknown as Record<string, Record<string, unknown>>)[name]!
    const run = (inner ? member[inner] : member) as (...args: unknown[]) => unknown
    expect(() => run(() => {}, {})).not.toThrow()
  }
  expect(analytics.capture('x')).toBeUndefined()
  expect(analytics.get_distinct_id()).toBe('')
  expect(analytics.is_capturing()).toBe(false)
  expect([send, timers, loaded].map((each) => each.mock.calls)).toEqual([[], [], []])
  expect(lines).toEqual([])
})
