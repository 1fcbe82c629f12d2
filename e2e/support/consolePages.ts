import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { expect } from './console'
import { ROOT } from './root'

/** Returns the paths of the console's pages. Not a static import, because the console's sources have other compiler options. */
export const pagePaths = async (): Promise<readonly string[]> => {
  const { PAGES } = (await import(join(ROOT, 'service/console/src/pages.ts'))) as { PAGES: readonly { path: string }[] }
  return PAGES.map(({ path }) => path)
}

/** Waits until nothing on the shown page is loading. */
export const expectLoaded = (page: Page): Promise<void> =>
  expect(page.locator('main').locator('.skeleton, .progress, [aria-busy="true"]')).toHaveCount(0)

/** Shows another page of the console in the same document, as a link does. */
export const showPage = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((to) => {
    document.querySelector('main h1')?.setAttribute('data-before', '')
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await expect(page.locator('main h1:not([data-before])')).toBeVisible()
  await expectLoaded(page)
}
