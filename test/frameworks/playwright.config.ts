import { defineConfig } from 'playwright/test'

// Installs and builds take minutes on a busy machine. These only stop tests that hang.
export default defineConfig({
  testDir: '.',
  workers: 1,
  timeout: 900_000,
  expect: { timeout: 60_000 },
  retries: 0,
  reporter: [['list']],
  use: {
    launchOptions: {
      executablePath: process.env.TRAILMARK_BROWSER,
      // Events of bots are dropped, and automated browsers count as bots.
      args: ['--no-sandbox', '--disable-gpu', '--disable-blink-features=AutomationControlled'],
    },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  },
})
