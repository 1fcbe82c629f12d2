import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { pause } from '../support/pause'
import { ready, waitUntil } from '../support/ready'
import { ROOT } from '../support/root'
import { BUILDS, expect, test } from '../support/scenario'
import type { StoredEvent } from '../support/service'
import { test as withOwnBrowser } from '../support/world'

const WEB_VITALS = readFileSync(join(ROOT, 'node_modules/web-vitals/dist/web-vitals.iife.js'), 'utf8')
const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false, capture_dead_clicks: false }
const NAMES = ['CLS', 'FCP', 'INP', 'LCP']

/** A page that paints, shifts its layout and responds slowly to a click, which shows a route. */
const CONTENT = `<main><h1 style="font-size:60px">Larch and Lantern</h1><p id="late"></p><p class="offer" style="font-size:30px">Tents for two</p>
  <a id="go" href="/route">Go</a></main><script>
  // Only what was painted before can shift.
  new PerformanceObserver(() => setTimeout(() => (late.style.height = '200px'), 300)).observe({ type: 'paint', buffered: true })
  let route = 0
  go.onclick = (event) => {
    event.preventDefault()
    const until = performance.now() + 60
    while (performance.now() < until);
    history.pushState({}, '', '/route/' + ++route)
    const main = document.querySelector('main')
    main.querySelectorAll('section').forEach((each) => each.remove())
    main.insertAdjacentHTML('beforeend', '<section><h2 style="font-size:50px">Route ' + route + '</h2></section>')
  }</script>`

/** Reports what web-vitals itself measures to local storage. */
const REFERENCE = `<script>${WEB_VITALS}
  for (const name of ${JSON.stringify(NAMES)})
    webVitals['on' + name](({ value }) => localStorage.setItem('reference ' + name, value))
  webVitals.onINP(() => (window.hasInp = true), { reportAllChanges: true })</script>`

const loaded = (page: Page) =>
  waitUntil(page, () => performance.getEntriesByType('resource').some(({ name }) => /webVitals/.test(name)))
const vitals = (events: readonly StoredEvent[]) => events.filter(({ event }) => event === '$web_vitals')
const isSoft = ({ properties }: StoredEvent) => properties.$web_vitals_navigation_type === 'soft-navigation'
interface MetricEvent {
  id: string
  value: number
  rating: string
  $session_id: string
  attribution?: Record<string, unknown>
}
const metricOf = ({ properties }: StoredEvent, name: string) =>
  properties[`$web_vitals_${name}_event`] as MetricEvent | undefined

/** The last value of each metric, and the number of events that have the metric. */
const lastValues = (events: readonly StoredEvent[]) =>
  Object.fromEntries(
    NAMES.map((name) => {
      const reports = events.flatMap((event) => metricOf(event, name) ?? [])
      return [
        name,
        { value: reports.at(-1)?.value, count: reports.length, ids: new Set(reports.map(({ id }) => id)).size },
      ]
    }),
  )

for (const build of BUILDS)
  test(`${build} build: captures the values of web-vitals, once per page view, and routes apart`, async ({
    page,
    site,
    put,
    stored,
  }) => {
    put(build, '/', CONTENT + REFERENCE, { ...QUIET, capture_pageview: true, capture_performance: true })
    put(build, '/next', 'next', QUIET)
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
    await page.goto(site.url)
    await ready(page)
    await loaded(page)
    await expect(page.locator('#late')).toHaveCSS('height', '200px')
    await page.locator('#go').click()
    await expect(page.locator('h2')).toHaveText('Route 1')
    // The route's paint is reported with the next frames.
    await page.waitForFunction(() => performance.getEntriesByType('soft-navigation').length === 1)
    // The browser measures the interaction after its paint.
    await page.waitForFunction(() => (window as { hasInp?: boolean }).hasInp)
    await page.goto(`${site.url}/next`)
    await ready(page)

    const found = await stored((events) => {
      const hard = vitals(events).filter((event) => !isSoft(event))
      return NAMES.every((name) => hard.some((event) => metricOf(event, name))) && vitals(events).some(isSoft)
    })
    const reference = await page.evaluate(
      (names) => names.map((name) => Number(localStorage.getItem(`reference ${name}`))),
      NAMES,
    )
    const hard = vitals(found).filter((event) => !isSoft(event))
    const values = lastValues(hard)
    expect(NAMES.map((name) => values[name]!.value)).toEqual(reference)
    expect(NAMES.map((name) => values[name]!.ids)).toEqual([1, 1, 1, 1])
    expect(values.INP!.value).toBeGreaterThanOrEqual(60)
    expect(values.CLS!.value).toBeGreaterThan(0)
    // One event has the metrics of the page load, another those that are final when the page is left.
    expect(hard.length).toBeLessThanOrEqual(2)
    for (const { properties } of hard) expect(properties.$pathname).toBe('/')
    const soft = vitals(found).filter(isSoft)
    expect(new Set(soft.map(({ properties }) => properties.$pathname))).toEqual(new Set(['/route/1']))
    expect(metricOf(hard[0]!, 'FCP')!.$session_id).toBe(hard[0]!.session_id)
    expect(JSON.stringify(found)).not.toContain('attribution')

    expect(fetched.filter((path) => /webVitals/.test(path))).toHaveLength(1)
    // The next page does not capture web vitals, so it loads no code for them.
    expect(fetched.slice(fetched.indexOf('/next')).filter((path) => /webVitals/.test(path))).toEqual([])
  })

test('attribution has selectors without text, no metric but those allowed, and set_config starts and stops capturing', async ({
  page,
  site,
  put,
  stored,
}) => {
  put('script', '/', CONTENT, QUIET)
  put('script', '/next', '')
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() =>
    window.analytics.set_config({
      capture_performance: {
        web_vitals: true,
        web_vitals_attribution: true,
        web_vitals_allowed_metrics: ['LCP', 'CLS', 'TTFB'],
        web_vitals_delayed_flush_ms: 100,
      },
    }),
  )
  await expect(page.locator('#late')).toHaveCSS('height', '200px')
  const first = await stored((events) => vitals(events).length > 0)
  // Buffered entries count, although capturing began after them.
  expect(vitals(first).some((event) => metricOf(event, 'TTFB'))).toBe(true)
  await page.locator('#go').click()
  const withLcp = await stored((events) => vitals(events).some((event) => !isSoft(event) && metricOf(event, 'LCP')))
  const text = JSON.stringify(vitals(withLcp))
  expect(text).not.toMatch(/FCP|INP|Larch|Tents/)
  const lcp = metricOf(
    vitals(withLcp).find((event) => !isSoft(event) && metricOf(event, 'LCP'))!,
    'LCP',
  )!
  expect(lcp.attribution!.target).toMatch(/^(body > )?main > (h1|p\.offer)/)
  expect(Object.values(lcp.attribution!).every((value) => /number|string|boolean/.test(typeof value))).toBe(true)

  // Observers stay connected, but nothing is reported.
  await page.evaluate(() => window.analytics.set_config({ capture_performance: false }))
  await page.goto(`${site.url}/next`)
  await ready(page)
  const after = await stored((events) =>
    events.some(({ event, properties }) => event === '$pageview' && properties.$pathname === '/next'),
  )
  expect(vitals(after).some((event) => !isSoft(event) && metricOf(event, 'CLS'))).toBe(false)
})

test('a selector of the browser, which may contain data, is not captured', async ({ page, site, put, stored }) => {
  // If an element was removed, newer browsers report its selector instead.
  put(
    'script',
    '/',
    `${CONTENT}<button id="jane-doe">Remove</button><script>
      Object.defineProperty(PerformanceEventTiming.prototype, 'targetSelector', { get: () => 'button#jane-doe' })
      document.querySelector('#jane-doe').onclick = ({ target }) => {
        const until = performance.now() + 60
        while (performance.now() < until);
        target.remove()
      }</script>${REFERENCE}`,
    { ...QUIET, capture_performance: { web_vitals: true, web_vitals_attribution: true } },
  )
  put('script', '/next', '')
  await page.goto(site.url)
  await ready(page)
  await loaded(page)
  // The button moves away from the pointer when this appears.
  await expect(page.locator('#late')).toHaveCSS('height', '200px')
  await page.locator('#jane-doe').click()
  await page.waitForFunction(() => (window as { hasInp?: boolean }).hasInp)
  await page.goto(`${site.url}/next`)
  const events = await stored((all) => vitals(all).some((event) => metricOf(event, 'INP')))
  const inp = vitals(events).flatMap((event) => metricOf(event, 'INP') ?? [])
  expect(inp[0]!.attribution!.interactionType).toBe('pointer')
  expect(inp[0]!.attribution!.interactionTarget).toBeUndefined()
})

test('INP keeps the target of an interaction that is no longer one of the ten slowest', async ({
  page,
  site,
  put,
  stored,
}) => {
  // With 500 interactions, INP is the tenth slowest.
  put(
    'script',
    '/',
    `<main>${'<p>Go</p>'.repeat(9)}<h3>Faster</h3><h2>Slower</h2></main>${REFERENCE}<script>
      Object.defineProperty(performance, 'interactionCount', { value: 500 })
      Object.defineProperty(PerformanceEventTiming.prototype, 'duration', {
        get() { return { H2: 208, H3: 96 }[this.target?.tagName] ?? 104 },
      })
      addEventListener('click', () => {
        const until = performance.now() + 60
        while (performance.now() < until);
      })
      webVitals.onINP(({ value }) => (window.inp = value), { reportAllChanges: true })</script>`,
    { ...QUIET, capture_performance: { web_vitals: true, web_vitals_attribution: true } },
  )
  put('script', '/next', '')
  await page.goto(site.url)
  await ready(page)
  await loaded(page)
  const becomes = (value: number) =>
    page.waitForFunction((expected) => (window as { inp?: number }).inp === expected, value)
  for (const paragraph of await page.locator('p').all()) await paragraph.click()
  await page.locator('h3').click()
  await becomes(96)
  await page.locator('h2').click()
  await becomes(104)
  // INP stays the same, but another paragraph is now the tenth slowest.
  await page.locator('h2').click()
  await page.goto(`${site.url}/next`)
  const events = await stored((all) => vitals(all).some((event) => metricOf(event, 'INP')))
  const [inp] = vitals(events).flatMap((event) => metricOf(event, 'INP') ?? [])
  expect(inp!.value).toBe(104)
  expect(inp!.attribution!.interactionTarget).toMatch(/^body > main > p:nth-of-type/)
})

test('web vitals are captured when the project turns them on', async ({ page, site, put, stored, service }) => {
  put('script', '/', CONTENT, { ...QUIET, remote_config_refresh_interval_ms: 0 })
  const settings = { capturePerformance: { web_vitals: true, web_vitals_delayed_flush_ms: 50 } }
  expect((await service.api('PATCH', '/remote_config', settings)).status).toBe(200)
  try {
    await page.goto(site.url)
    await stored((events) => vitals(events).some((event) => metricOf(event, 'FCP')))
  } finally {
    await service.api('PATCH', '/remote_config', { capturePerformance: false })
  }
})

withOwnBrowser.describe('the back/forward cache', () => {
  withOwnBrowser.use({ ownBrowser: 'chromium' })
  withOwnBrowser('a restored page has its own metrics', async ({ world: { page }, site, put, stored }) => {
    put('script', '/', CONTENT, {
      ...QUIET,
      capture_performance: { web_vitals: true, web_vitals_delayed_flush_ms: 50 },
    })
    site.page('/other', '<!doctype html>other')
    await page.goto(site.url)
    await ready(page)
    await stored((events) => vitals(events).some((event) => metricOf(event, 'FCP')))
    await page.goto(`${site.url}/other`)
    await page.evaluate(() => setTimeout(() => history.back()))
    const isRestored = (event: StoredEvent) => event.properties.$web_vitals_navigation_type === 'back-forward-cache'
    const events = await stored((all) => vitals(all).some((event) => isRestored(event) && metricOf(event, 'LCP')))
    const ids = (wanted: (event: StoredEvent) => boolean) =>
      vitals(events)
        .filter(wanted)
        .flatMap((event) => metricOf(event, 'FCP')?.id ?? [])
    expect(ids(isRestored)).toHaveLength(1)
    expect(ids((event) => !isRestored(event))).not.toEqual(ids(isRestored))
  })
})

test('500 routes of a single-page app leave no elements or listeners in memory', async ({ page, site, put }) => {
  put('script', '/', CONTENT, {
    ...QUIET,
    capture_performance: { web_vitals: true, web_vitals_attribution: true, web_vitals_delayed_flush_ms: 50 },
    capture_heatmaps: { flush_interval_milliseconds: 50 },
    rate_limiting: { events_per_second: 1000, events_burst_limit: 10_000 },
  })
  await page.goto(site.url)
  await ready(page)
  const session = await page.context().newCDPSession(page)
  const count = async () => {
    await session.send('HeapProfiler.enable')
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const of = (name: string) => metrics.find((metric) => metric.name === name)!.value
    return { nodes: of('Nodes'), listeners: of('JSEventListeners') }
  }
  await session.send('Performance.enable')
  const visit = (routes: number) =>
    page.evaluate(async (count) => {
      const go = document.querySelector<HTMLElement>('#go')!
      // Without waiting for the page's slow handler.
      for (let index = 0; index < count; index += 1) {
        history.pushState({}, '', `/r/${index}`)
        const section = document.createElement('section')
        section.innerHTML = '<h2>Route</h2>' + '<p>row</p>'.repeat(50)
        document.querySelectorAll('section').forEach((each) => each.remove())
        document.querySelector('main')!.append(section)
        section
          .querySelector('p')!
          .dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, clientX: 5, clientY: 5 }))
        section.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, composed: true, clientX: 5, clientY: 5 }))
        await new Promise((done) => setTimeout(done, 4))
      }
      go.blur()
    }, routes)
  await visit(20)
  await pause(page, 1500)
  const before = await count()
  await visit(500)
  // Until the pointer's rest time and the flush have passed and the objects are collected.
  await expect(async () => {
    const after = await count()
    expect(after.listeners).toBeLessThanOrEqual(before.listeners + 5)
    // A route has 52 elements and 51 text nodes. The browser itself keeps some of the last ones.
    expect(after.nodes - before.nodes).toBeLessThan(3 * 103)
  }).toPass({ timeout: 60_000 })
})
