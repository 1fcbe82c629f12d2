import { resolve } from 'node:path'
import { expect, test } from 'trailmark/testing/playwright'
import { ROOT } from '../support/root'
import { type Site, startSite } from '../support/site'

// The site is built with a host and a token of its own, as sites are.
const HOST = 'https://t.example.com'
const PLAN = {
  events: { purchase: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } },
}
test.use({ analyticsHost: HOST, analyticsPlan: PLAN })

let site: Site
test.beforeAll(async () => {
  site = await startSite({ '/sdk/': resolve(ROOT, 'dist/esm') })
  const buttons = `<button onclick="analytics.capture('purchase', { amount: 42 })">Buy</button>
    <button onclick="analytics.capture('purchase', { amount: '42' })">Buy as text</button>
    <button onclick="analytics.capture('purchas', { amount: 42 })">Misspelt</button>
    <button onclick="analytics.capture('x'.repeat(201))">Too long</button>`
  const page = (start: string) => `<!doctype html><title>Shop</title>${start}${buttons}`
  const options = (more = '') => `{ api_host: '${HOST}', autocapture: false${more} }`
  const script = `<script src="${HOST}/static/analytics.js"></script>`
  site.page('/', page(`${script}<script>analytics.init('built-in', ${options()})</script>`))
  site.page('/wrong', page(`${script}<script>analytics.init('built-in', ${options(', autocaptur: true')})</script>`))
  // An application keeps the instance to itself.
  const own = `import { analytics } from '/sdk/main.js'; analytics.init('built-in', ${options()}); analytics.capture('purchase', { amount: 7 })`
  site.page('/app', page(`<script type="module">${own}</script>`))
})
test.afterAll(() => site.stop())

test('events of a page are awaited, with their properties', async ({ page, analytics }) => {
  analytics.setFlags({ 'new-checkout': 'short' })
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Buy', exact: true }).click()
  await expect(page).toHaveCaptured('purchase', { amount: 42 })
  await expect(page).toHaveCapturedTimes('purchase', 1)
  await expect(page).not.toHaveCaptured('purchase', { amount: 43 })
  await expect(page).toMatchPlan(PLAN)
  expect(await page.evaluate(() => window.analytics.getFeatureFlag('new-checkout'))).toBe('short')
  // Leaving sends a beacon.
  await page.goto('about:blank')
  await expect(page).toHaveCaptured('$pageleave')
})

test('an application that shares no instance is made to send too', async ({ page }) => {
  await page.goto(`${site.url}/app`)
  await expect(page).toHaveCaptured('purchase', { amount: 7 })
  await expect(page).not.toHaveCaptured('refund')
})

test('`not` fails on an event that still waits in the page', async ({ page }) => {
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Buy', exact: true }).click()
  await expect(expect(page).not.toHaveCaptured('purchase')).rejects.toThrow('"purchase" was captured')
})

test('a failure names the right event and the reason of explain()', async ({ page }) => {
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Buy', exact: true }).click()
  const missing = expect(page).toHaveCaptured('purchased', {}, { timeout: 100 })
  await expect(missing).rejects.toThrow('Did you mean "purchase"?')
  await page.evaluate(() => {
    window.analytics.opt_out_capturing()
    window.analytics.capture('after opting out')
  })
  const dropped = expect(page).toHaveCaptured('after opting out', {}, { timeout: 100 })
  await expect(dropped).rejects.toThrow('after opting out: dropped, opted_out')
})

// Each of these fails after its last line, because of the fixture.
for (const [button, problem] of [
  ['Buy as text', 'amount must be number, is string'],
  ['Misspelt', 'is not in the plan'],
] as const)
  test(`a test fails on an event outside the plan: ${problem}`, async ({ page }) => {
    await page.goto(site.url)
    await page.getByRole('button', { name: button }).click()
    await expect(expect(page).toMatchPlan(PLAN)).rejects.toThrow(problem)
    test.fail()
  })

test.describe('without a plan', () => {
  test.use({ analyticsPlan: undefined })

  test('a test fails on a rejected event', async ({ page, analytics }) => {
    await page.goto(site.url)
    await page.getByRole('button', { name: 'Too long' }).click()
    await expect
      .poll(() => analytics.flush().then(() => analytics.bad()))
      .toMatchObject([{ code: 'event_name_too_long' }])
    test.fail()
  })

  test('a test fails on a wrong option', async ({ page, analytics }) => {
    await page.goto(`${site.url}/wrong`)
    await expect.poll(() => analytics.warnings()).toEqual([expect.stringContaining('there is no option autocaptur')])
    test.fail()
  })
})
