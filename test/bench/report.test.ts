/** @jest-environment node */
import { pathToFileURL } from 'node:url'
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

// The benchmark's helpers are plain modules of Node, as the benchmark is; so they run in Node here too.
const inNode = (file: string, expression: string): unknown => {
  const module = pathToFileURL(resolve(__dirname, '../../bench/support', file)).href
  const script = `import * as helpers from '${module}'; console.log(JSON.stringify(helpers.${expression}))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

test.each([
  ['one number', 'median([7])', 7],
  ['an odd count, unsorted', 'median([30, 1, 2])', 2],
  ['an even count', 'median([4, 1, 3, 2])', 2.5],
  ['numbers that sort otherwise as text', 'median([9, 10, 100])', 10],
])('the median of %s', (_, call, middle) => expect(inNode('statistics.mjs', call)).toBe(middle))

test('a summary tells median and spread of one member, less the page without an SDK', () => {
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
])('%d is printed with the digits that tell something', (number, text) =>
  expect(inNode('statistics.mjs', `digits(${number})`)).toBe(text),
)

test('what was not measured is a dash, not NaN', () => expect(inNode('statistics.mjs', 'digits(NaN)')).toBe('–'))

test('a table is Markdown whose columns stand under each other', () => {
  const table = inNode('markdownTable.mjs', "markdownTable(['SDK', 'gzip kB'], [['trailmark', 14.5], ['x', '122']])")
  expect(table).toBe(
    ['| SDK       | gzip kB |', '|-----------|--------:|', '| trailmark |    14.5 |', '| x         |     122 |'].join(
      '\n',
    ),
  )
})
