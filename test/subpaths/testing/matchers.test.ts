import 'trailmark/testing/jest'
import { analytics } from 'trailmark'
import { createCollector, memoryTransport, type MemoryTransport } from 'trailmark/testing'

let memory: MemoryTransport
beforeEach(() => {
  memory = memoryTransport({ analytics })
})
afterEach(() => {
  void analytics.shutdown()
  memory.stop()
})
const init = (options: Parameters<typeof analytics.init>[1] = {}) =>
  analytics.init('any', { api_host: 'https://t.example.com', capture_pageview: false, autocapture: false, ...options })

const failure = async (expectation: Promise<void>): Promise<string> => {
  try {
    await expectation
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It passed.')
}

test.each(['real', 'fake'])('an application is tested without a network, with %s timers', async (timers) => {
  if (timers === 'fake') jest.useFakeTimers()
  memory.setFlags({ 'new-checkout': { value: 'short', payload: { steps: 2 } } })
  init()
  const loaded = new Promise<void>((done) => void analytics.onFeatureFlags(() => done()))
  if (timers === 'fake') await jest.advanceTimersByTimeAsync(100)
  await loaded
  expect(analytics.getFeatureFlagPayload('new-checkout')).toEqual({ steps: 2 })
  analytics.capture('purchase', { amount: 42, items: [{ id: 'a', price: 1 }] })
  await expect(memory).toHaveCaptured('purchase', { amount: 42, items: [{ id: 'a' }] })
  await expect(memory).toHaveCaptured('purchase', { amount: expect.any(Number) })
  await expect(memory).toHaveCapturedTimes('purchase', 1)
  await expect(memory).not.toHaveCaptured('refund')
  await expect(memory).not.toHaveCaptured('purchase', { amount: 43 })
  expect(memory.requests().map(({ path }) => path.split('?')[0])).toEqual(expect.arrayContaining(['/flags/', '/e/']))
})

test('an event that waits in the queue makes `not` fail, with fake timers too', async () => {
  jest.useFakeTimers()
  init()
  analytics.capture('late', { step: 1 })
  expect(memory.events()).toEqual([])
  expect(await failure(expect(memory).not.toHaveCaptured('late'))).toContain('"late" was captured: {')
})

test('an event that arrives later makes `not` fail', async () => {
  const collector = await createCollector()
  const { request } = jest.requireActual<{ request(url: string, options: object): { end(body: string): void } }>(
    'node:http',
  )
  const body = JSON.stringify({
    api_key: collector.token,
    batch: [{ event: 'late', properties: { distinct_id: 'ada' } }],
  })
  setTimeout(() => request(`${collector.url}/e/`, { method: 'POST' }).end(body), 100)
  expect(await failure(expect(collector).not.toHaveCaptured('late'))).toContain('"late" was captured')
  await collector.stop()
})

test('the failure names the right event, and the differences of its properties', async () => {
  init()
  analytics.capture('purchase_completed', { amount: 42, curency: 'EUR' })
  analytics.capture('other')
  const now = { timeout: 1 }
  expect(await failure(expect(memory).toHaveCaptured('purchaseCompletd', {}, now))).toMatch(
    /No event "purchaseCompletd" was captured.\n {2}Did you mean "purchase_completed"\?/,
  )
  const text = await failure(
    expect(memory).toHaveCaptured('purchase_completed', { amount: '42', currency: 'EUR' }, now),
  )
  expect(text).toContain('amount: expected "42", got 42')
  expect(text).toContain('currency: expected "EUR", got nothing (there is curency: "EUR")')
  expect(await failure(expect(memory).toHaveCapturedTimes('other', 2))).toContain(
    '"other" was captured 1 times, expected 2',
  )
})

test('the failure has the reason of explain()', async () => {
  init({ before_send: (event) => (event?.event === 'secret' ? null : event) })
  analytics.capture('secret')
  expect(await failure(expect(memory).toHaveCaptured('secret', {}, { timeout: 1 }))).toContain(
    'secret: dropped, before_send',
  )
})

test('toMatchPlan lists what breaks the plan and what was rejected', async () => {
  init()
  const amount = { type: 'number' }
  const plan = { events: { purchase: { type: 'object', properties: { amount }, additionalProperties: false } } }
  analytics.capture('purchase', { amount: 42 })
  await expect(memory).toMatchPlan(plan)
  analytics.capture('purchase', { amount: '42' })
  expect(await failure(expect(memory).toMatchPlan(plan))).toContain('purchase: amount must be number, is string')
  analytics.capture('purchas')
  expect(await failure(expect(memory).toMatchPlan(plan))).toContain(
    'purchas: is not in the plan. Did you mean "purchase"?',
  )
  await expect(memory).not.toMatchPlan(({ event }) => (event === 'purchase' ? ['is not wanted'] : []))
  await fetch('https://t.example.com/e/', { method: 'POST', body: '{"api_key":"any","batch":[{"event":"x"}]}' })
  expect(memory.bad()).toMatchObject([{ event: 'x', code: 'missing_distinct_id' }])
})

test('without an instance, all SDKs of the page send what waits', async () => {
  memory.stop()
  memory = memoryTransport()
  init()
  analytics.capture('purchase')
  await expect(memory).toHaveCaptured('purchase')
  expect(document.visibilityState).toBe('visible')
})

test('other requests and the browser are left as they were', async () => {
  memory.stop()
  const before = [globalThis.fetch, navigator.userAgent, Object.getOwnPropertyNames(Navigator.prototype).sort()]
  const own = jest.fn(async () => new Date())
  globalThis.fetch = own as unknown as typeof fetch
  const other = memoryTransport({ host: 'https://t.example.com' })
  await fetch('https://api.example.com/e/', { method: 'POST' })
  expect(own).toHaveBeenCalledTimes(1)
  other.stop()
  globalThis.fetch = before[0] as typeof fetch
  expect([globalThis.fetch, navigator.userAgent, Object.getOwnPropertyNames(Navigator.prototype).sort()]).toEqual(
    before,
  )
})
