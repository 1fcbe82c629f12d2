import { chromium, type Page } from 'playwright/test'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { expect, test } from '../support/scenario'
import config from '../../playwright.config'

declare global {
  interface Window {
    /** Number of cookies that the page has written. */
    writes?: number
  }
}

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }
const id = (page: Page) => page.evaluate(() => window.analytics.get_distinct_id())
const writes = (page: Page) => page.evaluate(() => window.writes!)

test('two open tabs share one visitor, and neither reverts changes of the other', async ({ context, site, put }) => {
  put('script', '/', 'home', QUIET)
  const [one, two] = [await context.newPage(), await context.newPage()]
  await one.goto(site.url)
  await ready(one)
  await two.goto(site.url)
  await ready(two)
  expect(await id(two)).toBe(await id(one))
  expect(await two.evaluate(() => window.analytics.get_session_id())).toBe(
    await one.evaluate(() => window.analytics.get_session_id()),
  )

  await one.evaluate(() => {
    window.analytics.identify('ada')
    window.analytics.register({ from: 'one' })
  })
  await expect.poll(() => id(two)).toBe('ada')
  await two.evaluate(() => window.analytics.register({ also: 'two' }))
  await expect.poll(() => one.evaluate(() => window.analytics.get_property('also'))).toBe('two')
  await expect
    .poll(() => two.evaluate(() => [window.analytics.get_property('from'), window.analytics.get_property('also')]))
    .toEqual(['one', 'two'])

  await one.evaluate(() => window.analytics.reset())
  await expect.poll(async () => (await id(two)) === (await id(one))).toBe(true)
  expect(await id(one)).not.toBe('ada')
  expect(await two.evaluate(() => window.analytics.get_property('from'))).toBeUndefined()
})

test('a duplicated tab is the same visitor in another window', async ({ context, site, put }) => {
  put('script', '/', '<a id="open" href="/" target="_blank" rel="opener">open</a>', QUIET)
  const page = await context.newPage()
  await page.goto(site.url)
  await ready(page)
  const windowId = (of: Page) => of.evaluate(() => window.analytics.capture('x')!.properties.$window_id)
  const [popup] = await Promise.all([context.waitForEvent('page'), page.locator('#open').click()])
  await ready(popup)
  expect(await id(popup)).toBe(await id(page))
  expect(await windowId(popup)).not.toBe(await windowId(page))
  const before = await windowId(page)
  await page.reload()
  await ready(page)
  expect(await windowId(page)).toBe(before)
})

test.describe('subdomains', () => {
  // Real host names that resolve to this machine, because cookie domains do not work on localhost.
  const visit = async (site: { url: string }, use: (open: (host: string) => Promise<Page>) => Promise<void>) => {
    const { args, ...launch } = config.use!.launchOptions!
    const browser = await chromium.launch({
      ...launch,
      args: [...args!, '--host-resolver-rules=MAP *.example.test 127.0.0.1,MAP example.test 127.0.0.1'],
    })
    try {
      const context = await browser.newContext()
      await use(async (host) => {
        const page = await context.newPage()
        await page.goto(`http://${host}:${new URL(site.url).port}/`)
        await ready(page)
        return page
      })
    } finally {
      await browser.close()
    }
  }

  test('share the visitor regardless of which was visited first, and the later identity wins', async ({
    site,
    put,
  }) => {
    put('script', '/', 'home', QUIET)
    await visit(site, async (open) => {
      const shop = await open('shop.example.test')
      const blog = await open('blog.example.test')
      expect(await id(blog)).toBe(await id(shop))

      await blog.evaluate(() => window.analytics.identify('ada'))
      await shop.reload()
      await ready(shop)
      expect(await id(shop)).toBe('ada')

      await shop.evaluate(() => window.analytics.reset())
      const anonymous = await id(shop)
      await blog.reload()
      await ready(blog)
      expect(await id(blog)).toBe(anonymous)
      expect(await blog.evaluate(() => window.analytics.get_property('$user_id'))).toBeUndefined()
    })
  })

  // These pages are not secure, so the browser does not report changes of cookies.
  for (const persistence of ['localStorage+cookie', 'cookie'] as const)
    test(`adopt identify and reset of each other while both are open, with persistence: '${persistence}'`, async ({
      site,
      put,
    }) => {
      put('script', '/', 'home', { ...QUIET, persistence })
      await visit(site, async (open) => {
        const [shop, blog] = [await open('shop.example.test'), await open('blog.example.test')]
        for (const [page, other, name] of [
          [shop, blog, 'ada'],
          [blog, shop, 'bob'],
        ] as const) {
          await page.evaluate((as) => window.analytics.identify(as), name)
          expect(await id(other)).toBe(name)
          await page.evaluate(() => window.analytics.reset())
          const anonymous = await id(page)
          expect(await other.evaluate(() => window.analytics.capture('x')!.properties.distinct_id)).toBe(anonymous)
          expect(await other.evaluate(() => window.analytics.get_property('$user_id'))).toBeUndefined()
        }
        // Both write equal text, so neither answers a write of the other with one of its own.
        const countWrites = () => {
          const property = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
          window.writes = 0
          Object.defineProperty(Document.prototype, 'cookie', {
            ...property,
            set(text: string) {
              window.writes!++
              property.set!.call(this, text)
            },
          })
        }
        await shop.evaluate(() => window.analytics.identify('ada'))
        await id(blog)
        for (const page of [shop, blog]) await page.evaluate(countWrites)
        const total = async () => (await writes(shop)) + (await writes(blog))
        const writesOfFiveRounds = async () => {
          const before = await total()
          for (let round = 0; round < 5; round++)
            for (const page of [shop, blog]) {
              await id(page)
              await pause(page, 50)
            }
          return (await total()) - before
        }
        // Each tab writes the answer to its own request for flags, which may be late. Tabs that answer each other never stop.
        await expect.poll(writesOfFiveRounds, { intervals: [0] }).toBe(0)
      })
    })

  test('are different visitors with cross_subdomain_cookie: false', async ({ site, put }) => {
    put('script', '/', 'home', { ...QUIET, cross_subdomain_cookie: false })
    await visit(site, async (open) => {
      const [shop, blog] = [await open('shop.example.test'), await open('blog.example.test')]
      expect(await id(blog)).not.toBe(await id(shop))
    })
  })

  test('the cookie is small, is set on the widest domain, and contains ids only', async ({ site, put }) => {
    put('script', '/', 'home', QUIET)
    await visit(site, async (open) => {
      const shop = await open('shop.example.test')
      await shop.evaluate(() => window.analytics.register({ plan: 'x'.repeat(2000) }))
      await shop.evaluate(() => void window.analytics.capture('x'))
      // Values are written in one batch, a task later.
      await expect
        .poll(async () => (await shop.context().cookies()).map(({ value }) => value).join())
        .toContain('sesid')
      const cookies = await shop.context().cookies()
      expect(cookies).toHaveLength(1)
      const [cookie] = cookies
      expect(cookie).toMatchObject({ domain: '.example.test', path: '/', sameSite: 'Lax', secure: false })
      expect(cookie!.value.length).toBeLessThan(500)
      expect(Object.keys(JSON.parse(decodeURIComponent(cookie!.value)) as object).sort()).toEqual([
        '$device_id',
        '$sesid',
        '$user_state',
        'distinct_id',
      ])
    })
  })
})
