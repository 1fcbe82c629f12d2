import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDocs } from '../../src/docs/files.ts'

const folder = mkdtempSync(join(tmpdir(), 'trailmark-'))
for (const name of ['assets', 'guides']) mkdirSync(join(folder, name))
for (const path of ['index.html', 'llms.txt', 'guides/consent.html', 'guides/consent.md', 'assets/site-0.js'])
  writeFileSync(join(folder, path), '')
afterAll(() => rmSync(folder, { recursive: true }))

const docs = createDocs({ folder, base: '/trailmark' })

test('leads to the first page, whose relative links need its folder', () => {
  expect(docs('')).toMatchObject({ status: 302, headers: { location: '/trailmark/docs/index.html' } })
})

test.each([
  ['guides/consent.html', undefined, 'no-cache'],
  ['guides/consent.md', 'text/markdown; charset=utf-8', 'no-cache'],
  ['llms.txt', 'text/plain; charset=utf-8', 'no-cache'],
  ['assets/site-0.js', undefined, 'public, max-age=31536000, immutable'],
])('serves %s as %p, cached with %s', (path, type, caching) => {
  const { file, root, headers } = docs(path)
  expect({ file, root }).toEqual({ file: path, root: folder })
  expect(headers).toMatchObject({
    'cache-control': caching,
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'x-content-type-options': 'nosniff',
  })
  expect(headers!['content-type']).toBe(type)
})

test.each([
  '../package.json',
  'guides/../../x.html',
  '.env',
  'guides',
  'guides/',
  '/etc/passwd',
  'none.html',
  'a\0.md',
])('finds no file for %p', (path) => {
  expect(() => docs(path)).toThrow(expect.objectContaining({ code: 'not_found' }))
})

test('says what to do if the docs are not built', () => {
  const answer = createDocs({ folder: join(folder, 'none'), base: '' })('index.html')
  expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') })
})
