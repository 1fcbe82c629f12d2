import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOT } from '../support/root'
import { expect, test } from '../support/scenario'
import type { Service } from '../support/service'

// The real posthog-js, as npm has it: the service must understand what sites already send.
const BUNDLE = readFileSync(resolve(ROOT, 'node_modules/posthog-js/dist/array.js'), 'utf8')

/** A page with posthog-js, pointed at the service. */
const pageFor = ({ url, token }: Pick<Service, 'url' | 'token'>) =>
  `<!doctype html><meta charset="utf-8"><title>Shop</title><body><button id="buy">Buy</button><script>
    window.posthog = Object.assign([], { __SV: 1, _i: [['${token}', { api_host: '${url}', opt_out_useragent_filter: true,
      request_queue_config: { flush_interval_ms: 250 } }, 'posthog']] })
  </script><script>${BUNDLE.replaceAll('</script', '<\\/script')}</script></body>`

test('posthog-js, pointed at the service, gets its events stored', async ({ page, site, service, stored }) => {
  site.page('/shop', pageFor(service))
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

test('posthog-js gets flags, variants and payloads, decided on what it says of the person', async ({ page, site, service, stored }) => {
  const define = (key: string, filters: object) => service.api('POST', '/feature_flags/', { key, filters })
  await define('for-everybody', { groups: [{}], multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] }, payloads: { blue: '{"a":1}' } })
  await define('for-gold', { groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }] }] })
  site.page('/shop', pageFor(service))
  await page.goto(`${site.url}/shop`)
  const read = () =>
    page.evaluate(() => {
      const { posthog } = window as unknown as { posthog: Record<string, (...args: unknown[]) => unknown> }
      return [posthog.getFeatureFlag?.('for-everybody'), posthog.getFeatureFlagPayload?.('for-everybody'), posthog.isFeatureEnabled?.('for-gold')]
    })
  await expect.poll(read).toEqual(['blue', { a: 1 }, false])
  await page.evaluate(() => (window as unknown as { posthog: { identify(id: string, set: object): void } }).posthog.identify('ada', { plan: 'gold' }))
  await expect.poll(read).toEqual(['blue', { a: 1 }, true])
  const events = await stored((all) => all.filter(({ event }) => event === '$feature_flag_called').length >= 3)
  expect(events.find(({ event }) => event === '$feature_flag_called')!.properties).toMatchObject({ $feature_flag: 'for-everybody', $feature_flag_response: 'blue' })
})
