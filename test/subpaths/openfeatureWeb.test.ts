import { readFileSync } from 'node:fs'
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk'
import { createTrailmarkProvider } from '../../src/subpaths/openfeature-web'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const flag = (enabled: boolean, variant: string | null = null, payload: string | null = null) => ({
  enabled,
  variant,
  metadata: { id: 1, version: 1, payload },
})
const FLAGS = {
  on: flag(true, null, '{"steps":[1,2]}'),
  off: flag(false),
  color: flag(true, 'red'),
  seats: flag(true, '12'),
}
const answerOf = (flags: object) => [200, { flags, errorsWhileComputingFlags: false }] as const

// The SDK warns of unknown flags.
beforeEach(() => void listenToConsole('warn'))
afterEach(() => OpenFeature.close())

/** Starts the SDK with flags, and the provider. */
const start = async (flags: object = FLAGS, context = {}) => {
  const started = startAnalytics()
  started.setApiResponse(...answerOf(flags))
  const ready = OpenFeature.setProviderAndWait(createTrailmarkProvider(started.analytics), context)
  await jest.advanceTimersByTimeAsync(6_000)
  await ready
  return { ...started, client: OpenFeature.getClient() }
}

test('the example of the guide shows the checkout that the flag is for', async () => {
  const [, example] = /```js\n([^]*?)```/.exec(readFileSync('docs/guides/openfeature.md', 'utf8'))!
  const started = startAnalytics()
  started.setApiResponse(...answerOf({ 'new-checkout': flag(true) }))
  const showNewCheckout = jest.fn()
  const names = { OpenFeature, analytics: started.analytics, createTrailmarkProvider, showNewCheckout }
  // The SDK is initialized already, on a fake page.
  const code = example!.replace(/^import .*$/gm, '').replace(/^analytics\.init.*$/m, '')
  // oxlint-disable-next-line typescript/no-implied-eval -- runs what the guide tells readers to run
  const run = new Function(...Object.keys(names), `return (async () => {${code}})()`) as (
    ...args: unknown[]
  ) => Promise<void>
  const done = run(OpenFeature, started.analytics, createTrailmarkProvider, showNewCheckout)
  await jest.advanceTimersByTimeAsync(12_000)
  await done
  expect(showNewCheckout).toHaveBeenCalledTimes(1)
})

test('resolves the four types', async () => {
  const { client } = await start()
  expect(client.getBooleanDetails('on', false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' })
  expect(client.getBooleanDetails('off', true)).toMatchObject({ value: false, reason: 'DEFAULT' })
  expect(client.getBooleanValue('color', false)).toBe(true)
  expect(client.getStringDetails('color', '')).toMatchObject({ value: 'red', variant: 'red', reason: 'SPLIT' })
  expect(client.getNumberValue('seats', 0)).toBe(12)
  expect(client.getObjectValue('on', {})).toEqual({ steps: [1, 2] })
})

test('returns the default value for another type, an unknown flag and a flag that is off', async () => {
  const { client } = await start()
  expect(client.getStringDetails('on', 'x')).toMatchObject({ value: 'x', errorCode: 'TYPE_MISMATCH' })
  expect(client.getNumberDetails('color', 7)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' })
  expect(client.getObjectDetails('seats', { a: 1 })).toMatchObject({ value: { a: 1 }, errorCode: 'TYPE_MISMATCH' })
  expect(client.getBooleanDetails('unknown', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' })
  expect(client.getStringDetails('off', 'x')).toMatchObject({ value: 'x', reason: 'DEFAULT' })
})

test('captures each read flag once, and what is tracked', async () => {
  const { client, sent, settle } = await start()
  client.getBooleanValue('on', false)
  client.getBooleanValue('on', false)
  client.track('checkout', { value: 3 })
  await settle()
  const named = (name: string) => sent.filter(({ event }) => event === name)
  expect(named('$feature_flag_called')).toHaveLength(1)
  expect(named('checkout')).toMatchObject([{ properties: { value: 3 } }])
  expect(named('$identify')).toEqual([])
})

test('evaluates again when the context changes', async () => {
  const { client, setApiResponse, apiRequests } = await start(FLAGS, { plan: 'free' })
  const changes: unknown[] = []
  client.addHandler(ProviderEvents.ConfigurationChanged, () => changes.push(1))
  setApiResponse(...answerOf({ ...FLAGS, off: flag(true) }))
  const changed = OpenFeature.setContext({ plan: 'gold', targetingKey: 'somebody' })
  await jest.advanceTimersByTimeAsync(6_000)
  await changed
  expect(client.getBooleanValue('off', false)).toBe(true)
  const { body } = apiRequests.filter(({ url }) => url.includes('/flags/')).at(-1)!
  expect(body).toMatchObject({ person_properties: { plan: 'gold' } })
  expect(body!.distinct_id).not.toBe('somebody')
  expect(changes.length).toBeGreaterThan(0)
})

test('is ready after five seconds without an answer, and then changes', async () => {
  const { analytics, setApiResponse } = startAnalytics({ advanced_disable_feature_flags_on_first_load: true })
  const ready = OpenFeature.setProviderAndWait(createTrailmarkProvider(analytics))
  let isReady = false
  void ready.then(() => (isReady = true))
  await jest.advanceTimersByTimeAsync(4_900)
  expect(isReady).toBe(false)
  await jest.advanceTimersByTimeAsync(200)
  await ready
  const client = OpenFeature.getClient()
  expect([client.providerStatus, client.getBooleanValue('on', false)]).toEqual(['READY', false])

  const events: string[] = []
  for (const name of [ProviderEvents.ConfigurationChanged, ProviderEvents.Stale, ProviderEvents.Ready])
    client.addHandler(name, () => events.push(name))
  events.length = 0
  setApiResponse(0)
  analytics.reloadFeatureFlags()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(client.providerStatus).toBe('STALE')
  setApiResponse(...answerOf(FLAGS))
  analytics.reloadFeatureFlags()
  await jest.advanceTimersByTimeAsync(6_000)
  expect([client.providerStatus, client.getBooleanValue('on', false)]).toEqual(['READY', true])
  expect([...new Set(events)]).toEqual([
    ProviderEvents.Stale,
    ProviderEvents.Ready,
    ProviderEvents.ConfigurationChanged,
  ])
})
