// `npm run release:version`: moves the changesets into CHANGELOG.md and sets the next version in every package.json.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nextVersion, readChanges, releaseNotes } from './changes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
process.chdir(ROOT)

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const changes = readChanges('.changeset')
if (!changes.length) {
  console.error('Nothing to release: .changeset/ has no changesets.')
  process.exit(1)
}

const next = nextVersion(version, changes)
writeFileSync('CHANGELOG.md', releaseNotes(changelog, next, changes))
changes.forEach(({ file }) => rmSync(file))

/** Rewrites a JSON file. */
const edit = (file, change) => {
  const json = JSON.parse(readFileSync(file, 'utf8'))
  change(json)
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`)
}
const FOLDERS = ['', 'service', 'service/console']
for (const folder of FOLDERS) edit(join(folder, 'package.json'), (json) => (json.version = next))
edit('package-lock.json', (lock) => {
  for (const entry of [lock, ...FOLDERS.map((folder) => lock.packages[folder])]) entry.version = next
})
console.log(`${version} → ${next}. Review CHANGELOG.md, commit, and run: npm run release -- --dry-run`)
