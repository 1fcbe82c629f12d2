import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOT } from '../support/root'
import { expect, test } from '../support/scenario'

// The real posthog-js, as npm has it: the service must understand what sites already send.
const BUNDLE = readFileSync(resolve(ROOT, 'node_modules/posthog-js/dist/array.js'), 'utf8')

test('posthog-js, pointed at the service, gets its events stored', async ({ page, site, service, stored }) => {
  site.page(
    '/shop',
    `<!doctype html><meta charset="utf-8"><title>Shop</title><body><button id="buy">Buy</button><script>
      window.posthog = Object.assign([], { __SV: 1, _i: [['${service.token}', { api_host: '${service.url}', opt_out_useragent_filter: true,
        request_queue_config: { flush_interval_ms: 250 } }, 'posthog']] })
    </script><script>${BUNDLE.replaceAll('</script', '<\\/script')}</script></body>`,
  )
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(service.url) && response.status() >= 500) failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${site.url}/shop`)
  await page.waitForFunction(() => (window as unknown as { posthog: { __loaded?: boolean } }).posthog.__loaded)
  await page.evaluate(() => {
    const { posthog } = window as unknown as { posthog: Record<string, (...args: unknown[]) => unknown> }
    posthog.capture!('purchase', { amount: 42 })
    posthog.identify!('ada', { plan: 'gold' })
  })
  await stored((events) => ['$pageview', 'purchase', '$identify'].every((name) => events.some(({ event }) => event === name)))
  await page.locator('#buy').click()
  const events = await stored((all) => all.some(({ event }) => event === '$autocapture'))
  expect(events.find(({ event }) => event === 'purchase')!.properties).toMatchObject({ amount: 42, $lib: 'web' })
  expect(events.find(({ event }) => event === '$identify')).toMatchObject({ distinct_id: 'ada', properties: { $set: { plan: 'gold' } } })
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
  expect(failed).toEqual([])
})
