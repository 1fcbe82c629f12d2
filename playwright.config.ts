import { existsSync } from 'node:fs'
import { defineConfig } from 'playwright/test'

const firstOf = (...files: string[]) => files.find((file) => existsSync(file))

// `npm test` finds or installs them (scripts/findBrowser.mjs). Run by hand: the system's, else Playwright's own.
const { TRAILMARK_BROWSER, TRAILMARK_HEADLESS_SHELL } = process.env
const chromium = TRAILMARK_BROWSER ?? firstOf('/usr/bin/chromium', '/usr/bin/google-chrome')
const headlessShell = TRAILMARK_HEADLESS_SHELL ?? firstOf('/usr/bin/chromium-headless-shell') ?? chromium

// Without a sandbox, because tests also run as root; without anything that calls home.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

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
  // For tests that launch a browser themselves: crashes, profiles on disk, the back/forward cache, extensions.
  use: { launchOptions: { executablePath: chromium, args } },
  // All other tests need pages only. The headless shell has the same engine and takes half the processor time.
  projects: [{ name: 'headless shell', use: { launchOptions: { executablePath: headlessShell, args } } }],
})
