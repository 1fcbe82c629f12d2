import type { BrowserContext, Page } from 'playwright/test'
import { pause } from './pause'
import { ready, waitUntil } from './ready'
import { expect, test as base } from './scenario'
import type { StoredEvent } from './service'

/** Host names with dots, so that cookies can have a domain. Every browser resolves them to this machine and treats them as secure. */
export const SHOP = 'shop.example.localhost'
export const BLOG = 'blog.example.localhost'

interface Fixtures {
  /** Opens a page of the site in a new tab of the same browser, under one of the site's host names. */
  openTab(path?: string, name?: string): Promise<Page>
  /** Resolves with the events stored for one of the site's host names once `until` returns true for them. */
  storedAt(name: string, until: (events: StoredEvent[]) => boolean): Promise<StoredEvent[]>
}

export const test = base.extend<Fixtures>({
  openTab: async ({ context, site }, use) => {
    const port = new URL(site.url).port
    await use(async (path = '/', name = SHOP) => {
      const page = await context.newPage()
      await page.goto(`http://${name}:${port}${path}`)
      await ready(page)
      return page
    })
  },
  storedAt: async ({ site, service }, use) => {
    const port = new URL(site.url).port
    await use(async (name, until) => {
      let events: StoredEvent[] = []
      await expect.poll(async () => until((events = await service.events(`${name}:${port}`)))).toBe(true)
      return events
    })
  },
})

export { expect }

/** `settle` writes one entry per tab. They have one length, so that they can be replaced while storage is full. */
const MARKER = 'settled-'
const MARKERS = 4

/** The ids of an event: visitor, session and window. */
export interface Ids {
  visitor: unknown
  session: unknown
  window: unknown
}

/** Captures an event and returns its ids; undefined if it was dropped. */
export const idsOf = (page: Page): Promise<Ids | undefined> =>
  page.evaluate(() => {
    const event = window.analytics.capture('x')
    return (
      event && {
        visitor: event.properties.distinct_id,
        session: event.properties.$session_id,
        window: event.properties.$window_id,
      }
    )
  })

/** Calls a method of a tab's `analytics`. */
export const call = (page: Page, method: string, ...args: unknown[]): Promise<unknown> =>
  page.evaluate(
    ([method, args]) => {
      const result = (window.analytics as unknown as Record<string, (...args: unknown[]) => unknown>)[
        method as string
      ]!(...(args as unknown[]))
      return typeof result === 'object' ? undefined : result
    },
    [method, args],
  )

/** Returns the names of everything the site stores in the browser, by kind of storage, without the marks of `settle`. */
export const storageOf = (
  page: Page,
): Promise<{ local: string[]; session: string[]; cookies: string; databases: unknown }> =>
  page.evaluate(
    async (marker) => ({
      local: Object.keys(localStorage).filter((name) => !name.startsWith(marker)),
      session: Object.keys(sessionStorage),
      cookies: document.cookie,
      databases: (await indexedDB.databases()).map(({ name }) => name),
    }),
    MARKER,
  )

/** Fills local storage completely. */
export const fillStorage = (page: Page): Promise<void> =>
  page.evaluate((markers) => {
    for (let marker = 0; marker < markers; marker++) localStorage.setItem(`settled-${marker}`, '0'.repeat(13))
    let index = 0
    for (let size = 1 << 22; size >= 1; size = size >> 1)
      try {
        for (;;) localStorage.setItem(`filler-${index++}`, 'x'.repeat(size))
      } catch {
        // Full for entries of this size.
      }
  }, MARKERS)

/** Waits until every tab has received the `storage` events of the others on its host, however slow the machine is. */
export const settle = async (context: BrowserContext): Promise<void> => {
  const pages = context.pages().filter((page) => page.url().startsWith('http'))
  const mark = String(Date.now())
  // A browser passes the changes of one tab on in their order: who sees a tab's mark has seen what it wrote before.
  await Promise.all(
    pages.map((page, index) =>
      page.evaluate(([key, value]) => localStorage.setItem(key!, value!), [`${MARKER}${index}`, mark]),
    ),
  )
  const hostOf = (page: Page) => new URL(page.url()).host
  await Promise.all(
    pages.map((page) => {
      const keys = pages.flatMap((other, index) => (hostOf(other) === hostOf(page) ? [`${MARKER}${index}`] : []))
      return waitUntil(page, ([wanted, ...names]) => names.every((name) => localStorage.getItem(name) === wanted), [
        mark,
        ...keys,
      ])
    }),
  )
  // The `storage` events are dispatched in tasks after the values are visible.
  await Promise.all(context.pages().map((page) => pause(page, 100)))
}
