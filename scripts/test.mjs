// `npm test`: builds, checks types, runs every suite, and ends with the line `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from './findBrowser.mjs'

const folder = mkdtempSync(join(tmpdir(), 'trailmark-test-'))
const result = { passed: 0, failed: 0 }
const report = (name) => join(folder, name)
const run = (args, env = {}) =>
  spawnSync('npx', ['--no-install', ...args], { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
const npm = (...args) => spawnSync('npm', args, { stdio: 'inherit' }).status === 0
const count = (passed, failed) => {
  result.passed += passed
  result.failed += failed
}

/** A step that is one check: it holds or it does not. */
const check = (title, passes) => {
  console.log(`\n── ${title}`)
  const passed = passes()
  count(passed ? 1 : 0, passed ? 0 : 1)
  return passed
}
/** A suite that writes its own report. One that wrote none counts as one failure. */
const suite = (title, start, read) => {
  console.log(`\n── ${title}`)
  const passed = start()
  try {
    const [good, bad] = read()
    // A runner that fails without a failed test (a suite that does not load, a global set-up) is a failure too.
    count(good, bad || (passed ? 0 : 1))
  } catch {
    count(0, 1)
  }
}

try {
  console.log('── Browsers')
  const [chromium, firefox] = [findBrowser('chromium'), findBrowser('firefox')]
  console.log(`${chromium}\n${firefox}`)
  if (check('Build', () => npm('run', 'build', '--silent'))) {
    check('Format', () => npm('run', 'format:check', '--silent'))
    check('Types', () => npm('run', 'typecheck', '--silent'))
    suite(
      'Unit and service tests (jest)',
      () => run(['jest', '--json', `--outputFile=${report('jest.json')}`]),
      () => {
        const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(
          readFileSync(report('jest.json'), 'utf8'),
        )
        return [numPassedTests, Math.max(numFailedTests, numFailedTestSuites)]
      },
    )
    suite(
      'End-to-end tests (Playwright; Chromium, and the main stories in Firefox)',
      () =>
        run(['playwright', 'test'], {
          TRAILMARK_BROWSER: chromium,
          TRAILMARK_FIREFOX: firefox,
          PLAYWRIGHT_JSON_OUTPUT_NAME: report('playwright.json'),
        }),
      () => {
        const { stats } = JSON.parse(readFileSync(report('playwright.json'), 'utf8'))
        return [stats.expected, stats.unexpected]
      },
    )
  }
} catch (error) {
  console.error(error.message)
  count(0, 1)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

console.log(`\n${result.passed} passed, ${result.failed} failed`)
process.exitCode = result.failed ? 1 : 0
