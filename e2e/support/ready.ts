import { setTimeout as delay } from 'node:timers/promises'
import type { Frame, Page } from 'playwright/test'

/**
 * Waits until a function returns true in a page. For `page.waitForFunction`, Playwright loads 350 kB of its own code into
 * the document, which takes a fifth of the CPU time of a small page.
 */
export const waitUntil = async (
  page: Page | Frame,
  condition: (values: string[]) => boolean,
  values: string[] = [],
): Promise<void> => {
  while (!(await page.evaluate(condition, values))) await delay(20)
}

/** Waits until the SDK runs in a page. */
export const ready = (page: Page | Frame): Promise<void> => waitUntil(page, () => window.analytics?.__loaded === true)
