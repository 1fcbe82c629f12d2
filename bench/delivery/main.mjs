import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { findBrowser } from '../../scripts/findBrowser.mjs'
import { accountsOf, tables } from './tables.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const title = 'Delivery: how many captured events reach the service'

/** npm scripts of the root to run first. */
export const needs = ['build']

/** Runs the end-to-end tests of the fault matrix and resolves with their counts as Markdown. */
export const run = async ({ say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  const file = join(folder, 'report.json')
  const browser = findBrowser('chromium', say)
  try {
    await new Promise((done, failed) => {
      const env = { ...process.env, TRAILMARK_BROWSER: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file }
      // Its output goes to stderr. A failed test is a failed cell of the table and does not end the benchmark.
      spawn('npx', ['--no-install', 'playwright', 'test', 'faultMatrix'], { cwd: ROOT, env, stdio: ['ignore', 2, 2] })
        .on('exit', done)
        .on('error', failed)
    })
    return [
      `Chromium ${await versionOf(browser)}`,
      ...tables(accountsOf(JSON.parse(await readFile(file, 'utf8')))),
    ].join('\n\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const versionOf = async (executablePath) => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const version = browser.version()
  await browser.close()
  return version
}
