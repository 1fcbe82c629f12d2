import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'

const FIREFOX =
  process.env.TRAILMARK_FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file))

/**
 * Launches stock Firefox over WebDriver BiDi. Playwright drives its own patched Firefox, which cannot be installed
 * everywhere and is not what people use. `profile`: folder of a profile that outlives the browser.
 */
export const launchFirefox = (profile?: string): Promise<Browser> => {
  if (!FIREFOX) throw new Error('The Firefox tests need Firefox. Install it, or set TRAILMARK_FIREFOX to its path.')
  return puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true, userDataDir: profile })
}

/** Opens a page and waits until the SDK runs. */
export const openPage = async (browser: Browser | BrowserContext, url: string): Promise<Page> => {
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForFunction(() => window.analytics?.__loaded)
  return page
}
