/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

const ROOT = join(__dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'trailmark-quick-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scriptsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.js'))

test('`npm start` builds every script that a release serves, and no release', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'dist/release.json'), 'utf8')) as { files: object }
  execFileSync(process.execPath, [join(ROOT, 'scripts/quickBuild.mjs'), folder])
  expect(scriptsIn(folder).sort()).toEqual(Object.keys(files).sort())
  expect(readdirSync(folder)).toContain('licenses.txt')
  expect(readdirSync(folder).filter((name) => /release\.json|\.br$|\.gz$/.test(name))).toEqual([])
  for (const name of scriptsIn(folder)) {
    const code = readFileSync(join(folder, name), 'utf8')
    // Other characters would be garbled on pages that are not UTF-8.
    expect(code).not.toMatch(/[^\s -~]/)
    expect(code).not.toMatch(/__(VERSION|CHANNEL|DEFAULT_API_HOST)__/)
  }
  const gzip: { __trailmark_extensions__?: Record<string, object> } = {}
  runInNewContext(readFileSync(join(folder, 'gzip.js'), 'utf8'), gzip)
  expect(Object.keys(gzip.__trailmark_extensions__?.gzip ?? {})).not.toEqual([])
})
