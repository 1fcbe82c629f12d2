import type { Page } from 'playwright/test'
import { areThere, expect, test } from '../support/scenario'

const OPTIONS = { defaults: '2026-01-30', request_queue_config: { flush_interval_ms: 250 } }

/** Collects the lines of the console and the URLs of all requests. */
const watch = (page: Page) => {
  const lines: string[] = []
  const urls: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  page.on('request', (request) => urls.push(request.url()))
  return { lines, urls }
}

const BUTTON = '<button id="buy" onclick="analytics.capture(\'purchase\', { amount: 42 })">Buy</button>'

test('trailmark/core and people deliver events and say which import an absent feature needs', async ({
  page,
  site,
  service,
  stored,
}) => {
  const { lines, urls } = watch(page)
  const options = { ...OPTIONS, api_host: service.url, opt_out_useragent_filter: true, rageclick: true }
  site.page(
    '/',
    `<!doctype html><title>Core</title><link rel="icon" href="data:,">${BUTTON}<script type="module">
      import { createAnalytics } from '/sdk/parts/core.js'
      import { people } from '/sdk/parts/people.js'
      window.analytics = createAnalytics({ features: [people] })
      analytics.init('${service.token}', ${JSON.stringify(options)})
      analytics.register({ plan: 'free' })
      analytics.identify('ada')
    </script>`,
  )
  await page.goto(site.url)
  await page.locator('#buy').click()
  const events = await stored(areThere('$identify', 'purchase'))
  const [identify, purchase] = events
  expect(purchase).toMatchObject({ distinct_id: 'ada', properties: { amount: 42, plan: 'free' } })
  expect(purchase!.properties.$session_id).toBe(identify!.properties.$session_id)

  expect(await page.evaluate(() => window.analytics.getFeatureFlag('new-checkout'))).toBeUndefined()
  expect(lines).toEqual([
    '[trailmark] rageclick is not an option of the imported parts. trailmark/checks says more',
    '[trailmark] getFeatureFlag needs trailmark/flags; the call does nothing',
  ])
  expect(urls.filter((url) => /flags|clicks/.test(url))).toEqual([])
})

test('analytics.core.js delivers events that outlive the page', async ({ page, site, service, stored }) => {
  const { lines } = watch(page)
  const options = { ...OPTIONS, api_host: service.url, opt_out_useragent_filter: true }
  site.page(
    '/',
    `<!doctype html><title>Core</title><link rel="icon" href="data:,">${BUTTON}
    <script src="${service.url}/static/analytics.core.js"></script>
    <script>analytics.init('${service.token}', ${JSON.stringify(options)})</script>`,
  )
  await page.goto(site.url)
  await page.locator('#buy').click()
  await page.goto('about:blank')
  const [purchase] = await stored(areThere('purchase'))
  expect(purchase!.properties).toMatchObject({ amount: 42, $lib: 'web' })
  expect(lines).toEqual([])
})

test('trailmark/core with flags and pageviews has only these features', async ({ page, site, service, stored }) => {
  const { lines } = watch(page)
  const options = { ...OPTIONS, api_host: service.url, opt_out_useragent_filter: true }
  site.page(
    '/',
    `<!doctype html><title>Parts</title><link rel="icon" href="data:,">${BUTTON}<script type="module">
      import { createAnalytics } from '/sdk/parts/core.js'
      import { flags } from '/sdk/parts/flags.js'
      import { pageviews } from '/sdk/parts/pageviews.js'
      window.analytics = createAnalytics({ features: [flags, pageviews] })
      analytics.init('${service.token}', ${JSON.stringify(options)})
    </script>`,
  )
  await page.goto(site.url)
  await expect.poll(() => page.evaluate(() => window.analytics.featureFlags.hasLoadedFlags)).toBe(true)
  await page.locator('#buy').click()
  const events = await stored(areThere('$pageview', 'purchase'))
  const [pageview, purchase] = events
  expect(purchase!.properties.$pageview_id).toBe(pageview!.uuid)
  expect(lines).toEqual([])
})
