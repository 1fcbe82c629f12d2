import { type BrowserContext, chromium, type Page } from 'playwright/test'
import config from '../../playwright.config'
import type { Config } from '../../src/types'
import { type Proxy, startProxy } from './proxy'
import { expect, test as base } from './scenario'
import type { StoredEvent } from './service'
import { type Traffic, trafficOf } from './traffic'

/** Nothing but what a test captures itself. */
export const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }
/** How many events a test captures that says nothing else. */
export const COUNT = 20

/** A browser, its page, and a network between it and the service that can fail. */
export interface World {
  context: BrowserContext
  network: Proxy
  page: Page
  /** Closes the browser and opens it again, with everything it has kept. */
  reopenBrowser(): Promise<void>
}

/** What a test tells `npm run bench -- delivery`. */
export interface Account extends Traffic {
  captured: number
  stored: number
}

interface Fixtures {
  network: Proxy
  /** A browser of its own with a profile on disk and with the back/forward cache, which Playwright turns off. */
  ownBrowser: boolean
  world: World
  /** Puts a page on the site whose events go by the network. */
  putShop(path?: string, options?: Partial<Config>): void
  open(path?: string): Promise<Page>
  /** Tells what was captured, what the service has of it, and what went over the wire for that: a row of the benchmark's table. */
  account(captured: number, stored: readonly StoredEvent[]): void
}

export const test = base.extend<Fixtures>({
  network: async ({ service }, use, test) => {
    const network = await startProxy(service.url)
    await use(network)
    // A failure here comes once in hundreds of runs: it says what it can.
    if (test.status !== test.expectedStatus)
      console.log(
        `${test.title}: what went over the wire`,
        network.deliveries().map(({ uuids, bytes, isPassedOn }) => ({ events: uuids.length, bytes, isPassedOn })),
      )
    await network.stop()
  },
  ownBrowser: [false, { option: true }],
  world: async ({ network, ownBrowser, browser }, use, { outputDir }) => {
    const launch = () =>
      chromium.launchPersistentContext(`${outputDir}/profile`, {
        ...config.use!.launchOptions!,
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      })
    const context = ownBrowser ? await launch() : await browser.newContext()
    const world: World = {
      context,
      network,
      page: context.pages()[0] ?? (await context.newPage()),
      reopenBrowser: async () => {
        await world.context.close()
        world.context = await launch()
        world.page = world.context.pages()[0]!
      },
    }
    await use(world)
    await world.context.close()
  },
  putShop: async ({ put, network }, use) => {
    // The npm build comes from the site, so that a page loads while the service is away.
    await use((path = '/', options = {}) => put('npm', path, 'shop', { ...QUIET, api_host: network.url, ...options }))
  },
  open: async ({ world, site }, use) => {
    await use(async (path = '/') => {
      const page = await world.context.newPage()
      await page.goto(site.url + path)
      await page.waitForFunction(() => window.analytics?.__loaded)
      return page
    })
  },
  account: async ({ network }, use, { annotations }) => {
    await use((captured, stored) => {
      const row: Account = { captured, stored: stored.length, ...trafficOf(network.deliveries()) }
      annotations.push({ type: 'delivery', description: JSON.stringify(row) })
    })
  },
})

export { expect }

/** How many events lie in the browser. */
export const waiting = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name!)
    // Workers have a second one, `trailmark`, in place of local storage.
    const name = names.find((each) => each.startsWith('trailmark '))
    if (!name) throw new Error('The site has no outbox.')
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done) => (request.onsuccess = () => done(request.result)))
    const database = await answer(indexedDB.open(name))
    const count = await answer(database.transaction('events').objectStore('events').count())
    database.close()
    return count
  })

/** How many events lie in journals in local storage. */
export const journaled = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith('trailmark '))
      .reduce((sum, name) => sum + (JSON.parse(localStorage.getItem(name)!) as unknown[]).length, 0),
  )

/** The names of the databases that the page's site has in the browser. */
export const databases = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))

/** Captures events, each with `size` characters more than it needs, and answers their uuids. */
export const capture = (page: Page, count = COUNT, size = 0): Promise<string[]> =>
  page.evaluate(
    ([count, size]) =>
      Array.from(
        { length: count! },
        (_, index) =>
          window.analytics.capture('x', { index, filler: 'x'.repeat(size!) }, { skip_client_rate_limiting: true })!
            .uuid,
      ),
    [count, size],
  )

export const uuidsOf = (events: StoredEvent[]): string[] => events.map(({ uuid }) => uuid).sort()

/** Well within a second of what was captured. */
export const moment = (page: Page): Promise<void> => page.waitForTimeout(100)

/** Kills the renderer of a page, at once. */
export const kill = async (page: Page): Promise<void> => {
  const gone = page.waitForEvent('crash')
  void page.goto('chrome://crash').catch(() => {}) // the page does not live to answer
  await gone
  await page.close()
}

/** Kills the renderer of a page, a moment after what it did last. */
export const crash = async (page: Page): Promise<void> => {
  await moment(page)
  await kill(page)
}

/** Opens a page and waits until its outbox is open: until it holds its lock, and what is asked of its database after it is answered. */
export const start = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await page.waitForFunction(async () => {
    if (!window.analytics?.__loaded) return false
    const [{ held }, [database]] = await Promise.all([navigator.locks.query(), indexedDB.databases()])
    if (!database || !held!.some(({ name }) => name!.startsWith(`${database.name}/`))) return false
    const request = indexedDB.open(database.name!)
    await new Promise((done) => (request.onsuccess = done))
    request.result.close()
    return true
  })
}

/** What the browser says when a network is back. */
export const comeOnline = (page: Page): Promise<void> => page.evaluate(() => void dispatchEvent(new Event('online')))
