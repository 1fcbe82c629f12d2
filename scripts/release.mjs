// `npm run release`: builds the npm package, checks it, and publishes it. With --dry-run it publishes nothing, and
// unreleased changes do not fail the check.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { hasSection, nextVersion, readChanges } from './changes.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const isDryRun = process.argv.includes('--dry-run')
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))

const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 })
const tool = (...args) => run('npx', '--no-install', ...args)

/** The checks, in order. A check returns a detail to print, and throws if it fails. */
const CHECKS = {
  'Git is clean': () => {
    const changed = run('git', 'status', '--porcelain').trimEnd()
    if (changed) throw new Error(`Commit these changes first:\n${changed}`)
    return run('git', 'log', '-1', '--format=%h %s').trim()
  },
  Build: () => void run('npm', 'run', 'build:sdk', '--silent'),
  'API report': () => void run('node', 'scripts/apiReport.mjs', '--check'),
  Sizes: () =>
    Object.entries(JSON.parse(readFileSync('budgets.json', 'utf8')))
      .map(([file, budget]) => {
        const bytes = gzipSync(readFileSync(file), { level: 9 }).length
        if (bytes > budget) throw new Error(`${file} has ${bytes} bytes gzipped; its budget is ${budget}.`)
        return `${file} ${bytes} of ${budget} bytes`
      })
      .join(', '),
  publint: () => void tool('publint', '--strict'),
  attw: () => {
    const { problems } = JSON.parse(tool('attw', '--pack', '.', '--format', 'json')).analysis
    if (Object.keys(problems).length) throw new Error(JSON.stringify(problems, null, 2))
  },
  Changelog: () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8')
    const changes = readChanges('.changeset')
    const isReleased = !changes.length && hasSection(changelog, version)
    if (isReleased) return `has a section for ${version}`
    const advice = `Unreleased changes: npm run release:version makes them ${nextVersion(version, changes)}.`
    if (!isDryRun) throw new Error(advice)
    return advice
  },
}

const failed = Object.entries(CHECKS).filter(([title, check]) => {
  try {
    const detail = check()
    console.log(`✓ ${title}${detail ? ` (${detail})` : ''}`)
    return false
  } catch (error) {
    const output = [error.stdout, error.stderr].filter(Boolean).join('\n').trim()
    console.log(`✗ ${title}\n${(output || error.message).replace(/^/gm, '  ')}`)
    return true
  }
})

const [{ files, size, unpackedSize, filename }] = JSON.parse(run('npm', 'pack', '--dry-run', '--json'))
console.log(`\n${name}@${version} (${filename}): ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked`)
for (const file of files) console.log(`  ${String(file.size).padStart(8)}  ${file.path}`)

if (failed.length) {
  console.log(`\n${failed.length} of ${Object.keys(CHECKS).length} checks failed. Nothing was published.`)
  process.exitCode = 1
} else if (isDryRun) console.log('\nDry run: nothing was published.')
else {
  execFileSync('npm', ['publish'], { stdio: 'inherit' })
  run('git', 'tag', `v${version}`)
  console.log(`\nPublished. Push the tag: git push origin v${version}`)
}
