import type { Page } from 'playwright/test'

/** Waits for a timer of the page. On a busy machine, timers that the page set before are late too, and run first. */
export const pause = (page: Page, ms: number): Promise<void> =>
  page.evaluate((delay) => new Promise<void>((done) => setTimeout(done, delay)), ms)
