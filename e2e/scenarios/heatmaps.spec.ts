import type { Page } from 'playwright/test'
import { clickThrice } from '../support/clickThrice'
import { ready } from '../support/ready'
import { BUILDS, expect, test } from '../support/scenario'
import type { Service } from '../support/service'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false, capture_dead_clicks: false }
const FAST = { ...QUIET, capture_heatmaps: { flush_interval_milliseconds: 100 } }
const SECRET = 'topsecretword'

interface Point {
  type: string
  x: number
  y: number
  target_fixed: boolean
  vw: number
  vh: number
  ph: number
  el?: string
  ex?: number
  ey?: number
}
interface Heatmap {
  url: string
  points: Point[]
}

/** Collects the points that a page sends, from its own notices. */
const collect = async (page: Page) => {
  await page.evaluate(() => {
    const sent: unknown[] = []
    Object.assign(window, { sent })
    window.analytics.on('eventCaptured', (event) => {
      if (event.event === '$$heatmap') sent.push(event.properties.$heatmap_data)
    })
  })
  const all = async (): Promise<Heatmap[]> =>
    (await page.evaluate(() => (window as unknown as { sent: Record<string, Point[]>[] }).sent)).flatMap((data) =>
      Object.entries(data).map(([url, points]) => ({ url, points })),
    )
  const of = async (type: string) => (await all()).flatMap(({ points }) => points.filter((each) => each.type === type))
  return { all, of }
}
/** Waits until heatmaps follow the pointer, which is later than the end of their script's download. */
const loaded = async (page: Page) => {
  const debug = await page.context().newCDPSession(page)
  const { result } = await debug.send('Runtime.evaluate', { expression: 'window' })
  const types = async () =>
    (await debug.send('DOMDebugger.getEventListeners', { objectId: result.objectId! })).listeners.map(
      ({ type }) => type,
    )
  await expect.poll(types).toContain('mousemove')
  await debug.detach()
}
const settled = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 50)))

interface Map {
  points: number
  width: number
  cells: { x: number; y: number; fixed: boolean; count: number; people: number }[]
}
const mapOf = async ({ api }: Service, url: string, more = '') =>
  (await api('GET', `/heatmaps?url=${encodeURIComponent(url)}${more}`)).body as unknown as Map

for (const build of BUILDS)
  test(`${build} build: clicks, rage clicks, dead clicks, a resting pointer and the scroll depth arrive, without any text`, async ({
    page,
    site,
    put,
    service,
  }) => {
    put(
      build,
      '/shop',
      `<main style="height:3000px"><button id="buy" class="wide" title="${SECRET}" data-x="${SECRET}">${SECRET}</button>
       <p class="ph-no-capture" id="private">${SECRET}</p></main>`,
      { ...FAST, capture_dead_clicks: true, capture_pageview: false },
    )
    await page.goto(`${site.url}/shop?token=${SECRET}`)
    await ready(page)
    await loaded(page)
    const sent = await collect(page)
    await page.locator('#buy').hover()
    await clickThrice(page.locator('#buy'))
    const url = `${site.url}/shop`
    const points = async (type: string) => (await mapOf(service, url, `&type=${type}`)).points
    // Before any other change, which could count as a response to the clicks.
    for (const [type, least] of [
      ['click', 3],
      ['rageclick', 1],
      ['deadclick', 1],
      ['mousemove', 1],
    ] as const)
      await expect.poll(() => points(type), type).toBeGreaterThanOrEqual(least)
    await page.locator('#private').click()
    await page.mouse.wheel(0, 1200)
    await page.waitForFunction(() => scrollY === 1200)
    await page.evaluate(() => window.analytics.capture('after the private click'))
    await expect
      .poll(async () => (await service.events(site.host)).map(({ event }) => event))
      .toContain('after the private click')
    const map = await mapOf(service, url, '&width=1280')
    expect([map.points, await points('rageclick')]).toEqual([3, 1])
    expect(map.cells.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    expect(map.cells[0]).toMatchObject({ fixed: false, people: 1 })
    const scroll = (await service.api('GET', `/heatmaps/scroll?url=${encodeURIComponent(url)}`)).body
    expect(scroll).toMatchObject({ views: 1 })
    const elements = (await service.api('GET', `/heatmaps/elements?url=${encodeURIComponent(url)}`)).body
    expect(elements.results).toMatchObject([{ selector: 'button#buy', count: 3, people: 1 }])
    expect(JSON.stringify(await sent.all())).not.toContain(SECRET)
    expect((await service.events(site.host)).map(({ event }) => event)).not.toContain('$$heatmap')
    const pages = (await service.api('GET', '/heatmaps/pages')).body.results as { url: string }[]
    expect(pages.some((each) => each.url === url)).toBe(true)
  })

test('a click is within 4 px of its element at five widths, scrolled, fixed, in an inner scroller and zoomed', async ({
  page,
  site,
  put,
}) => {
  const target = '<button class="target" style="position:absolute;left:37%;top:777px;width:30px;height:20px">x</button>'
  const fixed = '<button class="pinned" style="position:fixed;right:10px;bottom:10px;width:30px;height:20px">x</button>'
  put('script', '/page', `<div style="position:relative;height:2500px">${target}</div>${fixed}`, FAST)
  put(
    'script',
    '/inner',
    `<style>html,body{margin:0;height:100%;overflow:hidden}</style>
     <div id="root" style="height:100%;overflow:auto;position:relative"><div style="position:relative;height:2500px">${target}</div></div>`,
    FAST,
  )
  const middle = (selector: string) =>
    page.locator(selector).evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return [left + width / 2, top + height / 2] as const
    })
  for (const [path, width, zoom] of [
    ['/page', 360, 1],
    ['/page', 768, 1],
    ['/page', 1024, 1.25],
    ['/page', 1440, 1],
    ['/page', 1920, 1],
    ['/inner', 390, 1],
    ['/inner', 1440, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 700 })
    await page.goto(site.url + path)
    await ready(page)
    await loaded(page)
    await page.evaluate((factor) => (document.documentElement.style.zoom = String(factor)), zoom)
    const sent = await collect(page)
    await page.locator('.target').scrollIntoViewIfNeeded()
    const [x, y] = await middle('.target')
    const scrolled = await page.evaluate(() => (document.querySelector('#root')?.scrollTop ?? 0) + scrollY)
    expect(scrolled).toBeGreaterThan(0)
    await page.locator('.target').click()
    await expect.poll(() => sent.of('click')).toHaveLength(1)
    const [click] = await sent.of('click')
    expect(Math.abs(click!.x - x), `${path} ${width}: x`).toBeLessThanOrEqual(4)
    expect(Math.abs(click!.y - (y + scrolled)), `${path} ${width}: y`).toBeLessThanOrEqual(4)
    expect(click).toMatchObject({ target_fixed: false, vh: 700 })
    expect(Math.abs(click!.ex! - 0.5)).toBeLessThan(0.1)
    expect(click!.ph).toBeGreaterThanOrEqual(2500)
    if (path === '/page') {
      const [fixedX, fixedY] = await middle('.pinned')
      await page.locator('.pinned').click()
      await expect.poll(() => sent.of('click')).toHaveLength(2)
      const pinned = (await sent.of('click'))[1]!
      expect(pinned.target_fixed).toBe(true)
      expect([Math.abs(pinned.x - fixedX) <= 4, Math.abs(pinned.y - fixedY) <= 4]).toEqual([true, true])
    }
  }
})

test('a flush is bounded, with clicks before moves, and each route has its own points and depth', async ({
  page,
  site,
  put,
}) => {
  put('script', '/', '<main style="height:4000px"><button id="b">b</button></main>', {
    ...QUIET,
    capture_heatmaps: { flush_interval_milliseconds: 3000 },
  })
  await page.goto(site.url)
  await ready(page)
  await loaded(page)
  const sent = await collect(page)
  // By the page's own clock, so that the clicks come before the flush even on a busy machine.
  await page.evaluate(async () => {
    const button = document.querySelector('#b')!
    const fire = (type: string, detail: number) =>
      button.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, detail, clientX: 20, clientY: 20 }))
    fire('mousemove', 0)
    await new Promise((done) => setTimeout(done, 700))
    for (let index = 0; index < 3000; index += 1) fire('click', 1)
  })
  await expect.poll(() => sent.all()).not.toEqual([])
  const [first] = await sent.all()
  expect(JSON.stringify(first!.points).length).toBeLessThanOrEqual(66_000)
  expect(first!.points.length).toBeLessThanOrEqual(1001)
  expect(first!.points.filter(({ type }) => type === 'mousemove')).toEqual([])

  await page.mouse.wheel(0, 2000)
  await page.waitForFunction(() => scrollY === 2000)
  await page.evaluate(() => {
    history.pushState({}, '', '/other?id=1')
    document.querySelector('main')!.style.height = '10px'
    scrollTo(0, 0)
  })
  await settled(page)
  await page.locator('#b').click()
  await page.evaluate(() => window.analytics.flush())
  await expect.poll(async () => (await sent.all()).map(({ url }) => url)).toContain(`${site.url}/other`)
  const depths = (await sent.all()).flatMap(({ url, points }) =>
    points
      .filter(({ type }) => type === 'scroll')
      .map(({ y, ph }) => [new URL(url).pathname, Math.round((y / ph) * 100)]),
  )
  const height = page.viewportSize()!.height
  expect(depths.filter(([path]) => path === '/').at(-1)![1]).toBe(Math.round(((2000 + height) / 4016) * 100))
  expect(depths.filter(([path]) => path === '/other').at(-1)![1]).toBe(100)
})

test('set_config, consent and the project start and stop heatmaps, and a page without heatmaps loads no code for them', async ({
  page,
  site,
  put,
  service,
}) => {
  put('script', '/', '<button id="b">b</button>', { ...QUIET, remote_config_refresh_interval_ms: 0 })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(site.url)
  await ready(page)
  const sent = await collect(page)
  await page.locator('#b').click()
  await page.waitForLoadState('networkidle')
  expect(requests.filter((url) => /heatmaps/.test(url))).toEqual([])

  const set = (config: object) => page.evaluate((changes) => window.analytics.set_config(changes), config)
  const clicks = async () => (await sent.of('click')).length
  await set({ capture_heatmaps: { flush_interval_milliseconds: 20 } })
  await loaded(page)
  await settled(page)
  await page.locator('#b').click()
  await expect.poll(clicks).toBe(1)
  await set({ capture_heatmaps: false, enable_heatmaps: true })
  await page.locator('#b').click()
  await set({ capture_heatmaps: { flush_interval_milliseconds: 20 } })
  await settled(page)
  await page.locator('#b').click()
  await expect.poll(clicks).toBe(2)
  await page.evaluate(() => window.analytics.opt_out_capturing())
  await page.locator('#b').click()
  await page.evaluate(() => window.analytics.opt_in_capturing())
  await settled(page)
  await page.locator('#b').click()
  await expect.poll(clicks).toBe(3)

  expect((await service.api('PATCH', '/remote_config', { heatmaps: true })).status).toBe(200)
  try {
    put('script', '/remote', '<button id="b">b</button>', QUIET)
    await page.goto(`${site.url}/remote`)
    await loaded(page)
    await settled(page)
    await page.locator('#b').click()
    await expect.poll(async () => (await mapOf(service, `${site.url}/remote`)).points).toBe(1)
  } finally {
    await service.api('PATCH', '/remote_config', { heatmaps: false })
  }
})
