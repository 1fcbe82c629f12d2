/** @jest-environment node */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { read, ROOT } from '../support/markdown'

/** Places that state the size of `analytics.js` in kB: page, the text before the figure, its decimals. */
const PLACES = [
  ['README.md', 'feature flags and consent, in ', 0],
  ['README.md', '| Script, gzip kB | ', 1],
  ['docs/contributing/size.md', '`analytics.js` has ', 1],
] as const

/** Another release of a tool may change the size by less than this, kB. */
const TOLERANCE_KB = 0.3

const measured = () => gzipSync(readFileSync(resolve(ROOT, 'dist/analytics.js')), { level: 9 }).length / 1000

/** Returns the first figure on a page after a text, and its position. */
const figureIn = (page: string, before: string) => {
  const at = page.indexOf(before) + before.length
  const [text] = /^[\d.]*\d/.exec(page.slice(at)) ?? ['']
  return { at, text, kB: Number(text) }
}

// The others repeat the figure of the table.
const stated = () => figureIn(read(PLACES[1][0]), PLACES[1][1]).kB

test('every page states the same size of the script, that of the build to within 0.3 kB', () => {
  if (process.env.WRITE_DOCS) {
    const size = measured()
    for (const [path, before, decimals] of PLACES) {
      const page = read(path)
      const { at, text } = figureIn(page, before)
      writeFileSync(resolve(ROOT, path), page.slice(0, at) + size.toFixed(decimals) + page.slice(at + text.length))
    }
  }
  const figures = PLACES.map(([path, before]) => `${path}: ${before}${figureIn(read(path), before).text}`)
  expect(figures).toEqual(PLACES.map(([path, before, decimals]) => `${path}: ${before}${stated().toFixed(decimals)}`))
  expect(Math.abs(stated() - measured())).toBeLessThan(TOLERANCE_KB)
})
