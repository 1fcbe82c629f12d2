import { analytics } from 'trailmark'
import { createCollector, memoryTransport } from 'trailmark/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { buy, start } from './checkout'

const memory = memoryTransport({ analytics })
afterAll(() => memory.stop())

test('a purchase is captured with the steps of its checkout', async () => {
  memory.setFlags({ 'new-checkout': 'short' })
  start()
  await new Promise<void>((done) => void analytics.onFeatureFlags(() => done()))
  buy(42)
  await expect(memory).toHaveCaptured('purchase', { amount: 42, steps: 2 })
  await expect(memory).not.toHaveCaptured('refund')
})

test('fake timers do not stop the matchers', async () => {
  vi.useFakeTimers()
  buy(7)
  await expect(memory).toHaveCaptured('purchase', { amount: expect.any(Number) })
  await expect(memory).toHaveCapturedTimes('purchase', 1, { amount: 7 })
  vi.useRealTimers()
})

test('a failure names the right event', async () => {
  const missing = expect(memory).toHaveCaptured('purchas', {}, { timeout: 10 })
  await expect(missing).rejects.toThrow('Did you mean "purchase"?')
  await expect(expect(memory).not.toHaveCaptured('purchase')).rejects.toThrow('"purchase" was captured')
})

test('a collector runs beside jsdom', async () => {
  const collector = await createCollector()
  await collector.stop()
})
