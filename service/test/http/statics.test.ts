import { staticFile } from '../../src/http/statics.ts'

test.each([
  ['array.js', 'analytics.js'],
  ['analytics.js', 'analytics.js'],
  ['2.0.0/array.js', 'analytics.js'],
  ['2.0.0-beta.1/chunks/web-vitals.js', 'chunks/web-vitals.js'],
  ['surveys.js', 'surveys.js'],
  ['../package.json', undefined],
  ['a/../../package.json', undefined],
  ['..%2Fpackage.json', undefined],
  ['.env', undefined],
  ['a//b.js', undefined],
  ['', undefined],
  ['a\0.js', undefined],
])('/static/%s is the file %p', (path, file) => {
  expect(staticFile(path)).toBe(file)
})
