import { spawn } from 'node:child_process'
import { chromium, type Browser } from 'playwright/test'
import { ready } from '../support/ready'
import { areThere, expect, test } from '../support/scenario'
import config from '../../playwright.config'

test('a page restored from the back/forward cache captures another pageview', async ({ site, put, stored }) => {
  put('script', '/one', 'one')
  site.page('/two', '<!doctype html><title>two</title>')
  // Playwright turns this cache off, but this test needs it.
  const browser: Browser = await chromium.launch({
    ...config.use!.launchOptions!,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(`${site.url}/one`)
    await ready(page)
    await stored(areThere('$pageview'))
    await page.evaluate((to) => location.assign(to), `${site.url}/two`)
    await page.waitForURL('**/two')
    // Playwright does not track a restored page, so the events are checked instead.
    await page.evaluate(() => setTimeout(() => history.back()))
    const events = await stored(areThere('$pageview', '$pageleave', '$pageview'))
    const [first, second] = events.filter(({ event }) => event === '$pageview')
    // The document was restored, not reloaded, so its state is still there.
    expect(second!.properties).toMatchObject({
      $prev_pageview_id: first!.uuid,
      $session_id: first!.session_id,
      $initialization_time: first!.properties.$initialization_time,
    })
  } finally {
    await browser.close()
  }
})

test('works on a page with changed globals, and changes no globals', async ({ page, site, put, stored }) => {
  put('script', '/', '<button id="b">b</button>')
  await page.addInitScript(() => {
    Object.assign(Object.prototype, { polluted: 'yes' })
    // An old library that defines a toJSON for all arrays.
    Object.assign(Array.prototype, { toJSON: () => 'not an array' })
    Object.freeze(Object.prototype)
  })
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(site.url)
  await ready(page)
  const before = await page.evaluate(() =>
    [history.pushState, fetch, XMLHttpRequest.prototype.send, addEventListener].map((member) =>
      /native code/.test(String(member)),
    ),
  )
  await page.locator('#b').click()
  await page.evaluate(() => void window.analytics.capture('mine', { a: [1, { b: 2 }] }))
  const events = await stored(areThere('$pageview', '$autocapture', 'mine', '$dead_click'))
  expect(events.find(({ event }) => event === 'mine')!.properties).toMatchObject({ a: [1, { b: 2 }] })
  const again = await page.evaluate(() => [JSON.stringify([1]), window.analytics.get_session_id()])
  expect(again).toEqual(['"not an array"', events[0]!.session_id])
  // Stored values are unchanged.
  await page.reload()
  await ready(page)
  expect(await page.evaluate(() => window.analytics.get_session_id())).toBe(events[0]!.session_id)
  expect(before).toEqual([true, true, true, true])
  expect(errors).toEqual([])
})

test('captures a visit when storage is forbidden', async ({ page, site, put, stored }) => {
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

test('describes a click inside open shadow roots with its path through the hosts', async ({
  page,
  site,
  put,
  stored,
}) => {
  put(
    'script',
    '/',
    `<main><my-card></my-card></main><script>
    customElements.define('my-button', class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<button class="buy">Buy <span>now</span></button>' }
    })
    customElements.define('my-card', class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<section><my-button></my-button></section>' }
    })
  </script>`,
  )
  await page.goto(site.url)
  await page.locator('button.buy').click()
  const events = await stored((all) => all.some(({ event }) => event === '$autocapture'))
  const click = events.find(({ event }) => event === '$autocapture')!
  expect(click.properties).toMatchObject({ $event_type: 'click', $el_text: 'Buy now' })
  expect(click.elements_chain.split(';').map((item) => item.replace(/[:.].*/s, ''))).toEqual([
    'button',
    'my-button',
    'section',
    'my-card',
    'main',
    'body',
  ])
})

test('captures a prerendered page when it is shown, and not before', async ({ site, put, stored }, { outputDir }) => {
  const note =
    '<script>analytics.register({ began_hidden: document.prerendering }); fetch("/noted" + location.pathname)</script>'
  const rules = '{"prerender":[{"source":"list","urls":["/next","/never"],"eagerness":"immediate"}]}'
  put(
    'script',
    '/',
    `<a id="go" href="/next">next</a><script type="speculationrules">${rules}</script><script>const wait = () => fetch('/may-go').then(({ ok }) => (ok ? go.click() : setTimeout(wait, 100)))
    wait()</script>`,
  )
  put('script', '/next', note)
  put('script', '/never', note)
  // A browser without automation, because an automated one does not activate prerendered pages.
  const { executablePath, args } = config.use!.launchOptions!
  const browser = spawn(executablePath!, [...args!, '--headless', `--user-data-dir=${outputDir}/profile`, site.url], {
    stdio: 'ignore',
  })
  try {
    await expect.poll(() => ['/next', '/never'].map((path) => site.visits(`/noted${path}`))).toEqual([1, 1])
    site.page('/may-go', '')
    const events = await stored((all) => all.filter(({ event }) => event === '$pageview').length === 2)
    const [first, next] = events.filter(({ event }) => event === '$pageview')
    expect(first!.properties).toMatchObject({ $pathname: '/' })
    expect(next!.properties).toMatchObject({ $pathname: '/next', began_hidden: true })
    expect(['/next', '/never'].map((path) => site.visits(path))).toEqual([1, 1])
  } finally {
    browser.kill('SIGKILL')
  }
})

test('delivers all events of a sandboxed frame without cookies and storage', async ({ page, site, put, stored }) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  put('script', '/framed', '<button>Go</button>')
  site.page('/', '<!doctype html><iframe sandbox="allow-scripts" src="/framed"></iframe>')
  await page.goto(site.url)
  await page.frameLocator('iframe').locator('button').click()
  const frame = page.frames().find((each) => each.url().endsWith('/framed'))!
  await frame.evaluate(() => window.analytics.identify('ada'))
  await stored(areThere('$pageview', '$autocapture', '$identify'))
  expect(errors).toEqual([])
})
