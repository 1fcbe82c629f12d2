import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Io, Run } from '../io'
import { type Change, colored, describeChange } from '../diff'
import { requireCleanTree } from '../git'
import type { Finding } from '../migrate/draft'
import { migratePosthog } from '../migrate/posthog'
import { terminalOf } from '../terminal'

const HELP = `Usage: trailmark migrate posthog-js [folder] [options]

  Changes imports, hosts, tokens and React names from posthog-js to trailmark, and lists what behaves differently and what it
  cannot change. Without --write it only shows the difference.

  --host <url>           URL of the service, instead of PostHog's
  --token <token>        token of the project, instead of PostHog's
  --write                writes the files
  --ignore-git-changes   also if git has uncommitted changes
  --json                 prints the report as JSON`

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?)$/
const SKIPPED = /^(?:node_modules|dist|build|out|coverage|vendor|\..*)$/
const MAX_BYTES = 1_000_000

/** Returns the sources below a folder, in the order of their names. */
const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : sourcesOf(path)
      return entry.isFile() && SOURCE.test(entry.name) && statSync(path).size <= MAX_BYTES ? [path] : []
    })

/** Returns what to do about the dependencies. */
const installSteps = (folder: string): string[] => {
  let text = ''
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8')
  } catch {
    return []
  }
  const old = ['posthog-js', '@posthog/react'].filter((name) => text.includes(`"${name}"`))
  return old.length > 0 ? [`npm uninstall ${old.join(' ')}`, 'npm install trailmark'] : []
}

const OPTIONS = {
  host: { type: 'string' },
  token: { type: 'string' },
  write: { type: 'boolean', default: false },
  'ignore-git-changes': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

interface Report {
  changes: Change[]
  findings: (Finding & { file: string })[]
  steps: string[]
}

const print = ({ changes, findings, steps }: Report, isWritten: boolean, io: Io) => {
  const { hasColors } = terminalOf(io)
  for (const change of isWritten ? [] : changes)
    for (const line of describeChange(change)) io.out(hasColors ? colored(line) : line)
  for (const [kind, title] of [
    ['todo', 'To do by hand:'],
    ['differs', 'Works, with a difference:'],
  ] as const) {
    const rows = findings.filter((each) => each.kind === kind)
    if (rows.length > 0) io.out(`\n${title}`)
    for (const { file, line, name, message } of rows) io.out(`  ${file}:${line}  ${name}: ${message}`)
  }
  if (steps.length > 0) io.out(`\nThen run:\n${steps.map((step) => `  ${step}`).join('\n')}`)
  const files = `${changes.length} ${changes.length === 1 ? 'file' : 'files'}`
  io.out(`\n${isWritten ? `${files} changed.` : `${files} to change. Nothing is written without --write.`}`)
}

/** Runs `trailmark migrate`. */
export const run: Run = async (args, io) => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  const [from, folder = '.'] = positionals
  if (values.help) {
    io.out(HELP)
    return 0
  }
  if (from !== 'posthog-js') throw new Error(HELP)
  const root = resolve(io.cwd, folder)
  if (values.write) requireCleanTree(root, values['ignore-git-changes'])
  const report: Report = { changes: [], findings: [], steps: installSteps(root) }
  for (const path of sourcesOf(root)) {
    const before = readFileSync(path, 'utf8')
    const migrated = migratePosthog(before, values)
    if (!migrated) continue
    const file = relative(root, path)
    report.findings.push(...migrated.findings.map((each) => ({ file, ...each })))
    if (migrated.code !== before) report.changes.push({ path: file, before, after: migrated.code })
  }
  if (values.write) for (const { path, after } of report.changes) writeFileSync(join(root, path), after!)
  if (values.json) {
    const { changes, findings, steps } = report
    io.out(JSON.stringify({ written: values.write, files: changes.map(({ path }) => path), findings, steps }))
  } else print(report, values.write, io)
  return 0
}
