import type { BrowserContext, Page } from 'playwright/test'
import { expect, test as base } from './scenario'
import type { StoredEvent } from './service'

/** Names with dots that every browser resolves to this machine, and takes for secure: cookies can have a domain there. */
export const SHOP = 'shop.example.localhost'
export const BLOG = 'blog.example.localhost'

interface Fixtures {
  /** Opens a tab of one visitor's browser on a page of the site, under one of its names. */
  openTab(path?: string, name?: string): Promise<Page>
  /** The events stored from one of the site's names, once they are what `until` wants. */
  storedAt(name: string, until: (events: StoredEvent[]) => boolean): Promise<StoredEvent[]>
}

export const test = base.extend<Fixtures>({
  openTab: async ({ context, site }, use) => {
    const port = new URL(site.url).port
    await use(async (path = '/', name = SHOP) => {
      const page = await context.newPage()
      await page.goto(`http://${name}:${port}${path}`)
      await page.waitForFunction(() => window.analytics?.__loaded)
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

/** Whose event it is, and of which visit. */
export interface Ids {
  visitor: unknown
  session: unknown
  window: unknown
}

/** Captures an event and returns its ids; undefined where it was dropped. */
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
      const answer = (window.analytics as unknown as Record<string, (...args: unknown[]) => unknown>)[
        method as string
      ]!(...(args as unknown[]))
      return typeof answer === 'object' ? undefined : answer
    },
    [method, args],
  )

/** Everything that a tab's browser stores, by place and name. */
export const storageOf = (
  page: Page,
): Promise<{ local: string[]; session: string[]; cookies: string; databases: unknown }> =>
  page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cookies: document.cookie,
    databases: (await indexedDB.databases()).map(({ name }) => name),
  }))

/** Fills local storage to its last byte. */
export const fillStorage = (page: Page): Promise<void> =>
  page.evaluate(() => {
    let index = 0
    for (let size = 1 << 22; size >= 1; size = size >> 1)
      try {
        for (;;) localStorage.setItem(`filler-${index++}`, 'x'.repeat(size))
      } catch {
        // Full for entries of this size.
      }
  })

/** Waits until every tab has heard of what another has stored. */
export const settle = (context: BrowserContext): Promise<unknown> =>
  Promise.all(context.pages().map((page) => page.waitForTimeout(100)))
