import { parseArgs } from 'node:util'
import { browserChecks } from '../check/browser'
import { staticChecks } from '../check/checks'
import type { Finding } from '../check/findings'
import { readPage } from '../check/page'
import { serviceChecks } from '../check/service'
import type { Run } from '../io'

const HELP = `Usage: trailmark check <url> [options]

  Reads a page, its scripts and its Content-Security-Policy, and asks the service or the proxy as the page would. Says what it
  saw and what to do. Stores no event. Exits with 1 if something does not work.

  --browser  also opens the page in Chromium, with the Playwright that is installed in this folder
  --json     prints the findings as JSON`

const LABELS = { error: '✘', warning: '!', ok: '✔' } as const

/** Runs `trailmark check`. */
export const run: Run = async (args, io) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      browser: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [url, ...others] = positionals
  if (values.help) {
    io.out(HELP)
    return 0
  }
  if (!url || others.length > 0) throw new Error(HELP)
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Error(`${url} is not a URL such as https://shop.example/.`)
  const page = await readPage(url)
  const findings: Finding[] = [...staticChecks(page), ...(await serviceChecks(page))]
  if (values.browser) {
    const found = await browserChecks(url, io.cwd)
    if (!found) throw new Error('--browser needs Playwright in this folder: npm install --save-dev playwright.')
    findings.push(...found)
  }
  const errors = findings.filter(({ level }) => level === 'error').length
  if (values.json) io.out(JSON.stringify({ url, starts: page.starts, findings }))
  else {
    for (const { level, seen, advice } of findings) io.out(`${LABELS[level]} ${seen}${advice ? `\n  ${advice}` : ''}`)
    const warnings = findings.filter(({ level }) => level === 'warning').length
    io.out(errors + warnings > 0 ? `${errors} errors, ${warnings} warnings` : 'Nothing to change.')
  }
  return errors > 0 ? 1 : 0
}
