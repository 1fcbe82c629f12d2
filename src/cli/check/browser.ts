import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Finding } from './findings'

/** Members that `check` uses of the site's own Playwright. */
interface Playwright {
  chromium: { launch(): Promise<{ newPage(): Promise<BrowserPage>; close(): Promise<void> }> }
}
interface BrowserPage {
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'request', listener: (request: { url(): string; method(): string }) => void): void
  goto(url: string): Promise<unknown>
  waitForTimeout(ms: number): Promise<void>
}

const WAIT_MS = 4_000
const EVENTS = /\/(?:e|i\/v0\/e|batch|capture)\/(?:\?|$)/
const MATTERS = /\[trailmark\]|Content[ -]Security[ -]Policy/i

/** Opens the page in the Chromium of the Playwright that is installed in `folder`. `undefined`: none is. */
export const browserChecks = async (url: string, folder: string): Promise<Finding[] | undefined> => {
  let playwright: Playwright
  try {
    const path = createRequire(join(folder, 'package.json')).resolve('playwright')
    playwright = ((await import(pathToFileURL(path).href)) as { default: Playwright }).default
  } catch {
    return undefined
  }
  const browser = await playwright.chromium.launch()
  try {
    const page = await browser.newPage()
    const messages = new Set<string>()
    let events = 0
    page.on('console', (message) => MATTERS.test(message.text()) && messages.add(message.text()))
    page.on('request', (request) => request.method() === 'POST' && EVENTS.test(request.url()) && events++)
    await page.goto(url)
    await page.waitForTimeout(WAIT_MS)
    return [
      ...[...messages].map((seen): Finding => ({
        level: 'error',
        code: 'console-message',
        seen,
        advice: 'Read the message: it says what to change.',
      })),
      {
        level: 'ok',
        code: 'browser',
        seen: `In Chromium, the page sent ${events} requests with events in ${WAIT_MS / 1000} s. The SDK takes an automated browser for a bot, unless opt_out_useragent_filter is set.`,
      },
    ]
  } finally {
    await browser.close()
  }
}
