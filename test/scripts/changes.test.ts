/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Change, hasSection, nextVersion, readChanges, releaseNotes } from '../../scripts/changes.mjs'

const folder = mkdtempSync(join(tmpdir(), 'trailmark-changes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const note = (name: string, text: string) => writeFileSync(join(folder, name), text)

test('readChanges reads changesets in name order and skips the README', () => {
  note('README.md', 'anything')
  note('b.md', "---\n'trailmark': minor\n---\n\nA new option.\n")
  note('a.md', '---\n"trailmark": patch\n---\n\nA fix.\nOf two lines.\n')
  expect(readChanges(folder).map(({ bump, text }) => [bump, text])).toEqual([
    ['patch', 'A fix.\nOf two lines.'],
    ['minor', 'A new option.'],
  ])
})

test.each([
  ['another bump', "---\n'trailmark': huge\n---\n\nText.\n"],
  ['another package', "---\n'other': patch\n---\n\nText.\n"],
  ['no text', "---\n'trailmark': patch\n---\n\n"],
])('readChanges rejects a changeset with %s and names the file', (_, text) => {
  note('c.md', text)
  expect(() => readChanges(folder)).toThrow('c.md is not a changeset')
  rmSync(join(folder, 'c.md'))
})

test('changes since the last release are in changesets only', () => {
  expect(readFileSync(join(__dirname, '../../CHANGELOG.md'), 'utf8')).not.toMatch(/^## Unreleased/im)
})

test("the repository's changesets are valid", () => {
  expect(() => readChanges(join(__dirname, '../../.changeset'))).not.toThrow()
})

test('readChanges returns no changes for a missing folder', () => {
  expect(readChanges(join(folder, 'missing'))).toEqual([])
})

test.each<[Change['bump'][], string]>([
  [[], '2.3.5'],
  [['patch'], '2.3.5'],
  [['patch', 'minor'], '2.4.0'],
  [['minor', 'major', 'patch'], '3.0.0'],
])('nextVersion with bumps %j turns 2.3.4 into %s', (bumps, expected) => {
  expect(
    nextVersion(
      '2.3.4',
      bumps.map((bump) => ({ bump })),
    ),
  ).toBe(expected)
})

const CHANGELOG = '# Changelog\n\nIntroduction.\n\n## 1.0.0\n\n- First.\n'

test('releaseNotes puts changesets into a section of the release', () => {
  const changes: Change[] = [
    { file: 'a', bump: 'patch', text: 'A fix.\nOf two lines.' },
    { file: 'b', bump: 'minor', text: 'A new option.' },
  ]
  const notes = releaseNotes(CHANGELOG, '1.1.0', changes)
  expect(notes).toBe(
    '# Changelog\n\nIntroduction.\n\n## 1.1.0\n\n### New\n\n- A new option.\n\n### Fixed\n\n- A fix.\n  Of two lines.\n\n## 1.0.0\n\n- First.\n',
  )
  expect([hasSection(CHANGELOG, '1.1.0'), hasSection(notes, '1.1.0')]).toEqual([false, true])
})

test('release:version sets one version in every package.json and in the lock file', () => {
  const root = resolve(__dirname, '../..')
  const packages = ['', 'service', 'service/console']
  const clone = join(folder, 'clone')
  for (const path of [
    'CHANGELOG.md',
    'package-lock.json',
    'scripts/version.mjs',
    'scripts/changes.mjs',
    ...packages.map((each) => join(each, 'package.json')),
  ])
    cpSync(join(root, path), join(clone, path))
  cpSync(join(root, '.changeset/README.md'), join(clone, '.changeset/README.md'))
  writeFileSync(join(clone, '.changeset/major.md'), "---\n'trailmark': major\n---\n\nA change.\n")
  execFileSync(process.execPath, ['scripts/version.mjs'], { cwd: clone })

  const json = (path: string) => JSON.parse(readFileSync(join(clone, path), 'utf8')) as { version: string }
  const lock = json('package-lock.json') as unknown as {
    version: string
    packages: Record<string, { version: string }>
  }
  const before = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
  const next = nextVersion(before, [{ bump: 'major' }])
  const versions = packages.flatMap((each) => [json(join(each, 'package.json')).version, lock.packages[each]!.version])
  expect([lock.version, ...versions]).toEqual(Array.from({ length: 7 }, () => next))
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')
  expect(hasSection(changelog, next)).toBe(true)
})
