import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright/test'
import config from '../../playwright.config'
import type { Config } from '../../src/types'
import { pause } from './pause'
import { type Proxy, startProxy } from './proxy'
import { ready } from './ready'
import { expect, test as base } from './scenario'
import type { StoredEvent } from './service'
import { type Traffic, trafficOf } from './traffic'

/** Options that turn automatic events off. */
export const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }
/** Default number of captured events. */
export const COUNT = 20

/** A browser, its page, and a proxy to the service that simulates network failures. */
export interface World {
  context: BrowserContext
  network: Proxy
  page: Page
  /** Closes the browser and opens it again with the same profile. */
  reopenBrowser(): Promise<void>
}

/** What a test reports to `npm run bench -- delivery`. */
export interface Account extends Traffic {
  captured: number
  stored: number
}

interface Fixtures {
  network: Proxy
  /**
   * Whether to launch a separate browser with a profile on disk and with the back/forward cache, which Playwright turns off,
   * and which one. The headless shell has the same storage, and starts with a quarter of Chromium's CPU time.
   */
  ownBrowser: false | 'chromium' | 'headless shell'
  world: World
  /** Adds a page to the site whose events are sent through `network`. */
  putShop(path?: string, options?: Partial<Config>): void
  open(path?: string): Promise<Page>
  /** Reports captured and stored events and the network traffic: a row of the benchmark's table. */
  account(captured: number, stored: readonly StoredEvent[]): void
  /**
   * Waits until the events with these uuids, sorted, are stored and none waits in the browser. Expects that there are no others, and
   * reports them.
   */
  expectDelivered(page: Page, captured: readonly string[]): Promise<void>
}

export const test = base.extend<Fixtures>({
  network: async ({ service }, use, test) => {
    const network = await startProxy(service.url)
    await use(network)
    // Failures are rare and hard to reproduce, so this logs the traffic.
    if (test.status !== test.expectedStatus)
      console.log(
        `${test.title}: what went over the wire`,
        network.deliveries().map(({ uuids, bytes, isPassedOn }) => ({ events: uuids.length, bytes, isPassedOn })),
      )
    await network.stop()
  },
  ownBrowser: [false, { option: true }],
  world: async ({ network, ownBrowser, browser }, use) => {
    const profile = await mkdtemp(join(tmpdir(), 'trailmark-profile-'))
    const launch = () =>
      chromium.launchPersistentContext(profile, {
        ...(ownBrowser === 'chromium' ? config : config.projects![0]!).use!.launchOptions!,
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      })
    const context = ownBrowser ? await launch() : await browser.newContext()
    const world: World = {
      context,
      network,
      page: context.pages()[0] ?? (await context.newPage()),
      reopenBrowser: async () => {
        if (!ownBrowser) throw new Error('Set the option "ownBrowser": other pages have no profile to open again.')
        await world.context.close()
        world.context = await launch()
        world.page = world.context.pages()[0]!
      },
    }
    await use(world)
    await world.context.close()
    await rm(profile, { recursive: true })
  },
  putShop: async ({ put, network }, use) => {
    await use((path = '/', options = {}) =>
      put('own script', path, 'shop', { ...QUIET, api_host: network.url, ...options }),
    )
  },
  open: async ({ world, site }, use) => {
    await use(async (path = '/') => {
      const page = (await findUnused(world.context)) ?? (await world.context.newPage())
      await start(page, site.url + path)
      return page
    })
  },
  account: async ({ network }, use, { annotations }) => {
    await use((captured, stored) => {
      const row: Account = { captured, stored: stored.length, ...trafficOf(network.deliveries()) }
      annotations.push({ type: 'delivery', description: JSON.stringify(row) })
    })
  },
  expectDelivered: async ({ stored, account }, use) => {
    await use(async (page, captured) => {
      await stored((found) => found.length >= captured.length)
      await expect.poll(() => waiting(page)).toBe(0)
      const events = await stored(() => true)
      expect(uuidsOf(events)).toEqual(captured)
      account(captured.length, events)
    })
  },
})

export { expect }

/** Returns a page that has not shown anything yet. Each other page would be another process. */
const findUnused = async (context: BrowserContext): Promise<Page | undefined> => {
  for (const page of context.pages())
    if (page.url() === 'about:blank' && (await page.evaluate(() => history.length)) === 1) return page
  return undefined
}

/** Returns the ids of the events in the database of the outbox. */
const recordIds = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name!)
    // Workers have a second database, `trailmark`, instead of local storage.
    const name = names.find((each) => each.startsWith('trailmark '))
    if (!name) return []
    const resultOf = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done) => (request.onsuccess = () => done(request.result)))
    const database = await resultOf(indexedDB.open(name))
    const keys = await resultOf(database.transaction('events').objectStore('events').getAllKeys())
    database.close()
    return keys.flatMap((key) => {
      // Release 2.0.0 writes a record for each event. Its id is that of the event.
      const [, id, , , , members] = key as [number, string, string, number, string, string?]
      return members ? (JSON.parse(members) as [uuid: string][]).map(([uuid]) => uuid) : [id]
    })
  })

/** Returns the ids of the events in the journals in local storage. */
const journalIds = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith('trailmark '))
      .flatMap((name) => (JSON.parse(localStorage.getItem(name)!) as { uuid: string }[]).map(({ uuid }) => uuid)),
  )

/** Returns the number of events that wait in the browser, in the database or in journals. */
export const waiting = async (page: Page): Promise<number> =>
  new Set([...(await recordIds(page)), ...(await journalIds(page))]).size

/** Returns the number of events in the database. */
export const recorded = async (page: Page): Promise<number> => (await recordIds(page)).length

/** Returns the number of events in the journals. */
export const journaled = async (page: Page): Promise<number> => (await journalIds(page)).length

/** Returns the names of the site's databases in the browser. */
export const databases = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))

/** Captures `count` events, each with `size` extra characters, and returns their uuids. */
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

/** Waits briefly: long enough for a task, well below a second. */
export const moment = (page: Page): Promise<void> => pause(page, 100)

/** Kills the renderer of a page immediately. */
export const kill = async (page: Page): Promise<void> => {
  const gone = page.waitForEvent('crash')
  void page.goto('chrome://crash').catch(() => {}) // the page crashes before it responds
  await gone
  await page.close()
}

/** Waits briefly, then kills the renderer of a page. */
export const crash = async (page: Page): Promise<void> => {
  await moment(page)
  await kill(page)
}

/** Opens a page and waits until it captures. */
export const start = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await ready(page)
}

/** Fires the `online` event. */
export const comeOnline = (page: Page): Promise<void> => page.evaluate(() => void dispatchEvent(new Event('online')))
