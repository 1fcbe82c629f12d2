import { ready, waitUntil } from '../support/ready'
import { expect, test } from '../support/scenario'
import type { Service, StoredEvent } from '../support/service'

/** Defines a flag that is on for everyone who matches `properties`. Each test gets its own key. */
const define = async (
  service: Service,
  key: string,
  { properties = [], ...more }: { properties?: object[]; multivariate?: object; payloads?: object } = {},
) => {
  const { status, body } = await service.api('POST', '/feature_flags/', {
    key,
    active: true,
    filters: { groups: [{ properties, rollout_percentage: 100 }], ...more },
  })
  expect([status, body]).toEqual([201, expect.anything()])
}

for (const build of ['script', 'npm'] as const) {
  test(`${build} build: loads flags with variants and payloads in one request, and captures their use`, async ({
    page,
    site,
    service,
    put,
    stored,
  }) => {
    await define(service, `checkout-${build}`, {
      multivariate: { variants: [{ key: 'short', rollout_percentage: 100 }] },
      payloads: { short: '{"steps":2}' },
    })
    await define(service, `for-gold-${build}`, {
      properties: [{ key: 'plan', value: ['gold'], operator: 'exact', type: 'person' }],
    })
    put(build, '/', 'home')
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/flags/')) asked.push(request.url())
    })
    await page.goto(site.url)
    await ready(page)
    const first = await page.evaluate(
      (name) =>
        new Promise((resolve) =>
          window.analytics.onFeatureFlags(() =>
            resolve([
              window.analytics.getFeatureFlag(`checkout-${name}`),
              window.analytics.getFeatureFlagPayload(`checkout-${name}`),
              window.analytics.isFeatureEnabled(`for-gold-${name}`),
            ]),
          ),
        ),
      build,
    )
    expect(first).toEqual(['short', { steps: 2 }, false])
    expect(asked).toHaveLength(1)

    await page.evaluate(() => window.analytics.identify('ada', { plan: 'gold' }))
    await page.waitForFunction((name) => window.analytics.isFeatureEnabled(`for-gold-${name}`), build)
    // Until the response for the person arrives, the flag has its previous value.
    const calledIn = (all: StoredEvent[]) =>
      all
        .filter(({ event }) => event === '$feature_flag_called')
        .map(({ properties }) => [properties.$feature_flag, properties.$feature_flag_response])
    const called = calledIn(
      await stored((all) => calledIn(all).some(([key, value]) => key === `for-gold-${build}` && value === true)),
    )
    expect(called).toEqual(
      expect.arrayContaining([
        [`checkout-${build}`, 'short'],
        [`for-gold-${build}`, false],
        [`for-gold-${build}`, true],
      ]),
    )

    // The next page has them from the start, before any request.
    await page.route('**/flags/**', (route) => route.abort())
    await page.reload()
    await ready(page)
    expect(await page.evaluate((name) => window.analytics.getFeatureFlag(`checkout-${name}`), build)).toBe('short')
  })
}

test('drops autocapture events if the service has turned autocapture off, also those captured before the response', async ({
  page,
  site,
  service,
  put,
  stored,
}) => {
  const set = (autocapture_opt_out: boolean) => service.api('PATCH', '/remote_config/', { autocapture_opt_out })
  expect((await set(true)).status).toBe(200)
  try {
    put('script', '/', '<button>Buy</button>', { capture_dead_clicks: false })
    // The click waits while the request with the pageview has no response.
    let release = () => {}
    const isChecked = new Promise<void>((resolve) => (release = resolve))
    const DELIVERY = /\/e\/(\?|$)/
    await page.route(DELIVERY, async (route) => {
      await isChecked
      await route.continue()
    })
    const isSending = page.waitForRequest(DELIVERY)
    // The service responds after the click.
    let respond = () => {}
    const hasClicked = new Promise<void>((resolve) => (respond = resolve))
    await page.route('**/flags/**', async (route) => {
      await hasClicked
      await route.continue()
    })
    await page.goto(site.url)
    await ready(page)
    await isSending
    await page.locator('button').click()
    // A click is captured in a later task.
    await expect
      .poll(() => page.evaluate(() => window.analytics.explain('$autocapture').map(({ state }) => state)))
      .toEqual(['waiting'])
    respond()
    await expect.poll(() => page.evaluate(() => window.analytics.drops())).toEqual({ turned_off_by_service: 1 })
    release()
    await page.locator('button').click()
    const events = await stored((all) => all.length > 0)
    expect(events.map(({ event }) => event)).toEqual(['$pageview'])
  } finally {
    await set(false)
  }
})

test('a visitor who enrolls in an early access feature keeps it on the next page', async ({
  page,
  site,
  service,
  put,
}) => {
  await service.api('POST', '/early_access_feature/', { name: 'Early editor', stage: 'beta' })
  put('script', '/', 'home')
  await page.goto(site.url)
  await ready(page)
  const offered = await page.evaluate(
    () =>
      new Promise((resolve) =>
        window.analytics.getEarlyAccessFeatures((features) => resolve(features.map(({ flagKey }) => flagKey)), true),
      ),
  )
  expect(offered).toContain('early-editor')
  await waitUntil(page, () => window.analytics.isFeatureEnabled('early-editor') === false)
  const answered = page.waitForResponse(
    async (response) =>
      response.url().includes('/flags/') &&
      ((await response.json()) as { flags: Record<string, { enabled: boolean }> }).flags['early-editor']?.enabled ===
        true,
  )
  await page.evaluate(() => window.analytics.updateEarlyAccessFeatureEnrollment('early-editor', true))
  await answered
  await page.reload()
  await ready(page)
  await waitUntil(page, () => window.analytics.isFeatureEnabled('early-editor') === true)
})
