import type { Page } from 'playwright/test'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { BLOG, call, expect, fillStorage, idsOf, settle, SHOP, storageOf, test } from '../support/tabs'

const QUIET = {
  capture_pageview: false,
  capture_pageleave: false,
  autocapture: false,
  advanced_disable_flags: true,
  // Most of these tests read ids in the pages, so the service stores their many events in few requests.
  request_queue_config: { flush_interval_ms: 5000 },
}
const PERSISTENCE = ['localStorage+cookie', 'localStorage', 'cookie'] as const
const EMPTY = { local: [], session: [], cookies: '', databases: [] }
const reload = async (page: Page) => {
  await page.reload()
  await ready(page)
}

for (const persistence of PERSISTENCE)
  test.describe(`two tabs with persistence: '${persistence}'`, () => {
    test('agree on visitor and session after a reset in one of them', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', { ...QUIET, persistence })
      const [one, two] = [await openTab(), await openTab()]
      await call(one, 'identify', 'ada')
      await call(two, 'register_for_session', { basket: 7 })
      await settle(context)
      const [first, second] = [await idsOf(one), await idsOf(two)]
      expect(second).toMatchObject({ visitor: 'ada', session: first!.session })

      await call(one, 'reset')
      await settle(context)
      const after = [await idsOf(two), await idsOf(one), await idsOf(two), await idsOf(one)]
      expect(new Set(after.map((ids) => ids!.visitor)).size).toBe(1)
      expect(new Set(after.map((ids) => ids!.session)).size).toBe(1)
      expect(new Set(after.map((ids) => ids!.window)).size).toBe(2)
      expect(after[0]!.visitor).not.toBe('ada')
      expect(after[0]!.session).not.toBe(first!.session)
      expect(await call(two, 'getSessionProperty', 'basket')).toBeUndefined()
    })

    test('agree on the visitor', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', { ...QUIET, persistence })
      const [one, two] = [await openTab(), await openTab()]
      const before = await idsOf(two)
      await call(two, 'register', { theirs: 1 })
      await call(one, 'identify', 'ada')
      await settle(context)
      expect(await idsOf(two)).toEqual({ ...before, visitor: 'ada' })
      for (const tab of [one, two]) await expect.poll(() => call(tab, 'get_property', 'theirs')).toBe(1)
    })

    test('agree on consent', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', { ...QUIET, persistence })
      const [one, two] = [await openTab(), await openTab()]
      const before = await idsOf(two)
      await call(one, 'opt_out_capturing')
      await settle(context)
      expect(await idsOf(two)).toBeUndefined()
      await call(two, 'opt_in_capturing')
      await settle(context)
      expect(await idsOf(one)).toMatchObject({ visitor: before!.visitor })
      await call(one, 'opt_out_capturing')
      await call(one, 'clear_opt_in_out_capturing')
      await settle(context)
      expect(await call(two, 'get_explicit_consent_status')).toBe('pending')
    })

    test('keep their state when the page clears its storage', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', { ...QUIET, persistence })
      const [one, two] = [await openTab(), await openTab()]
      await call(one, 'identify', 'ada')
      await call(one, 'register', { plan: 'gold' })
      await settle(context)
      const before = [await idsOf(one), await idsOf(two)]
      await one.evaluate(() => {
        localStorage.clear()
        sessionStorage.clear()
      })
      await context.clearCookies()
      await settle(context)
      expect([await idsOf(one), await idsOf(two)]).toEqual(before)
      await settle(context)
      await reload(one)
      expect([await idsOf(one), await idsOf(two)]).toEqual(before)
      for (const page of [one, two]) expect(await call(page, 'get_property', 'plan')).toBe('gold')
    })
  })

for (const persistence of PERSISTENCE)
  test(`two tabs that write at the same time keep both writes with persistence: '${persistence}'`, async ({
    context,
    put,
    openTab,
  }) => {
    test.setTimeout(120_000)
    put('npm', '/', 'home', { ...QUIET, persistence })
    const names = ['one', 'two', 'three']
    const tabs = await Promise.all(names.map(() => openTab()))
    for (let round = 1; round <= 15; round++) {
      const at = Date.now() + 100
      await Promise.all(
        tabs.map((tab, index) =>
          tab.evaluate(
            async ({ name, round, at }) => {
              while (Date.now() < at - 5) await new Promise((done) => setTimeout(done))
              // Pages in one process take turns; pages in different processes write concurrently.
              while (Date.now() < at);
              window.analytics.register({ [name]: round })
              await new Promise((done) => setTimeout(done, 300))
            },
            { name: names[index]!, round, at },
          ),
        ),
      )
      const expected = Object.fromEntries(names.map((name) => [name, round]))
      for (const tab of tabs)
        await expect(async () => {
          expect(await tab.evaluate(() => window.analytics.capture('x')!.properties)).toMatchObject(expected)
        }).toPass()
    }
    await settle(context)
    await reload(tabs[0]!)
    expect(await tabs[0]!.evaluate(() => window.analytics.capture('x')!.properties)).toMatchObject({
      one: 15,
      two: 15,
      three: 15,
    })
  })

test('opt-out survives a page that clears its storage', async ({ context, put, openTab }) => {
  put('npm', '/', 'home', QUIET)
  const [one, two] = [await openTab(), await openTab()]
  await call(one, 'opt_out_capturing')
  await settle(context)
  await two.evaluate(() => localStorage.clear())
  await settle(context)
  expect([await idsOf(one), await idsOf(two)]).toEqual([undefined, undefined])
  await reload(two)
  expect(await idsOf(two)).toBeUndefined()
})

test('the running page keeps its visitor after Clear-Site-Data', async ({ site, put, openTab }) => {
  put('npm', '/', 'home', QUIET)
  site.page('/sign-out', 'signed out', { 'Clear-Site-Data': '"cookies", "storage"' })
  const page = await openTab()
  await call(page, 'identify', 'ada')
  const before = await idsOf(page)
  await page.evaluate(async () => {
    localStorage.setItem('mark', 'x')
    await (await fetch('/sign-out')).text()
  })
  await expect.poll(() => page.evaluate(() => localStorage.getItem('mark'))).toBeNull()
  expect(await idsOf(page)).toEqual(before)
  await pause(page, 100)
  await reload(page)
  expect(await idsOf(page)).toMatchObject({ visitor: 'ada', session: before!.session })
})

for (const persistence of PERSISTENCE)
  test.describe(`cookieless_mode: 'on_reject' in two tabs with persistence: '${persistence}'`, () => {
    const options = { ...QUIET, persistence, cookieless_mode: 'on_reject' as const }

    test('stores no id after one of them opts out', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', options)
      const [one, two] = [await openTab(), await openTab()]
      await call(one, 'opt_in_capturing')
      await settle(context)
      const ids = [await idsOf(one), await idsOf(two)]
      expect(ids[0]!.visitor).toBe(ids[1]!.visitor)
      expect(ids[0]!.session).toBe(ids[1]!.session)

      await call(one, 'opt_out_capturing')
      // At the same time: a write that this tab had begun does not follow the opt-out.
      await call(two, 'register', { late: 1 })
      await settle(context)
      for (const page of [two, one]) expect((await idsOf(page))!.visitor).toBe('$posthog_cookieless')
      await settle(context)
      for (const page of [one, two])
        await expect
          .poll(() => storageOf(page))
          .toEqual({ ...EMPTY, local: [expect.stringMatching(/^__ph_opt_in_out_/)] })
    })

    test('share one visitor after one of them opts in', async ({ context, put, openTab }) => {
      put('npm', '/', 'home', options)
      const [one, two] = [await openTab(), await openTab()]
      await call(two, 'register', { theirs: 1 })
      expect(await storageOf(two)).toEqual(EMPTY)
      await call(one, 'opt_in_capturing')
      await settle(context)
      const ids = [await idsOf(two), await idsOf(one), await idsOf(two)]
      expect(new Set(ids.map((each) => each!.visitor)).size).toBe(1)
      expect(new Set(ids.map((each) => each!.session)).size).toBe(1)
      expect(await call(two, 'get_property', 'theirs')).toBe(1)
    })

    test('share one new visitor after an opt-in that follows an opt-out', async ({
      context,
      put,
      openTab,
      storedAt,
    }) => {
      put('npm', '/', 'home', { ...options, request_queue_config: { flush_interval_ms: 250 } })
      const [one, two] = [await openTab(), await openTab()]
      await call(one, 'opt_out_capturing')
      await settle(context)
      await call(two, 'opt_in_capturing')
      await settle(context)
      const ids = [await idsOf(one), await idsOf(two)]
      expect(ids[0]!.visitor).toBe(ids[1]!.visitor)
      const events = await storedAt(SHOP, (all) => all.length === 3)
      expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1)
    })
  })

test.describe('a tab whose local storage is full', () => {
  test('keeps an opt-out', async ({ context, put, openTab }) => {
    put('npm', '/', 'home', QUIET)
    const [one, two] = [await openTab(), await openTab()]
    await call(one, 'opt_in_capturing')
    await settle(context)
    await fillStorage(one)
    await call(one, 'opt_out_capturing')
    await settle(context)
    expect([await idsOf(one), await idsOf(two)]).toEqual([undefined, undefined])
    await reload(one)
    expect(await idsOf(one)).toBeUndefined()
  })

  test('keeps a first decision', async ({ context, put, openTab }) => {
    put('npm', '/', 'home', QUIET)
    const [one, two] = [await openTab(), await openTab()]
    await fillStorage(one)
    await call(one, 'opt_out_capturing')
    await settle(context)
    expect([await idsOf(one), await idsOf(two)]).toEqual([undefined, undefined])
    await reload(one)
    expect(await idsOf(one)).toBeUndefined()
  })

  test('keeps the visitor on the next page', async ({ put, openTab }) => {
    put('npm', '/', 'home', { ...QUIET, persistence: 'localStorage' })
    const page = await openTab()
    const before = await idsOf(page)
    await pause(page, 100)
    await fillStorage(page)
    await call(page, 'register', { big: 'x'.repeat(1000) })
    await reload(page)
    expect(await idsOf(page)).toEqual(before)
  })
})

test('a cookie over 4 kB keeps visitor, session and consent', async ({ context, put, openTab }) => {
  put('npm', '/', 'home', { ...QUIET, persistence: 'cookie', opt_out_capturing_persistence_type: 'cookie' })
  const [one, two] = [await openTab(), await openTab()]
  await call(one, 'identify', 'ada')
  await call(one, 'register', { big: 'x'.repeat(5000) })
  await settle(context)
  const before = [await idsOf(one), await idsOf(two)]
  expect(before[0]).toMatchObject({ visitor: 'ada', session: before[1]!.session })
  expect(await call(one, 'get_property', 'big')).toHaveLength(5000)
  await reload(one)
  expect([await idsOf(one), await idsOf(two)]).toEqual(before)
  await call(one, 'opt_out_capturing')
  await settle(context)
  expect([await idsOf(one), await idsOf(two)]).toEqual([undefined, undefined])
})

test('a page without local storage keeps visitor and session in a cookie over 4 kB', async ({
  context,
  put,
  openTab,
}) => {
  await context.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    }),
  )
  put('npm', '/', 'home', QUIET)
  const page = await openTab()
  await call(page, 'identify', 'ada')
  await call(page, 'register', { big: 'x'.repeat(5000) })
  const before = await idsOf(page)
  expect(before).toMatchObject({ visitor: 'ada' })
  await pause(page, 500)
  await reload(page)
  expect(await idsOf(page)).toMatchObject({ visitor: 'ada', session: before!.session })
})

test('tabs of two subdomains agree after a reset in one of them', async ({ context, put, openTab }) => {
  put('npm', '/', 'home', QUIET)
  const [shop, blog] = [await openTab('/', SHOP), await openTab('/', BLOG)]
  await call(shop, 'identify', 'ada')
  await call(blog, 'register', { plan: 'gold' })
  // Their hosts share a cookie only, whose change the browser reports later than one of local storage.
  await expect.poll(() => call(blog, 'get_distinct_id')).toBe('ada')
  expect((await idsOf(blog))!.visitor).toBe('ada')
  await call(blog, 'reset')
  await expect.poll(() => call(shop, 'get_distinct_id')).not.toBe('ada')
  await settle(context)
  const ids = [await idsOf(shop), await idsOf(blog), await idsOf(shop), await idsOf(blog)]
  expect(new Set(ids.map((each) => each!.visitor)).size).toBe(1)
  expect(ids[0]!.visitor).not.toBe('ada')
  expect(new Set(ids.map((each) => each!.session)).size).toBe(1)
  expect(await call(shop, 'get_property', '$user_id')).toBeUndefined()
})

for (const sandbox of ['allow-scripts', 'allow-scripts allow-same-origin'])
  test(`a frame with sandbox="${sandbox}" on a host with dots is captured`, async ({
    context,
    site,
    put,
    storedAt,
  }) => {
    put('script', '/framed', '<button>Go</button>')
    site.page('/', `<!doctype html><iframe sandbox="${sandbox}" src="/framed"></iframe>`)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())))
    await page.goto(`http://${SHOP}:${new URL(site.url).port}/`)
    const frame = page.frameLocator('iframe')
    await frame.locator('button').click()
    const events = await storedAt(SHOP, (all) => all.some(({ event }) => event === '$autocapture'))
    expect(events.map(({ event }) => event)).toContain('$pageview')
    expect(errors.filter((text) => text.includes('trailmark'))).toEqual([])
  })
