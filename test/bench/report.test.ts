/** @jest-environment node */
import { pathToFileURL } from 'node:url'
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

// The helpers of the benchmark are plain Node modules, so they run in Node here too.
const inNode = (file: string, expression: string): unknown => {
  const module = pathToFileURL(resolve(__dirname, '../../bench/support', file)).href
  const script = `import * as helpers from '${module}'; console.log(JSON.stringify(helpers.${expression}))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

test.each([
  ['one number', 'median([7])', 7],
  ['an odd count, unsorted', 'median([30, 1, 2])', 2],
  ['an even count', 'median([4, 1, 3, 2])', 2.5],
  ['numbers that sort differently as strings', 'median([9, 10, 100])', 10],
])('median returns the median of %s', (_, call, middle) => expect(inNode('statistics.mjs', call)).toBe(middle))

test('summary returns median and spread of one member minus the page without an SDK', () => {
  expect(inNode('statistics.mjs', "summary([{ cpuMs: 12 }, { cpuMs: 30 }, { cpuMs: 14 }], 'cpuMs', 2)")).toEqual({
    median: 12,
    min: 10,
    max: 28,
  })
})

test.each([
  [1234.5, '1235'],
  [12.345, '12.3'],
  [0.1234, '0.12'],
  [-20, '-20.0'],
])('digits formats %d with the significant digits', (number, text) =>
  expect(inNode('statistics.mjs', `digits(${number})`)).toBe(text),
)

test('digits formats a missing measurement as a dash instead of NaN', () =>
  expect(inNode('statistics.mjs', 'digits(NaN)')).toBe('–'))

test('markdownTable aligns the columns of a table', () => {
  const table = inNode('markdownTable.mjs', "markdownTable(['SDK', 'gzip kB'], [['trailmark', 14.5], ['x', '122']])")
  expect(table).toBe(
    ['| SDK       | gzip kB |', '|-----------|--------:|', '| trailmark |    14.5 |', '| x         |     122 |'].join(
      '\n',
    ),
  )
})
