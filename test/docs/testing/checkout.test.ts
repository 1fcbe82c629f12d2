import { analytics } from 'trailmark'
import { memoryTransport } from 'trailmark/testing'
import 'trailmark/testing/jest'
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
