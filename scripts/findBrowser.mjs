import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
const installed = () =>
  [
    process.env.TRAILMARK_BROWSER,
    chromium.executablePath(),
    ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES,
  ].find((file) => file && isExecutable(file))

const mayInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/**
 * The path of a Chromium: TRAILMARK_BROWSER, Playwright's own, or the system's; on Debian, as root, its package is
 * installed. Throws with the one command to run where none of this helps.
 */
export const findBrowser = (say = console.log) => {
  const found = installed()
  if (found) return found
  if (mayInstall()) {
    say("No Chromium here; installing Debian's package …")
    const apt = (...args) =>
      execFileSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    apt('update', '-q')
    apt('install', '-y', '-q', '--no-install-recommends', 'chromium')
    const now = installed()
    if (now) return now
  }
  throw new Error(
    'The end-to-end tests need a Chromium, and there is none. Run this once: npx playwright install --with-deps chromium',
  )
}
