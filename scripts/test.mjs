// `npm test`: builds, then runs all checks and suites concurrently, and ends with the line `N passed, N failed`.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism, setPriority, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { findBrowser } from './findBrowser.mjs'
import { createTestFolder } from './testFolder.mjs'

// Maximum lines shown of a failure: enough for a failed assertion with both values and its location.
const REASON_LINES = 40

// Kept between runs, unlike everything else that the tests write.
const jestCache = join(tmpdir(), 'trailmark-jest')
const folder = createTestFolder()
process.env.TMPDIR = folder
// Ctrl-C also ends the commands that run, and then this process removes their files.
process.on('SIGINT', () => {})
const readReport = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const result = { passed: 0, failed: 0 }
/** Titles of failed tests and checks, with the reasons, repeated at the end of the long output. */
const failures = []
/** A failed test: its title and the beginning of its error. */
const describeFailure = (title, messages) =>
  [title, ...messages.flatMap((message) => stripVTControlCharacters(message).split('\n').slice(0, REASON_LINES))].join(
    '\n      ',
  )
const count = (passed, failed) => {
  result.passed += passed
  result.failed += failed
}

/**
 * Runs a command and prints its lines with `title` in front of each, because several commands print at a time.
 * Resolves with whether it succeeded.
 */
const run = (title, [command, ...args], { env = {}, niceness = 0 } = {}) =>
  new Promise((resolve) => {
    const began = Date.now()
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    child.once('spawn', () => setPriority(child.pid, niceness))
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => console.log(`${title} │ ${line}`))
    child.once('error', (error) => console.error(`${title} │ ${error.message}`))
    child.once('close', (code) => {
      const seconds = ((Date.now() - began) / 1000).toFixed(0)
      console.log(`${title} │ ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s`)
      resolve(code === 0)
    })
  })
const npx = (...args) => ['npx', '--no-install', ...args]

/** Runs a command that is one check. */
const check = async (title, command, options) => {
  const passed = await run(title, command, options)
  count(passed ? 1 : 0, passed ? 0 : 1)
  if (!passed) failures.push(title)
  return passed
}

/** Runs a command that writes a report. `read` returns the number of passed tests in it and a description of each failed one. */
const suite = async (title, command, read, options) => {
  const passed = await run(title, command, options)
  try {
    const report = read()
    // A runner can fail without a failed test: a global setup that throws.
    const failed = passed || report.failed.length ? report.failed : ['the runner failed, but no test did']
    count(report.passed, failed.length)
    failures.push(...failed.map((name) => `${title}: ${name}`))
  } catch (error) {
    count(0, 1)
    failures.push(`${title}: no report (${error.message})`)
  }
}

// Browser tests wait for timers and retries half of the time. Lower priority lets other commands use only the remaining CPU time.
const background = { niceness: 5 }

const runChecks = async () => {
  await check('format', ['npm', 'run', 'format:check', '--silent'], background)
  await check('types', ['npm', 'run', 'typecheck', '--silent'], background)
  await check('lint', ['npm', 'run', 'lint', '--silent'], background)
}

const runJest = () =>
  suite(
    'jest',
    // With one more than cores, no core is idle while files wait for engines and processes.
    npx(
      'jest',
      `--maxWorkers=${availableParallelism() + 1}`,
      `--cacheDirectory=${jestCache}`,
      '--json',
      `--outputFile=${join(folder, 'jest.json')}`,
    ),
    () => {
      const { numPassedTests, testResults } = readReport('jest.json')
      const failedIn = ({ name, status, message, assertionResults }) => {
        const file = relative('.', name)
        const failed = assertionResults.filter((test) => test.status === 'failed')
        if (failed.length)
          return failed.map((test) => describeFailure(`${file} › ${test.fullName}`, test.failureMessages))
        // A file that does not load, or whose setup fails, has no tests.
        return status === 'failed' ? [describeFailure(file, [message])] : []
      }
      return { passed: numPassedTests, failed: testResults.flatMap(failedIn) }
    },
    background,
  )

const runPlaywright = (chromium, headlessShell, firefox) =>
  suite(
    'playwright',
    npx('playwright', 'test'),
    () => {
      const { stats, suites } = readReport('playwright.json')
      const failedIn = ({ file, specs, suites: inner = [] }) => [
        ...specs
          .filter(({ ok }) => !ok)
          .map(({ title, line, tests }) =>
            describeFailure(
              `${file}:${line} › ${title}`,
              tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message }) => message))),
            ),
          ),
        ...inner.flatMap(failedIn),
      ]
      return { passed: stats.expected, failed: suites.flatMap(failedIn) }
    },
    {
      env: {
        TRAILMARK_BROWSER: chromium,
        TRAILMARK_HEADLESS_SHELL: headlessShell,
        TRAILMARK_FIREFOX: firefox,
        PLAYWRIGHT_JSON_OUTPUT_NAME: join(folder, 'playwright.json'),
      },
    },
  )

/** Returns the path of Chromium's headless shell, or of Chromium if the system has no package of the shell. */
const findHeadlessShell = () => {
  try {
    return findBrowser('chromium-headless-shell')
  } catch {
    return findBrowser('chromium')
  }
}

try {
  const browsers = [findBrowser('chromium'), findHeadlessShell(), findBrowser('firefox')]
  console.log(`Browsers: ${browsers.join(', ')}`)
  // The checks read only sources. They use the core that the SDK's build leaves idle for most of its time.
  const checks = runChecks()
  const built = await Promise.all([
    check('build SDK', ['npm', 'run', 'build:sdk', '--silent']),
    check('build service', ['npm', 'run', 'build', '--workspace', 'trailmark-service', '--silent']),
    check('build console', ['npm', 'run', 'build', '--workspace', 'trailmark-console', '--silent']),
    check('build docs', ['npm', 'run', 'build:docs', '--silent']),
  ])
  if (built.every(Boolean)) await Promise.all([runPlaywright(...browsers), runJest()])
  await checks
} catch (error) {
  count(0, 1)
  failures.push(error.message)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

if (failures.length) console.log(['\nFailed:', ...failures].join('\n  '))
console.log(`\n${result.passed} passed, ${result.failed} failed`)
process.exitCode = result.failed ? 1 : 0
