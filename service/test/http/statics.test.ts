import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStatics, staticFile } from '../../src/statics/statics.ts'

test.each([
  ['array.js', 'analytics.js', undefined],
  ['analytics.js', 'analytics.js', undefined],
  ['2.0.0/array.js', 'analytics.js', '2.0.0'],
  ['2.0.0-beta.1/chunks/web-vitals.js', 'chunks/web-vitals.js', '2.0.0-beta.1'],
  ['surveys.js', 'surveys.js', undefined],
])('resolves /static/%s to the file %s of version %p', (path, file, version) => {
  expect(staticFile(path)).toEqual({ file, version })
})

test.each([
  '../package.json',
  'a/../../package.json',
  '..%2Fpackage.json',
  '.env',
  'a//b.js',
  '',
  'a\0.js',
  '2.0.0/',
  '2.0.0../a.js',
  '2.0.0/../a.js',
])('resolves /static/%s to no file', (path) => {
  expect(staticFile(path)).toBeUndefined()
})

describe('the caching of static files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-'))
  mkdirSync(join(folder, '1.9.0'))
  writeFileSync(join(folder, 'analytics.js'), '')
  writeFileSync(join(folder, 'release.json'), JSON.stringify({ version: '2.0.0', files: {} }))
  writeFileSync(join(folder, '1.9.0/analytics.js'), '')
  const statics = createStatics(folder)
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    ['analytics.js', 'analytics.js', false],
    ['2.0.0/analytics.js', 'analytics.js', true],
    ['1.9.0/analytics.js', '1.9.0/analytics.js', true],
    ['1.9.0/array.js', '1.9.0/analytics.js', true],
    // An unknown version gets the current file, which changes with each release.
    ['1.449.2/array.js', 'analytics.js', false],
  ])('serves %s from %s as immutable: %p', (path, file, isForever) => {
    const answer = statics(path)!
    expect(answer.file).toBe(file)
    expect(answer.headers['cache-control']!.includes('immutable')).toBe(isForever)
  })

  test('serves missing scripts of other SDKs as empty scripts and no other missing file', () => {
    for (const path of ['surveys.js', '1.449.2/surveys.js', 'lazy-recorder.js'])
      expect(statics(path)).toMatchObject({
        body: expect.stringMatching(/^\/\*.*\*\/\n$/),
        headers: { 'content-type': expect.stringContaining('text/javascript') },
      })
    expect(statics('nothing.js')).toBeUndefined()
  })
})
