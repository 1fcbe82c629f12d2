import { chromium } from 'playwright'
import { findBrowser } from '../../scripts/findBrowser.mjs'

// A normal user agent, because SDKs ignore automated browsers. It is set by a command-line flag, because Playwright's
// `userAgent` option is undone while a page unloads.
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Launches a Chromium that can only connect to this machine. */
export const launchBrowser = () =>
  chromium.launch({
    executablePath: findBrowser('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-blink-features=AutomationControlled',
      `--user-agent=${USER_AGENT}`,
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
