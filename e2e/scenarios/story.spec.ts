import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright/test'
import { ready } from '../support/ready'
import { areThere, expect, test } from '../support/scenario'
import { ROOT } from '../support/root'
import { startProcess } from '../support/startProcess'
import { startSite } from '../support/site'

/** A visitor whose browser does not identify itself as automated, because the demo pages drop bots, as a site would. */
const asPerson = async (context: BrowserContext) =>
  context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })
    const agent = navigator.userAgent.replace('HeadlessChrome', 'Chrome')
    Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => agent })
    Object.defineProperty(Navigator.prototype, 'userAgentData', { get: () => undefined })
  })

test('script build: after `npm start`, a visit to the shop reaches the result of an endpoint with a variable', async ({
  page,
  context,
}) => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-story-'))
  const start = () =>
    startProcess(
      [join(ROOT, 'scripts/start.mjs')],
      { TRAILMARK_PORT: '0', TRAILMARK_DEMO_PORT: '0', TRAILMARK_DATA: data, NO_COLOR: '1' },
      (line) => line.includes('Ctrl-C stops everything'),
    )
  const addresses = (said: string) => ({
    shop: /Demo shop\s+(\S+)/.exec(said)![1]!,
    service: /Service\s+(\S+)/.exec(said)![1]!,
    keyFile: /API key\s+(\S+)/.exec(said)![1]!,
    token: /Project token\s+(\S+)/.exec(said)![1]!,
  })

  let running = await start()
  try {
    const first = addresses(running.output())
    const key = (await readFile(first.keyFile, 'utf8')).trim()
    // Only its owner may read the key, and the output does not contain it.
    expect((await stat(first.keyFile)).mode & 0o777).toBe(0o600)
    expect(running.output()).not.toContain(key)
    expect(running.output()).toContain('curl ')

    // A visit: a page, a product, the basket, the checkout.
    await asPerson(context)
    await page.goto(first.shop)
    await page.locator('#hero-shop').click()
    await page.locator('a[href^="/product/"]').first().click()
    await page.locator('#add-to-basket').click()
    await page.waitForURL('**/basket**')
    await page.locator('#to-checkout').click()
    await page.waitForURL('**/checkout')
    for (const field of await page.locator('main form input[required]').all()) {
      const type = await field.getAttribute('type')
      await field.fill(type === 'email' ? 'ada@example.com' : 'Ada Example')
    }
    // The open panel never covers the page's content: it is next to the page on a wide screen, below it on a phone.
    const panelToggle = page.locator('.watch-toggle')
    await panelToggle.hover()
    await page.mouse.down()
    // An event that arrives while the button is down.
    await page.evaluate(() => void window.analytics.capture('pressed'))
    await expect(page.locator('.watch-list li[data-event="pressed"]')).toHaveCount(1)
    await page.mouse.up()
    await expect(page.locator('#watch-body')).toBeVisible()
    // In one step: the page of results replaces its elements.
    const isVisible = (selector: string) =>
      page.evaluate((selector) => {
        const element = document.querySelector(selector)!
        element.scrollIntoView({ block: 'nearest' })
        const { left, top, width, height } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }, selector)
    for (const [width, height] of [
      [1360, 850],
      [390, 800],
    ]) {
      await page.setViewportSize({ width: width!, height: height! })
      expect([width, await isVisible('#place-order')]).toEqual([width, true])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
    await page.locator('#place-order').click()
    await page.waitForURL('**/orders/**')
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const [today, tomorrow] = [dayOf(Date.now()), dayOf(Date.now() + 86_400_000)]
    await ready(page)
    // The panel shows the event, and that the service has it.
    await expect(page.locator('.watch-list li[data-event="purchase"][data-state="stored"]')).toHaveCount(1)

    // The shop's endpoint returns the new events for the day in the variable.
    const run = async (service: string, since: string) => {
      const response = await fetch(`${service}/api/projects/1/endpoints/shop_purchases_by_day/run`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ variables: { shop_since: since } }),
      })
      return {
        status: response.status,
        body: (await response.json()) as { results: [string, number | string, number][] },
      }
    }
    await expect
      .poll(async () =>
        (await run(first.service, today)).body.results.map(([day, purchases]) => [day, Number(purchases)]),
      )
      .toEqual([[today, 1]])
    expect((await run(first.service, tomorrow)).body.results).toEqual([])
    const refused = await fetch(`${first.service}/api/projects/1/endpoints/shop_purchases_by_day/run`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(refused.status).toBe(400)

    // The shop's own page shows the result too.
    await page.goto(`${first.shop}/results`)
    await expect(page.locator('#purchase-count')).toHaveText('1')
    await expect(page.locator('#watch-body')).toBeVisible()
    expect(await isVisible('#purchase-count')).toBe(true)

    // The panel shows how to keep the events of automated browsers.
    const bot = await context.browser()!.newPage()
    await bot.goto(first.shop)
    await bot.locator('.watch-toggle').click()
    await expect(bot.locator('.watch-list .watch-advice').first()).toContainText('opt_out_useragent_filter: true')
    await bot.close()

    // The output contains no request log.
    expect(running.output()).not.toMatch(/ INFO |\bRequest\b/)

    // Ctrl-C stops everything, and a second start has all data.
    expect(await running.stop('SIGINT')).toBe(0)
    await expect(fetch(`${first.service}/_health`)).rejects.toThrow()
    // No process that uses this data is left, including the engine.
    expect(execFileSync('ps', ['-A', '-o', 'args'], { encoding: 'utf8' })).not.toContain(data)
    running = await start()
    const second = addresses(running.output())
    expect(second.token).toBe(first.token)
    expect((await run(second.service, today)).body.results.map(([day, purchases]) => [day, Number(purchases)])).toEqual(
      [[today, 1]],
    )
  } finally {
    await running.stop()
    await rm(data, { recursive: true, force: true })
  }
})

test('`npm start` on a port in use explains in one sentence what to do', async ({ service }) => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-taken-'))
  const taken = new URL(service.url).port
  const start = startProcess(
    [join(ROOT, 'scripts/start.mjs')],
    { TRAILMARK_PORT: taken, TRAILMARK_DEMO_PORT: '0', TRAILMARK_DATA: data, NO_COLOR: '1' },
    (line) => line.includes('Ctrl-C stops everything'),
  )
  const { message } = (await start.catch((error: unknown) => error)) as Error
  expect(message).toContain('exited with code 1')
  expect(message).toMatch(new RegExp(`${taken}.*TRAILMARK_PORT`))
  expect(message).not.toMatch(/^\s+at /m)
  await rm(data, { recursive: true, force: true })
})

test('npm build: a visit to a bundled app reaches the result of an endpoint with a variable', async ({
  page,
  context,
  service,
  site,
}) => {
  const out = await mkdtemp(join(tmpdir(), 'trailmark-vite-'))
  execFileSync(
    'npx',
    ['--no-install', 'vite', 'build', 'examples/vite', '--outDir', out, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: ROOT, stdio: 'inherit' },
  )
  const app = await startSite({ '/': out })
  try {
    await asPerson(context)
    await page.goto(`${app.url}/?host=${encodeURIComponent(service.url)}&token=${service.token}`)
    await page.locator('#capture').click()
    await page.locator('#identify').click()
    await page.locator('#go-pricing').click()
    await page.locator('#purchase').click()
    const wanted = areThere(
      '$pageview',
      '$pageview',
      '$autocapture',
      '$autocapture',
      '$autocapture',
      '$autocapture',
      'button pressed',
      '$identify',
      'purchase',
    )
    await expect.poll(async () => wanted(await service.events(app.host))).toBe(true)
    const events = await service.events(app.host)
    expect(events.find(({ event }) => event === 'purchase')).toMatchObject({
      distinct_id: 'user_42',
      properties: { amount: 42, $pathname: '/pricing', $sdk_dist_channel: 'npm' },
    })
    expect(await service.events(site.host)).toEqual([])
    // On-demand code is in the bundler's chunks: click detection was loaded from the app's own origin with the first
    // click.
    expect(
      await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .filter((name) => name.includes('clicks')),
      ),
    ).toEqual([expect.stringMatching(new RegExp(`^${app.url}/`))])
    expect(await page.locator('script[src*="gzip"]').count()).toBe(0)
  } finally {
    await app.stop()
    await rm(out, { recursive: true, force: true })
  }
})
