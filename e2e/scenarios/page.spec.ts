import { chromium, type Browser, type Page } from 'playwright/test'
import { areThere, expect, test } from '../support/scenario'
import config from '../../playwright.config'

const ready = (page: Page) => page.waitForFunction(() => window.analytics?.__loaded)

test('a page that comes back out of the back/forward cache counts again, and it may go there', async ({ site, put, stored }) => {
  put('script', '/one', 'one')
  site.page('/two', '<!doctype html><title>two</title>')
  // Playwright turns this cache off; here it is what matters.
  const browser: Browser = await chromium.launch({ ...config.use!.launchOptions!, ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  try {
    const page = await browser.newPage()
    await page.goto(`${site.url}/one`)
    await ready(page)
    await stored(areThere('$pageview'))
    await page.evaluate((to) => location.assign(to), `${site.url}/two`)
    await page.waitForURL('**/two')
    // Playwright does not follow a page that comes back; the events tell.
    await page.evaluate(() => setTimeout(() => history.back()))
    const events = await stored(areThere('$pageview', '$pageleave', '$pageview'))
    const [first, second] = events.filter(({ event }) => event === '$pageview')
    // The same document: it did not begin anew, and it remembers.
    expect(second!.properties).toMatchObject({ $prev_pageview_id: first!.uuid, $session_id: first!.session_id, $initialization_time: first!.properties.$initialization_time })
  } finally {
    await browser.close()
  }
})

test('a strict Content-Security-Policy holds: nothing is violated, everything arrives', async ({ page, site, service, stored }) => {
  site.page(
    '/',
    `<!doctype html><title>csp</title><script src="${service.url}/static/analytics.js" crossorigin="anonymous"></script><script src="/start.js"></script><button id="b">b</button>`,
    { 'Content-Security-Policy': `default-src 'none'; script-src 'self' ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'` },
  )
  site.page(
    '/start.js',
    `window.violations = []; document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
     analytics.init('${service.token}', { api_host: '${service.url}', opt_out_useragent_filter: true, request_queue_config: { flush_interval_ms: 250 } })`,
    { 'Content-Type': 'text/javascript' },
  )
  await page.goto(site.url)
  await ready(page)
  await page.locator('#b').click()
  // The last by code that comes on demand, from the folder of the core.
  await stored(areThere('$pageview', '$autocapture', '$dead_click'))
  expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).toEqual([])
})

test('what the page does to its own globals does no harm, and the SDK does none to them', async ({ page, site, put, stored }) => {
  put('script', '/', '<button id="b">b</button>')
  await page.addInitScript(() => {
    Object.assign(Object.prototype, { polluted: 'yes' })
    // An old library that gives every array and string a way to JSON.
    Object.assign(Array.prototype, { toJSON: undefined })
    Object.freeze(Object.prototype)
  })
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(site.url)
  await ready(page)
  const before = await page.evaluate(() => [history.pushState, fetch, XMLHttpRequest.prototype.send, addEventListener].map((member) => /native code/.test(String(member))))
  await page.locator('#b').click()
  await page.evaluate(() => void window.analytics.capture('mine', { a: [1, { b: 2 }] }))
  const events = await stored(areThere('$pageview', '$autocapture', 'mine', '$dead_click'))
  expect(events.find(({ event }) => event === 'mine')!.properties).toMatchObject({ a: [1, { b: 2 }] })
  expect(before).toEqual([true, true, true, true])
  expect(errors).toEqual([])
})

test('storage that is forbidden: the visit is captured all the same', async ({ page, site, put, stored }) => {
  put('script', '/', 'home')
  await page.addInitScript(() => {
    for (const kind of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, kind, {
        get: () => {
          throw new DOMException('forbidden', 'SecurityError')
        },
      })
    }
    Object.defineProperty(document, 'cookie', { get: () => '', set: () => {} })
  })
  await page.goto(site.url)
  await ready(page)
  const [event] = await stored(areThere('$pageview'))
  expect(event!.session_id).toMatch(/^[0-9a-f-]{36}$/)
})
