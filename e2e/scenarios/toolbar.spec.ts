import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Locator, Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { ROOT } from '../support/root'
import { type Build, BUILDS, expect, test as base } from '../support/scenario'
import type { Service } from '../support/service'
import { startSite } from '../support/site'
import { snippetPage } from '../support/snippetPage'

// The toolbar in a browser, with the sessions and reads of the real service.

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const CLICKS = { autocapture: true, rageclick: false }
const PANELS = ['Inspect', 'Events', 'Flags', 'Heatmap', 'Web vitals', 'Configuration']

interface PageOptions {
  body?: string
  head?: string
  config?: Partial<Config>
  build?: Build
  headers?: Record<string, string>
}

interface Fixtures {
  /** A project whose toolbar may open on the site. */
  own: Service
  /** Adds a page to the site. */
  place(path: string, options?: PageOptions): void
  /** Creates a link as the console does. */
  link(path?: string): Promise<string>
}

const test = base.extend<Fixtures>({
  own: async ({ service, site }, use) => {
    const own = await service.createProject()
    const { status, body } = await own.api('PATCH', '', { toolbar_origins: [site.url] })
    expect(status, JSON.stringify(body)).toBe(200)
    await use(own)
  },
  place: async ({ own, site }, use) => {
    await use((path, { headers = {}, body = '<h1>Shop</h1>', config, ...more } = {}) =>
      site.page(path, snippetPage(own, { ...more, body, config: { ...CLICKS, ...config } }), headers),
    )
  },
  link: async ({ own, site }, use) => {
    await use(async (path = '/') => {
      const { status, body } = await own.api('POST', '/toolbar/codes', { origin: site.url, path })
      expect(status, JSON.stringify(body)).toBe(201)
      return body.url as string
    })
  },
})

const hostOf = (page: Page) => page.locator('#__POSTHOG_TOOLBAR__')
const barOf = (page: Page) => page.getByRole('toolbar', { name: 'Trailmark toolbar' })
const buttonOf = (page: Page, name: string) => barOf(page).getByRole('button', { name, exact: true })
const panelOf = (page: Page, name: string) => hostOf(page).getByRole('region', { name, exact: true })
const openPanel = async (page: Page, name: string) => {
  await buttonOf(page, name).click()
  await expect(panelOf(page, name)).toBeVisible()
  return panelOf(page, name)
}

/**
 * Selects the only option with the initial of `label` by keyboard, because the toolbar ignores untrusted events such as those
 * of `selectOption`. Further keys would have to come within a second.
 */
const choose = async (select: Locator, label: string) => {
  await select.focus()
  await select.page().keyboard.press(label[0]!)
  await expect(select.locator('option:checked')).toHaveText(label)
}

/** Returns the paths of the page's requests for the toolbar, from now on. */
const requestsOf = (page: Page): string[] => {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/toolbar/.test(pathname)) paths.push(`${request.method()} ${pathname}`)
  })
  return paths
}

for (const build of BUILDS)
  test(`${build} build: a link opens the toolbar, which inspects an element and overrides a flag`, async ({
    page,
    site,
    own,
    place,
    link,
  }) => {
    const created = await own.api('POST', '/feature_flags', {
      key: 'new-checkout',
      name: 'New checkout',
      active: true,
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const survey = { name: 'By code', type: 'api', questions: [{ type: 'open', question: 'Why?' }] }
    await own.api('POST', '/surveys', { ...survey, start_date: new Date(Date.now() - 60_000).toISOString() })
    place('/shop', {
      build,
      body: `<h1>Shop</h1><button id="buy" class="primary">Buy now</button><div class="ph-no-capture"><a href="/x">Secret</a></div>
        <script nonce="n">window.clicked = 0; document.querySelector('#buy').onclick = () => window.clicked++</script>`,
      config: { capture_pageview: true },
    })
    const url = await link('/shop?sort=price')
    const logged: string[] = []
    page.on('console', (message) => logged.push(message.text()))
    await page.goto(url)
    await expect(barOf(page)).toBeVisible()
    // The code is nowhere in the page, and no script can read the session.
    const code = new URL(url).hash.split('=')[1]!
    expect(page.url()).toBe(`${site.url}/shop?sort=price`)
    const reach = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, history.state, location.href]),
    )
    expect(reach).not.toContain(code)
    expect(reach).not.toContain('tmb_')
    expect(logged.join()).not.toContain(code)

    // Picking begins with the panel.
    const inspect = await openPanel(page, 'Inspect')
    await page.locator('#buy').click()
    await expect(inspect).toContainText('A click captures $autocapture')
    await expect(inspect.locator('code').first()).toHaveText('#buy')
    await expect(inspect).toContainText('button.primary:attr__class="primary"')
    await inspect.getByRole('button', { name: 'Pick an element' }).click()
    await page.locator('a').click()
    await expect(inspect).toContainText('<div> matches .ph-no-capture.')
    // Neither the page nor the SDK saw the picks.
    expect(await page.evaluate(() => [window.clicked, location.pathname])).toEqual([0, '/shop'])
    // A click would be captured in a later task.
    await pause(page, 100)
    expect(await page.evaluate(() => window.analytics.explain('$autocapture').length)).toBe(0)

    const flags = await openPanel(page, 'Flags')
    await expect(flags).toContainText('new-checkout')
    // The flag of the survey is the service's own.
    await page.waitForFunction(() => window.analytics.getAllFeatureFlags().length === 2)
    await expect(flags.locator('.list > li')).toHaveCount(1)
    await expect.poll(() => page.evaluate(() => window.analytics.isFeatureEnabled('new-checkout'))).toBe(true)
    await choose(flags.getByLabel('Override new-checkout'), 'false')
    expect(await page.evaluate(() => window.analytics.isFeatureEnabled('new-checkout'))).toBe(false)
    await flags.getByRole('button', { name: 'Clear all overrides' }).click()
    expect(await page.evaluate(() => window.analytics.isFeatureEnabled('new-checkout'))).toBe(true)

    const events = await openPanel(page, 'Events')
    await page.locator('#buy').click()
    await expect(events.locator('li').filter({ hasText: '$autocapture' })).toHaveCount(1)
    const pageview = await page.evaluate(() => window.analytics.explain('$pageview')[0]!.uuid)
    const stored = async () => (await own.events(site.host)).find(({ uuid }) => uuid === pageview)
    await expect.poll(async () => (await stored())?.properties.$current_url).toBe(`${site.url}/shop?sort=price`)
  })

// Browsers store cookies with the prefix __Host- of HTTPS only.
const SHOP = 'https://shop.test'
const EVENTS = 'https://events.test'

/** Forwards HTTPS origins to servers without TLS, as a reverse proxy does. */
const forward = async (context: BrowserContext, targets: Record<string, string>) => {
  for (const [origin, target] of Object.entries(targets))
    await context.route(`${origin}/**`, async (route) => {
      const request = route.request()
      const headers = await request.allHeaders()
      const response = await fetch(target + request.url().slice(origin.length), {
        method: request.method(),
        headers: Object.fromEntries(
          Object.entries(headers).filter(([name]) => !/^(:|content-length$|host$)/.test(name)),
        ),
        body: request.postDataBuffer() as BodyInit | null,
        redirect: 'manual',
      })
      const received = Object.fromEntries(response.headers)
      delete received['content-encoding']
      await route.fulfill({
        status: response.status,
        headers: received,
        body: Buffer.from(await response.arrayBuffer()),
      })
    })
}

test('the toolbar session is in a cookie that scripts cannot read, continues on the next page, and ends on sign-out', async ({
  page,
  context,
  site,
  own,
  place,
}) => {
  await forward(context, { [SHOP]: site.url, [EVENTS]: own.url })
  await own.api('PATCH', '', { toolbar_origins: [SHOP] })
  for (const path of ['/', '/next']) place(path, { config: { api_host: EVENTS } })
  const { body } = await own.api('POST', '/toolbar/codes', { origin: SHOP, path: '/' })
  const paths = requestsOf(page)
  await page.goto(body.url as string)
  await expect(barOf(page)).toBeVisible()
  const [cookie] = (await context.cookies()).filter(({ name }) => name.startsWith('__Host-trailmark_toolbar_'))
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'None', path: '/' })
  expect(await page.evaluate(() => ({ ...sessionStorage }).__trailmark_toolbar)).toBe(own.token)

  await page.goto(`${SHOP}/next`)
  await openPanel(page, 'Configuration')
  expect(paths.filter((path) => path === 'POST /toolbar/session')).toHaveLength(1)
  await panelOf(page, 'Configuration').getByRole('button', { name: 'Sign out' }).click()
  await expect(hostOf(page)).toHaveCount(0)
  expect((await context.cookies()).filter(({ name }) => name.startsWith('__Host-'))).toEqual([])

  // No code of the toolbar is fetched anymore.
  paths.length = 0
  await page.goto(`${SHOP}/`)
  await ready(page)
  await page.evaluate(() => window.analytics.reloadFeatureFlags())
  await page.waitForFunction(() => window.analytics.flagsEndpointWasHit)
  expect(paths).toEqual([])
})

test('the toolbar draws the heatmap on the page, with counts on its elements, and shows web vitals and options', async ({
  page,
  site,
  own,
  place,
  link,
}) => {
  const uuid = (index: number) => `018f0000-0000-7000-8000-00000000000${index}`
  const point = { type: 'click', x: 60, y: 140, target_fixed: false, vw: 1280, vh: 720, ph: 3000, ex: 0.5, ey: 0.5 }
  const scroll = { type: 'scroll', x: 0, y: 1500, target_fixed: false, vw: 1280, vh: 720, ph: 3000, view: 'v1' }
  const events = [
    {
      event: '$$heatmap',
      properties: {
        $heatmap_data: { [`${site.url}/shop`]: [...Array<object>(3).fill({ ...point, el: 'button#buy' }), scroll] },
      },
    },
    {
      event: '$web_vitals',
      properties: { $pathname: '/shop', $web_vitals_LCP_value: 1234.4, $web_vitals_CLS_value: 0.3 },
    },
  ]
  const sent = await fetch(`${own.url}/batch/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      api_key: own.token,
      batch: events.map((each, index) => ({
        ...each,
        uuid: uuid(index),
        distinct_id: 'visitor',
        timestamp: new Date().toISOString(),
        properties: { token: own.token, distinct_id: 'visitor', $session_id: uuid(9), ...each.properties },
      })),
    }),
  })
  expect(sent.status).toBe(200)
  place('/shop', {
    head: '<style>body{margin:0;height:3000px}#buy{position:absolute;left:40px;top:120px}</style>',
    body: '<button id="buy">Buy</button>',
    config: { mask_all_text: true },
  })
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(await link('/shop'))
  const heatmap = await openPanel(page, 'Heatmap')
  await expect(heatmap).toContainText('3 points')
  await expect(heatmap).toContainText('button#buy 3 by 1 person')
  /** Whether the map is colored at a position of the window. */
  const isHot = (x: number, y: number) =>
    hostOf(page)
      .locator('canvas')
      .evaluate(
        (canvas, [left, top]) => {
          const { width, height } = canvas as HTMLCanvasElement
          const context = (canvas as HTMLCanvasElement).getContext('2d')!
          return context.getImageData((left! / innerWidth) * width, (top! / innerHeight) * height, 1, 1).data[3]! > 0
        },
        [x, y],
      )
  await expect.poll(() => isHot(60, 140)).toBe(true)
  expect(await isHot(600, 140)).toBe(false)
  const count = hostOf(page).locator('.count')
  await expect(count).toHaveText('3')
  // The map scrolls with the page.
  await page.evaluate(() => scrollTo(0, 100))
  await expect.poll(() => isHot(60, 40)).toBe(true)
  await expect.poll(() => isHot(60, 140)).toBe(false)
  await choose(heatmap.getByRole('combobox', { name: 'Map' }), 'Scroll depth')
  await expect(heatmap).toContainText('1 view')
  await expect.poll(() => isHot(600, 300)).toBe(true)

  const vitals = await openPanel(page, 'Web vitals')
  await expect(vitals.getByRole('row').filter({ hasText: 'LCP' })).toContainText('1234 ms good')
  await expect(vitals.getByRole('row').filter({ hasText: 'CLS' })).toContainText('0.300 poor')
  await expect(hostOf(page).locator('canvas')).toHaveCount(0)

  const configuration = await openPanel(page, 'Configuration')
  for (const option of [
    'mask_all_text site',
    'capture_pageview site',
    'external_scripts_inject_target defaults of 2026-01-30',
  ])
    await expect(configuration.locator('dt', { hasText: option }).first()).toBeVisible()
})

test('a toolbar link with an invalid code shows a link to the console, reads no data and stores nothing', async ({
  page,
  site,
  own,
  place,
  link,
  browser,
}) => {
  place('/')
  const paths = requestsOf(page)
  await page.goto(`${site.url}/#__trailmark_toolbar=tmb_00000000000000000000000000000000`)
  const signIn = hostOf(page).getByRole('link', { name: 'Sign in' })
  await expect(signIn).toHaveAttribute('href', `${own.url}/settings?tab=toolbar&token=${own.token}`)
  await expect(barOf(page)).toHaveCount(0)
  expect(page.url()).toBe(`${site.url}/`)
  expect(paths.filter((path) => !/\.js$|OPTIONS/.test(path))).toEqual(['POST /toolbar/session'])
  expect(await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }).join())).not.toContain('toolbar')
  await hostOf(page).getByRole('button', { name: 'Close' }).click()
  await expect(hostOf(page)).toHaveCount(0)

  // A used code, in another browser.
  const url = await link()
  await page.goto('about:blank')
  await page.goto(url)
  await expect(barOf(page)).toBeVisible()
  const other = await browser.newContext()
  const stranger = await other.newPage()
  await stranger.goto(url)
  await expect(hostOf(stranger).getByRole('link', { name: 'Sign in' })).toBeVisible()
  // A fresh code, on an origin that it is not for.
  const elsewhere = await startSite({}, 'elsewhere.localhost')
  const html = await (await fetch(`${site.url}/`)).text()
  elsewhere.page('/', html)
  await stranger.goto(`${elsewhere.url}/${new URL(await link()).hash}`)
  await expect(hostOf(stranger).getByRole('link', { name: 'Sign in' })).toBeVisible()
  await other.close()
  await elsewhere.stop()

  // Without a code, no code of the toolbar is fetched, and a frame never starts it.
  place('/frame', { body: `<iframe src="/?${new URL(await link()).hash}"></iframe>` })
  const fresh = await browser.newContext()
  const framed = await fresh.newPage()
  const framedPaths = requestsOf(framed)
  await framed.goto(`${site.url}/frame`)
  await ready(framed.frames()[1]!)
  expect(await framed.frames()[1]!.evaluate(() => window.analytics.loadToolbar())).toBe(false)
  expect(framedPaths).toEqual([])
  await fresh.close()
})

/** Fails on violations of WCAG 2.2 AA in the toolbar. */
const expectAccessible = async (page: Page, where: string) => {
  const violations = await page.evaluate(async () => {
    interface Violation {
      id: string
      nodes: { html: string; failureSummary: string }[]
    }
    const { axe } = globalThis as unknown as { axe: { run(...args: object[]): Promise<{ violations: Violation[] }> } }
    const host = document.querySelector('#__POSTHOG_TOOLBAR__') as { shadowRoot?: unknown }
    // Hidden from scripts of the page.
    delete host.shadowRoot
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const scope = { include: { fromShadowDom: ['#__POSTHOG_TOOLBAR__', '.dock'] } }
    const result = await axe.run(scope, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
    return result.violations.map(({ id, nodes }) => [id, nodes.map((node) => [node.html, node.failureSummary])])
  })
  expect(violations, where).toEqual([])
}

test('the toolbar works by keyboard alone, and all panels are accessible, also narrow, dark, and from right to left', async ({
  page,
  place,
  link,
}) => {
  place('/', { body: '<main><h1>Shop</h1><button id="buy">Buy</button></main>' })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto(await link())
  await expect(barOf(page)).toBeVisible()
  await page.evaluate(AXE)
  await expectAccessible(page, 'bar')
  // One stop of Tab, and arrow keys between the buttons.
  await page.locator('#buy').focus()
  await page.keyboard.press('Tab')
  for (const name of PANELS) {
    await page.keyboard.press('ArrowRight')
    await expect(buttonOf(page, name)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(panelOf(page, name)).toBeVisible()
    await expectAccessible(page, name)
    const box = (await panelOf(page, name).boundingBox())!
    expect([box.x >= 0, box.y >= 0, box.x + box.width <= 320, box.y + box.height <= 640], name).toEqual(
      Array(4).fill(true),
    )
    await page.keyboard.press('Enter')
  }
  expect(await page.evaluate(() => [document.documentElement.scrollWidth, scrollY])).toEqual([320, 0])
  // Picking by keyboard: from the body, its first child, then its next.
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  await expect(panelOf(page, 'Inspect').locator('code').first()).toHaveText('#buy')
  await expectAccessible(page, 'Inspect with an element')
  // Moving, and the place on the next page.
  await page.keyboard.press('Escape')
  await buttonOf(page, 'Move with arrow keys').focus()
  await page.keyboard.press('Enter')
  const before = (await barOf(page).boundingBox())!
  await page.keyboard.press('ArrowUp')
  await expect.poll(async () => (await barOf(page).boundingBox())!.y).toBeCloseTo(before.y - 24, -1)
  await page.keyboard.press('Escape')

  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 720 })
  await hostOf(page).evaluate((host) => ((host as HTMLElement).dir = 'rtl'))
  for (const name of PANELS) {
    await openPanel(page, name)
    await expectAccessible(page, `${name}, light, rtl`)
  }
})

test('two copies of the SDK open one toolbar, which can be dragged and keeps its place on the next page', async ({
  page,
  site,
  own,
  place,
  link,
}) => {
  place('/')
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(await link())
  await expect(barOf(page)).toBeVisible()
  const chunk = page.waitForResponse((response) => /toolbar/.test(response.url()))
  const isLoaded = await page.evaluate(
    async ([path, token, url]) => {
      const { analytics: second } = (await import(path)) as typeof window
      second.init(token, { api_host: url, persistence: 'memory' })
      return second.loadToolbar()
    },
    ['/sdk/main.js', own.token, own.url] as const,
  )
  expect(isLoaded).toBe(true)
  await chunk
  await expect(hostOf(page)).toHaveCount(1)

  const [before, grip] = [(await barOf(page).boundingBox())!, (await buttonOf(page, PANELS[0]!).boundingBox())!]
  const [x, y] = [before.x + 10, grip.y + grip.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x - 100, y - 200)
  await page.mouse.move(x - 200, y - 400)
  await page.mouse.up()
  const moved = (await barOf(page).boundingBox())!
  expect([Math.round(moved.x - before.x), Math.round(moved.y - before.y)]).toEqual([-200, -400])
  // The pointer moves it only while it is pressed.
  await page.mouse.move(x, y)
  expect(await barOf(page).boundingBox()).toEqual(moved)
  await expect(hostOf(page).getByRole('region')).toHaveCount(0)
  place('/next')
  await page.goto(`${site.url}/next`)
  await page.goto(await link('/next'))
  await expect(barOf(page)).toBeVisible()
  expect(await barOf(page).boundingBox()).toEqual(moved)
})

test('the toolbar works under a strict policy with Trusted Types, in a modal dialog, and after the body was replaced', async ({
  page,
  own,
  place,
  link,
}) => {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-n' 'strict-dynamic' ${own.url}`,
    "style-src 'none'",
    `connect-src ${own.url}`,
    "require-trusted-types-for 'script'",
    'trusted-types trailmark',
  ].join('; ')
  const body =
    '<h1>Shop</h1><dialog id="modal"><button id="inside">Inside</button></dialog><button id="buy">Buy</button>'
  place('/strict', { body, headers: { 'Content-Security-Policy': policy } })
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(await link('/strict'))
  for (const name of PANELS) await openPanel(page, name)
  expect(problems).toEqual([])
  expect(await barOf(page).evaluate((bar) => getComputedStyle(bar).display)).toBe('flex')

  const rules = 'div:empty{display:none}body{position:relative}dialog{transform:scale(.9)}'
  place('/hostile', { body, head: `<style>${rules}</style>`, config: { autocapture: true } })
  await page.goto('about:blank')
  await page.goto(await link('/hostile'))
  await expect(barOf(page)).toBeVisible()
  const parentOf = () => hostOf(page).evaluate((host) => host.parentElement!.tagName)
  expect(await parentOf()).toBe('HTML')
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('#modal')!.showModal())
  await expect.poll(parentOf).toBe('DIALOG')
  const events = await openPanel(page, 'Events')
  await page.locator('#inside').click()
  await expect(events.locator('li').filter({ hasText: '$autocapture' })).toHaveCount(1)
  // The next visitor's list has no event of the previous one.
  await page.evaluate(() => window.analytics.reset())
  await expect(events.locator('li')).toHaveCount(0)
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('#modal')!.close())
  await expect.poll(parentOf).toBe('HTML')
  await page.evaluate(() => document.body.replaceWith(document.createElement('body')))
  await buttonOf(page, 'Events').click()
  await expect(events).toHaveCount(0)
  // Clicks of scripts do nothing, and clicks in the toolbar are not captured.
  await hostOf(page).evaluate((host) => {
    delete (host as { shadowRoot?: unknown }).shadowRoot
    host.shadowRoot!.querySelectorAll('button').forEach((button) => button.click())
  })
  await expect(hostOf(page).getByRole('region')).toHaveCount(0)
  await pause(page, 100)
  expect(await page.evaluate(() => window.analytics.explain('$autocapture').length)).toBe(1)
  // A page that removes everything gets no error.
  problems.length = 0
  await page.evaluate(() => document.replaceChildren())
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  expect(problems).toEqual([])
})

/** Records what the toolbar's script starts and has not ended: listeners outside of its own nodes, timers, frames, observers. */
const WATCH = `<script nonce="n">
  window.started = new Set()
  const isToolbar = () => /toolbar[.]js/.test(new Error().stack)
  const wrap = (of, name, around) => {
    const original = of[name]
    of[name] = function (...args) { return around(this ?? window, args, (changed = args) => original.apply(this ?? window, changed)) }
  }
  const find = (...key) => [...started].find((each) => key.every((part, index) => each[index] === part))
  wrap(EventTarget.prototype, 'addEventListener', (target, [type, listener], run) => {
    if ((target === window || target === document) && isToolbar()) started.add([target, type, listener])
    return run()
  })
  wrap(EventTarget.prototype, 'removeEventListener', (target, [type, listener], run) => {
    started.delete(find(target, type, listener))
    return run()
  })
  for (const [start, end] of [['setTimeout', 'clearTimeout'], ['requestAnimationFrame', 'cancelAnimationFrame']]) {
    wrap(window, start, (_, [callback, ...rest], run) => {
      if (!isToolbar()) return run()
      const entry = [start]
      entry[1] = run([(...args) => { started.delete(entry); callback(...args) }, ...rest])
      started.add(entry)
      return entry[1]
    })
    wrap(window, end, (_, [id], run) => { started.delete(find(start, id)); return run() })
  }
  for (const Observer of [MutationObserver, ResizeObserver]) {
    wrap(Observer.prototype, 'observe', (observer, _, run) => { if (isToolbar()) started.add(['observer', observer]); return run() })
    wrap(Observer.prototype, 'disconnect', (observer, _, run) => { started.delete(find('observer', observer)); return run() })
  }
</script>`

test('a second SDK adds no second toolbar, and signing out and opting out leave no node, listener or timer', async ({
  page,
  own,
  place,
  link,
}) => {
  place('/', { head: WATCH })
  const code = async () => new URL(await link()).hash.split('=')[1]!
  await page.goto(`${await link()}`)
  await expect(barOf(page)).toBeVisible()
  await page.evaluate(
    ({ token, second }) => {
      const { analytics } = window
      const other = analytics.init(token, { api_host: analytics.config.api_host }, 'second')
      other.loadToolbar({ code: second })
    },
    { token: own.token, second: await code() },
  )
  const startEverything = async () => {
    for (const name of [...PANELS, 'Inspect']) await openPanel(page, name)
    expect(await page.evaluate(() => window.started.size)).toBeGreaterThan(5)
  }
  /** Returns what remains, read in the task that closes the toolbar. */
  const leftAfter = (end: 'opt_out_capturing' | undefined) =>
    page.evaluate((method) => {
      if (method) window.analytics[method]()
      return [...window.started].map((each) => each.map(String).join().slice(0, 80))
    }, end)
  await startEverything()
  await expect(hostOf(page)).toHaveCount(1)
  await openPanel(page, 'Configuration')
  await panelOf(page, 'Configuration').getByRole('button', { name: 'Sign out' }).click()
  await expect(hostOf(page)).toHaveCount(0)
  await expect.poll(() => leftAfter(undefined)).toEqual([])

  await page.goto('about:blank')
  await page.goto(await link())
  await startEverything()
  expect(await leftAfter('opt_out_capturing')).toEqual([])
  expect(await page.evaluate(() => document.querySelector('#__POSTHOG_TOOLBAR__'))).toBeNull()
})

declare global {
  interface Window {
    clicked: number
    started: Set<unknown[]>
  }
}
