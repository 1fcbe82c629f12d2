import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOT } from '../support/root'
import { waitUntil } from '../support/ready'
import { expect, test } from '../support/scenario'
import type { Service } from '../support/service'

// The real posthog-js from npm: the service must accept what sites already send.
const BUNDLE = readFileSync(resolve(ROOT, 'node_modules/posthog-js/dist/array.js'), 'utf8')

/** A page with posthog-js that sends to the service. */
const pageFor = ({ url, token }: Pick<Service, 'url' | 'token'>) =>
  `<!doctype html><meta charset="utf-8"><title>Shop</title><body><button id="buy">Buy</button><script>
    window.posthog = Object.assign([], { __SV: 1, _i: [['${token}', { api_host: '${url}', opt_out_useragent_filter: true,
      request_queue_config: { flush_interval_ms: 250 }, feature_flag_request_timeout_ms: 60_000 }, 'posthog']] })
  </script><script>${BUNDLE.replaceAll('</script', '<\\/script')}</script></body>`

test('stores the events of posthog-js', async ({ page, site, service, stored }) => {
  site.page('/shop', pageFor(service))
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(service.url) && response.status() >= 500)
      failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${site.url}/shop`)
  await waitUntil(page, () => (window as unknown as { posthog: { __loaded?: boolean } }).posthog.__loaded === true)
  await page.evaluate(() => {
    const { posthog } = window as unknown as { posthog: Record<string, (...args: unknown[]) => unknown> }
    posthog.capture!('purchase', { amount: 42 })
    posthog.identify!('ada', { plan: 'gold' })
  })
  await stored((events) =>
    ['$pageview', 'purchase', '$identify'].every((name) => events.some(({ event }) => event === name)),
  )
  await page.locator('#buy').click()
  const events = await stored((all) => all.some(({ event }) => event === '$autocapture'))
  expect(events.find(({ event }) => event === 'purchase')!.properties).toMatchObject({ amount: 42, $lib: 'web' })
  expect(events.find(({ event }) => event === '$identify')).toMatchObject({
    distinct_id: 'ada',
    properties: { $set: { plan: 'gold' } },
  })
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
  expect(failed).toEqual([])
})

test('posthog-js gets flags, variants and payloads evaluated on the person properties it sends', async ({
  page,
  site,
  service,
  stored,
}) => {
  const define = (key: string, filters: object) => service.api('POST', '/feature_flags/', { key, filters })
  await define('for-everybody', {
    groups: [{}],
    multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
    payloads: { blue: '{"a":1}' },
  })
  await define('for-gold', { groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }] }] })
  site.page('/shop', pageFor(service))
  await page.goto(`${site.url}/shop`)
  const read = () =>
    page.evaluate(() => {
      const { posthog } = window as unknown as { posthog: Record<string, (...args: unknown[]) => unknown> }
      return [
        posthog.getFeatureFlag?.('for-everybody'),
        posthog.getFeatureFlagPayload?.('for-everybody'),
        posthog.isFeatureEnabled?.('for-gold'),
      ]
    })
  await expect.poll(read).toEqual(['blue', { a: 1 }, false])
  await page.evaluate(() =>
    (window as unknown as { posthog: { identify(id: string, set: object): void } }).posthog.identify('ada', {
      plan: 'gold',
    }),
  )
  await expect.poll(read).toEqual(['blue', { a: 1 }, true])
  const events = await stored((all) => all.filter(({ event }) => event === '$feature_flag_called').length >= 3)
  expect(events.find(({ event }) => event === '$feature_flag_called')!.properties).toMatchObject({
    $feature_flag: 'for-everybody',
    $feature_flag_response: 'blue',
  })
})

type Sdk = Record<string, (...args: unknown[]) => unknown>

test('supports groups, alias, and set and unset person properties of posthog-js', async ({
  page,
  site,
  service,
  stored,
}) => {
  await service.api('POST', '/feature_flags/', {
    key: 'for-large',
    filters: {
      aggregation_group_type: 'company',
      groups: [{ properties: [{ key: 'size', value: 10, operator: 'gt', type: 'group' }] }],
    },
  })
  site.page('/shop', pageFor(service))
  await page.goto(`${site.url}/shop`)
  await waitUntil(page, () => (window as unknown as { posthog: { __loaded?: boolean } }).posthog.__loaded === true)
  const anonymous = await page.evaluate(() => {
    const { posthog } = window as unknown as { posthog: Sdk }
    const id = posthog.get_distinct_id!()
    posthog.capture!('looked')
    posthog.identify!('grace', { plan: 'free', seat: 7 }, { source: 'ads' })
    posthog.group!('company', 'acme', { size: 11 })
    posthog.setPersonProperties!({ plan: 'gold' })
    posthog.unsetPersonProperties!(['seat'])
    posthog.alias!('grace@work')
    posthog.capture!('bought')
    return id as string
  })
  // The flag is evaluated on the group properties that the service received.
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { posthog: Sdk }).posthog.isFeatureEnabled!('for-large')))
    .toBe(true)
  const events = await stored((all) =>
    ['looked', 'bought', '$groupidentify', '$create_alias'].every((name) => all.some(({ event }) => event === name)),
  )
  expect(events.find(({ event }) => event === 'looked')!.distinct_id).toBe(anonymous)

  const query =
    "SELECT event, distinct_id, person.properties.plan, person.properties.seat, person.properties.source, $group_0, group_0.properties.size FROM events WHERE event IN ('looked', 'bought') AND properties.$host = {variables.host} ORDER BY timestamp"
  await service.api('POST', '/endpoints/', { name: 'who-bought', query: { kind: 'HogQLQuery', query } })
  const { body } = await service.api('POST', '/endpoints/who-bought/run', {
    variables: { host: new URL(site.url).host },
  })
  // Events before the visitor was identified belong to the same person.
  expect(body.results).toEqual([
    ['looked', anonymous, 'gold', null, 'ads', '', null],
    ['bought', 'grace', 'gold', null, 'ads', 'acme', '11'],
  ])
})

test('posthog-js enrolls in an early access feature and leaves it', async ({ page, site, service, stored }) => {
  const { status } = await service.api('POST', '/early_access_feature/', {
    name: 'Night mode',
    stage: 'beta',
    description: 'Dark',
  })
  expect(status).toBe(201)
  site.page('/shop', pageFor(service))
  await page.goto(`${site.url}/shop`)
  await waitUntil(page, () => (window as unknown as { posthog: { __loaded?: boolean } }).posthog.__loaded === true)
  const offered = await page.evaluate(
    () =>
      new Promise((resolve) => (window as unknown as { posthog: Sdk }).posthog.getEarlyAccessFeatures!(resolve, true)),
  )
  // Other tests of this service may have their own features.
  expect(offered).toContainEqual(
    expect.objectContaining({ name: 'Night mode', stage: 'beta', description: 'Dark', flagKey: 'night-mode' }),
  )
  const say = (isEnrolled: boolean) =>
    page.evaluate(
      (told) =>
        void (window as unknown as { posthog: Sdk }).posthog.updateEarlyAccessFeatureEnrollment!(
          'night-mode',
          told,
          'beta',
        ),
      isEnrolled,
    )
  // The response of the service, not what the page assumes in the meantime.
  const answered = (isEnrolled: boolean) =>
    page.waitForResponse(
      async (response) =>
        response.url().includes('/flags/') &&
        ((await response.json()) as { flags: Record<string, { enabled: boolean }> }).flags['night-mode']?.enabled ===
          isEnrolled,
    )
  for (const isEnrolled of [true, false]) {
    const answer = answered(isEnrolled)
    await say(isEnrolled)
    await answer
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { posthog: Sdk }).posthog.isFeatureEnabled!('night-mode')))
      .toBe(isEnrolled)
  }
  const events = await stored((all) => all.filter(({ event }) => event === '$feature_enrollment_update').length === 2)
  expect(
    events.filter(({ event }) => event === '$feature_enrollment_update').map(({ properties }) => properties.$set),
  ).toEqual([{ '$feature_enrollment/night-mode': true }, { '$feature_enrollment/night-mode': false }])
})

test('posthog-js requests each script once, without console errors', async ({ page, site, service, stored }) => {
  site.page('/shop', pageFor(service))
  const errors: string[] = []
  const scripts: string[] = []
  page.on('console', (message) => {
    // The test's site has no favicon.
    const { url } = message.location()
    if (message.type() === 'error' && !url.endsWith('/favicon.ico')) errors.push(`${message.text()} ${url}`)
  })
  page.on('pageerror', (error) => void errors.push(String(error)))
  page.on('request', (request) => void (request.resourceType() === 'script' && scripts.push(request.url())))
  await page.goto(`${site.url}/shop`)
  await waitUntil(page, () => (window as unknown as { posthog: { __loaded?: boolean } }).posthog.__loaded === true)
  // As on a site that shows surveys. Checks for scripts that the configuration does not turn on.
  await page.evaluate(() => {
    const { posthog } = window as unknown as { posthog: Sdk }
    posthog.onSurveysLoaded?.(() => {})
    posthog.startExceptionAutocapture?.()
    posthog.capture!('looked')
  })
  await stored((all) => all.some(({ event }) => event === 'looked'))
  await expect.poll(() => scripts.some((url) => url.includes('surveys.js'))).toBe(true)
  await expect.poll(() => scripts.some((url) => url.includes('exception-autocapture.js'))).toBe(true)
  await page.waitForLoadState('networkidle')
  expect(errors).toEqual([])
  const names = scripts.map((url) => new URL(url).pathname.split('/').at(-1))
  expect(names).toEqual([...new Set(names)])
})
