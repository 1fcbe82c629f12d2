// `npm run release:version`: moves the changesets into CHANGELOG.md and sets the next version in every package.json.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hasUnreleased, nextVersion, readChanges, releaseNotes } from './changes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
process.chdir(ROOT)

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const changes = readChanges('.changeset')
if (!changes.length && !hasUnreleased(changelog)) {
  console.error('Nothing to release: .changeset/ has no changesets.')
  process.exit(1)
}

const next = nextVersion(version, changes)
writeFileSync('CHANGELOG.md', releaseNotes(changelog, next, changes))
changes.forEach(({ file }) => rmSync(file))
// Sets package.json, service/package.json and package-lock.json.
execFileSync('npm', ['version', next, '--no-git-tag-version', '--workspaces', '--include-workspace-root'], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
console.log(`${version} → ${next}. Review CHANGELOG.md, commit, and run: npm run release -- --dry-run`)
