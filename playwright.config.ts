import { existsSync } from 'node:fs'
import { defineConfig } from 'playwright/test'

// `npm test` finds or installs one (scripts/findBrowser.mjs) and names it. Run by hand: the system's, else Playwright's own.
const browser =
  process.env.TRAILMARK_BROWSER ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))

export default defineConfig({
  testDir: 'e2e/scenarios',
  // Tests wait for timers and retries more than they compute, so four keep two cores at work. Every test has a page and a host
  // of its own, so tests of one file run side by side too, and no long file is left for the end.
  workers: 4,
  fullyParallel: true,
  // Guards against what never ends, not measures of speed: a busy machine takes its time.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // A second try would hide lost events.
  retries: 0,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? ([['json']] as ['json'][]) : [])],
  use: {
    launchOptions: {
      executablePath: browser,
      // Without a sandbox, because tests also run as root; without anything that calls home.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
