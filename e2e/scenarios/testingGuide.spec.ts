import { resolve } from 'node:path'
import { startSite } from '../support/site'
import { ROOT } from '../support/root'
// docs/guides/testing.md has the following lines.
import { expect, test } from 'trailmark/testing/playwright'

test.use({
  analyticsHost: 'https://t.example.com',
  analyticsPlan: { events: { purchase: { type: 'object', properties: { amount: { type: 'number' } } } } },
})

test('a purchase is captured', async ({ page, analytics }) => {
  analytics.setFlags({ 'new-checkout': 'short' })
  await page.goto('/checkout')
  await page.getByRole('button', { name: 'Buy' }).click()
  await expect(page).toHaveCaptured('purchase', { amount: 42 })
  await expect(page).toHaveCapturedTimes('purchase', 1)
  await expect(page).not.toHaveCaptured('refund')
})
// The site of the guide.
test.use({
  baseURL: async ({}, use) => {
    const site = await startSite({ '/sdk/': resolve(ROOT, 'dist/esm') })
    const start = `analytics.init('tm_token', { api_host: 'https://t.example.com' })`
    const buy = `document.querySelector('button').onclick = () => analytics.capture('purchase', { amount: 42 })`
    const script = `<script type="module">import { analytics } from '/sdk/main.js'; ${start}; ${buy}</script>`
    site.page('/checkout', `<!doctype html><title>Shop</title><button>Buy</button>${script}`)
    await use(site.url)
    await site.stop()
  },
})
