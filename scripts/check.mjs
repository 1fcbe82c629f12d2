// `npm run check`: format, lint, types and unit tests of what changed since HEAD. For use while working; `npm test` runs everything.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]),
].filter(existsSync)
const sources = changed.filter((file) => /\.(ts|mjs)$/.test(file))
const unitTested = sources.filter((file) => /^(src|test)\//.test(file))

const step = (title, command, ...args) => {
  const began = Date.now()
  const { status } = spawnSync('npx', ['--no-install', command, ...args], { stdio: 'inherit' })
  console.log(`${status === 0 ? '✓' : '✗'} ${title} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  if (status !== 0) process.exitCode = 1
}

if (changed.length) step('Format', 'prettier', '--check', '--ignore-unknown', ...changed)
if (sources.length) step('Lint', 'eslint', '--no-warn-ignored', ...sources)
step('Types of the SDK', 'tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/sdk.tsbuildinfo')
step(
  'Types of the service',
  'tsc',
  '--project',
  'service',
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  '.cache/service.tsbuildinfo',
)
if (unitTested.length) step('Unit tests', 'jest', '--selectProjects', 'sdk', '--findRelatedTests', ...unitTested)
