import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type BrowserContext, type ElementHandle, type Page } from 'puppeteer-core'

// Like Playwright's `expect.timeout`: generous, because a busy machine is slow.
const TIMEOUT_MS = 60_000

const FIREFOX =
  process.env.TRAILMARK_FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file))

/**
 * Launches stock Firefox over WebDriver BiDi. Playwright drives its own patched Firefox, which cannot be installed
 * everywhere and is not what people use. `profile`: folder of a profile that outlives the browser.
 */
export const launchFirefox = (profile?: string): Promise<Browser> => {
  if (!FIREFOX) throw new Error('The Firefox tests need Firefox. Install it, or set TRAILMARK_FIREFOX to its path.')
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    userDataDir: profile,
    timeout: TIMEOUT_MS,
  })
}

/** Creates an empty page. */
export const newPage = async (browser: Browser | BrowserContext): Promise<Page> => {
  const page = await browser.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  return page
}

/** Waits for an element that may be in a shadow root. */
export const findInShadow = async (page: Page, selector: string): Promise<ElementHandle> =>
  // Without `visible`, puppeteer looks again only when the document changes, and changes in shadow roots do not count.
  (await page.waitForSelector(`>>> ${selector}`, { visible: true }))!

/** Opens a page and waits until the SDK runs. */
export const openPage = async (browser: Browser | BrowserContext, url: string): Promise<Page> => {
  const page = await newPage(browser)
  await page.goto(url)
  await page.waitForFunction(() => window.analytics?.__loaded)
  return page
}
