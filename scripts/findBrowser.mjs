import { chromium } from 'playwright'
import { findProgram } from './findProgram.mjs'

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

/**
 * Returns the path of a browser of `BROWSERS`: the one its environment variable names, or one that is
 * installed. On Debian, as root, installs the system's package. Throws with advice if all of that fails.
 */
export const findBrowser = (name, say) => findProgram(BROWSERS[name], say)
