import type { CDPSession, Page } from 'playwright/test'
import { expect } from 'playwright/test'
import type { GalleryPage } from '../gallery/gallery'
import { pause } from './pause'
import { cut } from './recording'

/** What a page looked like at a moment. */
export interface Moment {
  readonly file: string
  /** Also an attribute of the page, by which the player's page is known to be at this moment. */
  readonly name: string
  /** ms since the epoch. */
  readonly at: number
  readonly picture: Buffer
}

interface Recorded {
  readonly page: Page
  readonly debug: CDPSession
  /** Returns the number of full snapshots that have left the page. */
  snapshots(): number
  /** Returns the ids of the canvases whose images have left the page and are not older than `since`, ms since the epoch. */
  canvases(since: number): Set<number>
}

const MAX_ACT_MS = 10_000
const ACT = `Promise.race([
  globalThis.act?.(),
  new Promise((_, fail) => setTimeout(fail, ${MAX_ACT_MS}, new Error('"act" does not end'))),
])`

/** Waits until `count` frames are drawn. */
export const frames = (page: Page, count: number): Promise<void> =>
  page.evaluate(async (all) => {
    for (let each = 0; each < all; each++) await new Promise((done) => requestAnimationFrame(done))
  }, count)

const now = (page: Page) => page.evaluate(() => Date.now())

/** Marks the page, takes its picture, and goes on after it. `since`: when its canvases have changed, or their images are to be repeated. */
const take = async ({ page, canvases }: Recorded, file: string, step: string, since: number): Promise<Moment> => {
  const name = `${file}-${step}`
  await page.evaluate((each) => (document.documentElement.dataset.moment = each), name)
  // Scrolling is recorded a few times a second.
  await pause(page, 300)
  // Images of canvases are encoded on another thread, which may take long.
  const count = await page.locator('canvas').count()
  if (count) await expect.poll(() => cut(page).then(() => canvases(since).size)).toBe(count)
  await frames(page, 2)
  const at = await now(page)
  const picture = await page.screenshot()
  await pause(page, 50)
  return { file, name, at, picture }
}

/** Returns the moments of a page that is recorded: once it is, after it has changed, and after another full snapshot. */
export const momentsOf = async (recorded: Recorded, { file, zoom = 1 }: GalleryPage, before: number) => {
  const { page, debug, snapshots } = recorded
  const nextSnapshot = async (known: number) => {
    const count = () => cut(page).then(snapshots)
    await expect.poll(count, { intervals: [100] }).toBeGreaterThan(known)
  }
  await nextSnapshot(before)
  const loaded = await take(recorded, file, 'loaded', await page.evaluate(() => performance.timeOrigin))
  const changedAt = await now(page)
  await page.evaluate(ACT)
  await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: zoom })
  const changed = await take(recorded, file, 'changed', changedAt)
  await cut(page)
  const known = snapshots()
  const repeatedAt = await now(page)
  // As when the page returns from the back/forward cache.
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await nextSnapshot(known)
  const again = await take(recorded, file, 'again', repeatedAt)
  await page.evaluate(() => (document.documentElement.dataset.moment = 'end'))
  await pause(page, 50)
  await cut(page)
  await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1 })
  return [loaded, changed, again]
}
