import { startAnalytics } from '../support/startAnalytics'

const offline = async (config = {}) => {
  const started = startAnalytics({ remote_config_refresh_interval_ms: 0, ...config })
  started.setApiResponse(0)
  for (let n = 0; n < 4; n++) {
    started.analytics.reloadFeatureFlags()
    await started.settle(1000)
  }
  return started
}

test('flags are requested with increasing delays after three requests without a response', async () => {
  const { apiRequests, settle, analytics } = await offline()
  expect(apiRequests).toHaveLength(3)
  await settle(30_000)
  expect(apiRequests).toHaveLength(4)
  analytics.reloadFeatureFlags()
  await settle(30_000)
  expect(apiRequests).toHaveLength(4)
  await settle(31_000)
  expect(apiRequests).toHaveLength(5)
})

test('a flags response after the pause is applied and ends the pause', async () => {
  const { setApiResponse, settle, analytics, apiRequests } = await offline()
  setApiResponse(200, { flags: { a: { enabled: true } } })
  await settle(31_000)
  expect(analytics.isFeatureEnabled('a')).toBe(true)
  const before = apiRequests.length
  analytics.reloadFeatureFlags()
  await settle(10)
  expect(apiRequests.length).toBeGreaterThan(before)
})

test('reloadFeatureFlagsAsync settles while requests are paused', async () => {
  const { analytics, settle } = await offline()
  const settled = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(settled)
  const payload = jest.fn()
  analytics.featureFlags.getRemoteConfigPayload('a', payload)
  await settle(0)
  expect(settled).toHaveBeenCalledWith({ status: 'error' })
  expect(payload).toHaveBeenCalledWith(undefined)
})

test('reloadFeatureFlagsAsync settles when the client is shut down during the request', async () => {
  const { analytics, settle } = startAnalytics()
  const settled = jest.fn()
  void analytics.featureFlags.reloadFeatureFlagsAsync().then(settled)
  await analytics.shutdown()
  await settle(0)
  expect(settled).toHaveBeenCalledWith({ status: 'error' })
})

test('a flags request that fails unexpectedly does not block the next one', async () => {
  const { analytics, apiRequests, settle } = startAnalytics()
  await settle()
  jest.spyOn(console, 'error').mockImplementation(() => {})
  const before = apiRequests.length
  // A page may replace an option after init.
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
  expect(apiRequests).toHaveLength(before + 1)
})

test.each([2_592_000_000, 2 ** 31])(
  'a refresh interval of %p ms does not trigger an immediate flags request',
  async (ms) => {
    const { apiRequests, settle } = startAnalytics({ remote_config_refresh_interval_ms: ms })
    await settle(10_000)
    expect(apiRequests).toHaveLength(1)
  },
)

test('a flags timeout of more than 2^31 ms does not abort the request', async () => {
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
