// `npm run check`: format, lint, types and unit tests of what changed since HEAD, within a minute. `npm test` runs everything.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]),
].filter(existsSync)
const sources = changed.filter((file) => /\.(tsx?|mjs)$/.test(file))

/** Runs a command. Prints its output when it has ended, because several steps run at a time. */
const step = (title, command, ...args) =>
  new Promise((resolve) => {
    const began = Date.now()
    const child = spawn('npx', ['--no-install', command, ...args], { env: { ...process.env, FORCE_COLOR: '1' } })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
    child.once('close', (code) => {
      if (code !== 0) {
        process.stdout.write(Buffer.concat(output))
        process.exitCode = 1
      }
      console.log(`${code === 0 ? '✓' : '✗'} ${title} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
      resolve()
    })
  })
await Promise.all([
  changed.length && step('Format', 'oxfmt', '--check', '--no-error-on-unmatched-pattern', ...changed),
  sources.length && step('Lint', 'oxlint', ...sources),
  sources.length && step('Types', 'node', 'scripts/typecheck.mjs'),
  sources.length &&
    step(
      'Unit tests',
      'jest',
      '--config',
      'jest.unit.config.mjs',
      '--passWithNoTests',
      // Tests with fake timers wait a third of the time for real 1 ms timers, so one more worker keeps the cores busy.
      `--maxWorkers=${availableParallelism() + 1}`,
      '--findRelatedTests',
      ...sources,
    ),
])
