import { existsSync } from 'node:fs'
import { defineConfig } from 'playwright/test'

const firstOf = (...files: string[]) => files.find((file) => existsSync(file))

// `npm test` finds or installs browsers (scripts/findBrowser.mjs). `npx playwright test` uses the system's, or Playwright's own.
const { TRAILMARK_BROWSER, TRAILMARK_HEADLESS_SHELL } = process.env
const chromium = TRAILMARK_BROWSER ?? firstOf('/usr/bin/chromium', '/usr/bin/google-chrome')
const headlessShell = TRAILMARK_HEADLESS_SHELL ?? firstOf('/usr/bin/chromium-headless-shell') ?? chromium

// Without a sandbox, because tests also run as root, and without background requests.
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
  // Tests mostly wait for timers and retries, and Jest runs beside them. Each further worker costs 10 s of CPU time: its own
  // browser, service and engine. Every test has its own page and host, so tests of one file run concurrently too, and no
  // long file is left at the end.
  workers: 3,
  fullyParallel: true,
  // These only stop tests that hang. They are generous, because a busy machine is slow.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // A retry would hide lost events.
  retries: 0,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? ([['json']] as ['json'][]) : [])],
  // For tests that launch a browser themselves: crashes, profiles on disk, the back/forward cache, extensions.
  use: { launchOptions: { executablePath: chromium, args } },
  // All other tests only need pages. The headless shell has the same engine and needs half the CPU time.
  projects: [{ name: 'headless shell', use: { launchOptions: { executablePath: headlessShell, args } } }],
})
