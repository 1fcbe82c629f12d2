import { lineOf, rangeOfJson } from '../src/lib/jsonRange.ts'

const TEXT = JSON.stringify(
  {
    kind: 'TrendsQuery',
    series: [{ event: 'a "quoted" } name' }, { math: 'mode', list: [] }],
    'x\n': { y: -1.5e3 },
    z: null,
  },
  undefined,
  2,
)

test.each([
  [['kind'], '"TrendsQuery"'],
  [['series', '0', 'event'], '"a \\"quoted\\" } name"'],
  [['series', '1', 'math'], '"mode"'],
  [['series', '1', 'list'], '[]'],
  [['x\n', 'y'], '-1500'],
  [['z'], 'null'],
])('finds the value at the path %j of JSON', (path, found) => {
  const { start, end } = rangeOfJson(TEXT, path)
  expect(TEXT.slice(start, end)).toBe(found)
})

test('finds the innermost value around a missing field of JSON', () => {
  const { start, end } = rangeOfJson(TEXT, ['series', '1', 'event'])
  expect(JSON.parse(TEXT.slice(start, end))).toEqual({ math: 'mode', list: [] })
  expect(lineOf(TEXT, start)).toBe(7)
  expect(rangeOfJson(TEXT, ['missing', 'field'])).toEqual({ start: 0, end: TEXT.length })
})
