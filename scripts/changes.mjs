// Changesets: notes on changes since the last release, one file each in .changeset/.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const BUMPS = ['patch', 'minor', 'major']
const TITLES = { major: 'Breaking changes', minor: 'New', patch: 'Fixed' }
const FORMAT = /^---\n['"]?trailmark['"]?: *(\w+)\n---\n([\s\S]+)$/

/**
 * Returns the changes noted in a folder, as `{ file, bump, text }`. Throws an error that names the file if one is not in
 * the format of .changeset/README.md.
 */
export const readChanges = (folder) =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => {
      const file = join(folder, name)
      const [, bump, text] = FORMAT.exec(readFileSync(file, 'utf8')) ?? []
      if (!BUMPS.includes(bump) || !text.trim()) throw new Error(`${file} is not a changeset. See .changeset/README.md`)
      return { file, bump, text: text.trim() }
    })

/** Returns the version that follows `version` with the largest bump of `changes`, or with a patch if there are none. */
export const nextVersion = (version, changes) => {
  const bump = Math.max(0, ...changes.map((change) => BUMPS.indexOf(change.bump)))
  const [major, minor, patch] = version.split('.').map(Number)
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`][bump]
}

const asItem = (text) => `- ${text.replaceAll('\n', '\n  ')}`

/** Whether a changelog has a section for `version`. */
export const hasSection = (changelog, version) => changelog.includes(`\n## ${version}\n`)

/** Returns the changelog with a section for `version`, which lists `changes` by their bump. */
export const releaseNotes = (changelog, version, changes) => {
  const lists = BUMPS.toReversed().flatMap((bump) => {
    const items = changes.filter((change) => change.bump === bump).map(({ text }) => asItem(text))
    return items.length ? [`### ${TITLES[bump]}\n\n${items.join('\n')}`] : []
  })
  const section = [`## ${version}`, ...lists].join('\n\n')
  const at = changelog.search(/^## /m)
  return `${changelog.slice(0, at)}${section}\n\n${changelog.slice(at)}`
}
