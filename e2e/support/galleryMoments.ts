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

/** Marks the page, takes its picture, and goes on after it. */
const take = async (page: Page, file: string, step: string): Promise<Moment> => {
  const name = `${file}-${step}`
  await page.evaluate((each) => (document.documentElement.dataset.moment = each), name)
  // Canvases are recorded a few times a second.
  await pause(page, 300)
  await frames(page, 2)
  const at = await page.evaluate(() => Date.now())
  const picture = await page.screenshot()
  await pause(page, 50)
  return { file, name, at, picture }
}

/** Returns the moments of a page that is recorded: once it is, after it has changed, and after another full snapshot. */
export const momentsOf = async (
  { page, debug, snapshots }: Recorded,
  { file, zoom = 1 }: GalleryPage,
  before: number,
) => {
  const nextSnapshot = async (known: number) => {
    const count = () => cut(page).then(snapshots)
    await expect.poll(count, { intervals: [100] }).toBeGreaterThan(known)
  }
  await nextSnapshot(before)
  const loaded = await take(page, file, 'loaded')
  await page.evaluate(ACT)
  await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: zoom })
  const changed = await take(page, file, 'changed')
  await cut(page)
  const known = snapshots()
  // As when the page returns from the back/forward cache.
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await nextSnapshot(known)
  const again = await take(page, file, 'again')
  await page.evaluate(() => (document.documentElement.dataset.moment = 'end'))
  await pause(page, 50)
  await cut(page)
  await debug.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1 })
  return [loaded, changed, again]
}
