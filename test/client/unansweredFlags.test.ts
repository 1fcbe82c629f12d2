import { startAnalytics } from '../support/startAnalytics'

const offline = async (config = {}) => {
  const started = startAnalytics({ remote_config_refresh_interval_ms: 0, ...config })
  started.say(0)
  for (let n = 0; n < 4; n++) {
    started.analytics.reloadFeatureFlags()
    await started.settle(1000)
  }
  return started
}

test('after three unanswered requests flags are asked for again, later each time', async () => {
  const { asked, settle, analytics } = await offline()
  expect(asked).toHaveLength(3)
  await settle(30_000)
  expect(asked).toHaveLength(4)
  analytics.reloadFeatureFlags()
  await settle(30_000)
  expect(asked).toHaveLength(4)
  await settle(31_000)
  expect(asked).toHaveLength(5)
})

test('an answer after the pause is applied, and requests go out at once again', async () => {
  const { say, settle, analytics, asked } = await offline()
  say(200, { flags: { a: { enabled: true } } })
  await settle(31_000)
  expect(analytics.isFeatureEnabled('a')).toBe(true)
  const before = asked.length
  analytics.reloadFeatureFlags()
  await settle(10)
  expect(asked.length).toBeGreaterThan(before)
})

test('reloadFeatureFlagsAsync settles while requests pause', async () => {
  const { analytics, settle } = await offline()
  const settled = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(settled)
  const payload = jest.fn()
  analytics.featureFlags.getRemoteConfigPayload('a', payload)
  await settle(0)
  expect(settled).toHaveBeenCalledWith({ status: 'error' })
  expect(payload).toHaveBeenCalledWith(undefined)
})

test('reloadFeatureFlagsAsync settles when the client is shut down meanwhile', async () => {
  const { analytics, settle } = startAnalytics()
  const settled = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(settled)
  await analytics.shutdown()
  await settle(0)
  expect(settled).toHaveBeenCalledWith({ status: 'error' })
})

test('a request that fails in an unexpected way leaves the next one its turn', async () => {
  const { analytics, asked, settle } = startAnalytics()
  await settle()
  jest.spyOn(console, 'error').mockImplementation(() => {})
  const before = asked.length
  // What a page may do to an option after init.
  Object.defineProperty(analytics.config, 'evaluation_contexts', {
    configurable: true,
    get: () => {
      throw new Error('of the page')
    },
  })
  const settled = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(settled)
  await settle()
  expect(settled).toHaveBeenCalledWith({ status: 'error' })
  Object.defineProperty(analytics.config, 'evaluation_contexts', { value: undefined })
  analytics.reloadFeatureFlags()
  await settle()
  expect(asked).toHaveLength(before + 1)
})

test.each([2_592_000_000, 2 ** 31])('a refresh interval of %p ms does not ask at once', async (ms) => {
  const { asked, settle } = startAnalytics({ remote_config_refresh_interval_ms: ms })
  await settle(10_000)
  expect(asked).toHaveLength(1)
})

test('a flags timeout of more than 2^31 ms does not end the request', async () => {
  const started = startAnalytics({ feature_flag_request_timeout_ms: 2 ** 31 })
  globalThis.fetch = jest.fn(
    (_: string, { signal }: RequestInit) =>
      new Promise((resolve, reject) => {
        signal!.addEventListener('abort', () => reject(new Error('aborted')))
        setTimeout(
          () =>
            resolve({
              status: 200,
              text: async () => '{"flags":{"a":{"enabled":true}}}',
              headers: { get: () => null },
            }),
          1000,
        )
      }),
  ) as never
  await started.settle(5000)
  expect(started.analytics.isFeatureEnabled('a')).toBe(true)
})
