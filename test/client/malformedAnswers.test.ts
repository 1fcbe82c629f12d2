import fc from 'fast-check'
import { type FlagResult } from '../../src/types'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'
import { randomRuns } from '../support/randomRuns'

const GOOD = {
  ...NO_FLAGS,
  flags: { beta: { key: 'beta', enabled: true, variant: 'blue', metadata: { payload: '1' } } },
}
const KNOWN: FlagResult[] = [{ key: 'beta', enabled: true, variant: 'blue', payload: 1 }]

/** A client that knows one flag and then receives `body` as the response. `reply` replaces the whole response. */
const flagsResponse = async (body: unknown, reply?: () => unknown) => {
  const warnings = listenToConsole('warn')
  const errors = listenToConsole('error')
  const started = startAnalytics()
  started.setApiResponse(200, GOOD)
  await started.settle()
  expect(started.analytics.getAllFeatureFlags()).toEqual(KNOWN)
  started.setApiResponse(200, body)
  if (reply) globalThis.fetch = jest.fn(async () => reply()) as never
  const seen = jest.fn()
  started.analytics.on('eventCaptured', seen)
  const promise = started.analytics.featureFlags.reloadFeatureFlagsAsync()
  await started.settle()
  await promise
  for (const key of ['beta', 'constructor', '__proto__', 'toString']) {
    started.analytics.getFeatureFlag(key)
    started.analytics.getFeatureFlagResult(key)
    started.analytics.getFeatureFlagPayload(key)
    started.analytics.featureFlags.getFeatureFlagDetails(key)
  }
  expect(started.analytics.capture('still captured')).toBeDefined()
  return { ...started, warnings, errors }
}

test.each([
  ['null for a flag', { ...NO_FLAGS, flags: { beta: null } }],
  ['a number for a flag', { ...NO_FLAGS, flags: { beta: 7 } }],
  ['a flag without enabled', { ...NO_FLAGS, flags: { beta: {} } }],
  ['an object for a variant', { ...NO_FLAGS, flags: { beta: { enabled: true, variant: {} } } }],
  ['a string for flags', { ...NO_FLAGS, flags: 'none' }],
  ['a list for flags', { ...NO_FLAGS, flags: [1, null] }],
  ['null for an older flag', { ...NO_FLAGS, flags: undefined, featureFlags: { beta: null } }],
  ['a number for older flags', { ...NO_FLAGS, flags: undefined, featureFlags: 3 }],
  ['a list', []],
  ['null', null],
  ['a string', 'ok'],
  ['a list for the configuration', { ...GOOD, supportedCompression: 'gzip-js' }],
  ['a string for autocapture_opt_out', { ...GOOD, autocapture_opt_out: 'yes' }],
  ['another host for a path', { ...GOOD, analytics: { endpoint: '.evil.example/e/' } }],
])('a flags response with %s keeps known flags and logs one message', async (_, body) => {
  const { analytics, warnings, errors, requests, settle } = await flagsResponse(body)
  expect(analytics.getAllFeatureFlags()).toEqual(KNOWN)
  // `flagsResponse` also asks for flags that do not exist.
  const others = warnings.filter((line) => !line.includes('there is no feature flag'))
  expect([others, errors]).toEqual([[expect.stringContaining('malformed')], []])
  await settle()
  expect(new URL(requests[0]!.url).host).toBe('events.example.com')
})

test('an HTML page as the flags response keeps known flags and logs one message', async () => {
  const { analytics, warnings, errors } = await flagsResponse(undefined, () => ({
    status: 200,
    text: async () => '<!doctype html><title>Sign in to the Wi-Fi</title>',
    headers: { get: () => null },
  }))
  expect(analytics.getAllFeatureFlags()).toEqual(KNOWN)
  expect([warnings, errors]).toEqual([[expect.stringContaining('<!doctype html>')], []])
})

test('a malformed flag keeps its known value while valid flags change', async () => {
  const { analytics } = await flagsResponse({ ...NO_FLAGS, flags: { beta: null, gamma: { enabled: true } } })
  expect(analytics.featureFlags.getFlagVariants()).toEqual({ beta: 'blue', gamma: true })
})

test('flags named like Object.prototype members are read correctly', async () => {
  const flags = JSON.parse('{"constructor":{"enabled":true},"toString":{"enabled":false},"__proto__":{"enabled":true}}')
  const { analytics } = await flagsResponse({ ...NO_FLAGS, flags })
  expect(analytics.getFeatureFlag('constructor')).toBe(true)
  expect(analytics.getFeatureFlag('toString')).toBe(false)
  expect(analytics.getFeatureFlagPayload('constructor')).toBeUndefined()
  expect(Object.getPrototypeOf(analytics.featureFlags.getFlagsWithDetails())).toBe(Object.prototype)
})

test('any JSON as the flags response throws nothing and capturing continues', async () => {
  const item = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        enabled: fc.jsonValue({ maxDepth: 1 }),
        variant: fc.jsonValue({ maxDepth: 1 }),
        failed: fc.jsonValue({ maxDepth: 1 }),
        metadata: fc.jsonValue({ maxDepth: 2 }),
        reason: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ),
  )
  const key = fc.oneof(fc.constantFrom('beta', '__proto__', 'constructor', 'hasOwnProperty', ''), fc.string())
  const items = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(key, item), fc.array(item))
  const names = [
    ...['flags', 'featureFlags', 'featureFlagPayloads', 'quotaLimited', 'requestId', 'evaluatedAt'],
    ...['errorsWhileComputingFlags', 'supportedCompression', 'autocapture_opt_out', 'analytics', 'sessionRecording'],
    ...['__proto__', 'toString'],
  ]
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), items))
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const { analytics, errors } = await flagsResponse(value)
      await analytics.shutdown()
      jest.restoreAllMocks()
      localStorage.clear()
      expect(errors).toEqual([])
    }),
    { numRuns: randomRuns(50) },
  )
})

test('a flags response of five megabytes throws nothing', async () => {
  const flags = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`flag ${n}`, { enabled: true, variant: 'v'.repeat(200) }]),
  )
  const { analytics } = await flagsResponse({ ...NO_FLAGS, flags })
  expect(analytics.getFeatureFlag('flag 19999')).toMatch(/^v+$/)
})

test.each([
  ['null', null],
  ['a string', 'none'],
  ['a list of null', [null]],
  ['an object', { a: 1 }],
])('early access features returned as %s are ignored and requested again', async (_, earlyAccessFeatures) => {
  const started = startAnalytics()
  started.setApiResponse(200, { earlyAccessFeatures })
  const listener = jest.fn()
  started.analytics.getEarlyAccessFeatures(listener)
  await started.settle()
  started.analytics.updateEarlyAccessFeatureEnrollment('a', true)
  expect(listener).toHaveBeenCalledWith([])
})

test('early access features are requested again after a failed request', async () => {
  const started = startAnalytics()
  started.setApiResponse(503)
  started.analytics.getEarlyAccessFeatures(() => {})
  await started.settle()
  started.setApiResponse(200, { earlyAccessFeatures: [{ flagKey: 'a', name: 'A' }] })
  const listener = jest.fn()
  started.analytics.getEarlyAccessFeatures(listener)
  await started.settle()
  expect(listener).toHaveBeenCalledWith([{ flagKey: 'a', name: 'A' }])
})

test('a bootstrapped flag that is off has no payload', () => {
  const bootstrap = { featureFlags: { off: false, on: true }, featureFlagPayloads: { off: { a: 1 }, on: { b: 2 } } }
  const { analytics } = startAnalytics({ bootstrap })
  expect(analytics.getFeatureFlagPayload('off')).toBeUndefined()
  expect(analytics.getFeatureFlagResult('off')).toEqual({ key: 'off', enabled: false })
  expect(analytics.featureFlags.getFlagPayloads()).toEqual({ on: { b: 2 } })
})

test.each([null, 'text', 5, [null], { a: null }])('init starts with bootstrapped flags of %p', (featureFlags) => {
  listenToConsole('error')
  const { analytics } = startAnalytics({ bootstrap: { featureFlags: featureFlags as never } })
  expect(analytics.capture('x')).toBeDefined()
})
