import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

/**
 * The browsers of the end-to-end tests, all stock builds. `variable` names the environment variable that sets a path,
 * `debian` the package to install, `advice` the command for other systems.
 */
const BROWSERS = {
  chromium: {
    variable: 'TRAILMARK_BROWSER',
    bundled: () => chromium.executablePath(),
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    files: [
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ],
    debian: 'chromium',
    advice: 'Run this once: npx playwright install --with-deps chromium',
  },
  // Chromium without its user interface, which needs half the CPU time.
  'chromium-headless-shell': {
    variable: 'TRAILMARK_HEADLESS_SHELL',
    names: ['chromium-headless-shell'],
    files: [],
    debian: 'chromium-headless-shell',
    advice: 'Set TRAILMARK_HEADLESS_SHELL to its path, or to that of Chromium.',
  },
  firefox: {
    variable: 'TRAILMARK_FIREFOX',
    names: ['firefox-esr', 'firefox'],
    files: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    debian: 'firefox-esr',
    advice: 'Install Firefox, or set TRAILMARK_FIREFOX to its path.',
  },
}

const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const installed = ({ variable, bundled, names, files }) =>
  [
    process.env[variable],
    bundled?.(),
    ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    ...files,
  ].find((file) => file && isExecutable(file))

const mayInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

const apt = (...args) =>
  execFileSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })

/**
 * Returns the path of a browser of `BROWSERS`: the one its environment variable names, or one that is
 * installed. On Debian, as root, installs the system's package. Throws with advice if all of that fails.
 */
export const findBrowser = (name, say = console.log) => {
  const browser = BROWSERS[name]
  const found = installed(browser)
  if (found) return found
  if (mayInstall()) {
    say(`No ${name} found. Installing Debian's package ${browser.debian}.`)
    apt('update', '-q')
    apt('install', '-y', '-q', '--no-install-recommends', browser.debian)
    const now = installed(browser)
    if (now) return now
  }
  throw new Error(`The end-to-end tests need ${name}, and none is installed. ${browser.advice}`)
}
