import { readResult } from '../../src/chart/read/result'
import type { ChartData } from '../../src/chart/model'

const read = (columns: string[], types: string[], results: unknown[][]): ChartData =>
  readResult({ columns, types: columns.map((name, index) => [name, types[index]]), results })!
const drawn = ({ labels, series, suits }: ChartData) => ({
  labels,
  series: Object.fromEntries(series.map(({ name, values }) => [name, values])),
  suits,
})

describe('rows of SQL', () => {
  test.each<[string, string[], string[], unknown[][], object]>([
    [
      'a time is x, in order, and each number is a series',
      ['n', 'day', 'm'],
      ['UInt64', "DateTime('UTC')", 'Nullable(Float64)'],
      [
        [2, '2026-01-02 00:00:00', 5],
        [1, '2026-01-01 00:00:00', null],
      ],
      { labels: [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)], series: { n: [1, 2], m: [null, 5] }, suits: 'line' },
    ],
    [
      'the next text is the series; the last of equal rows counts',
      ['day', 'plan', 'n'],
      ['Date', 'LowCardinality(String)', 'UInt64'],
      [
        ['2026-01-01', 'pro', 1],
        ['2026-01-02', 'free', 2],
        ['2026-01-02', 'free', 3],
      ],
      {
        labels: [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)],
        series: { pro: [1, null], free: [null, 3] },
        suits: 'line',
      },
    ],
    [
      'text is x',
      ['path', 'n'],
      ['String', 'UInt64'],
      [
        ['/', 3],
        ['/a', 1],
        [null, 2],
      ],
      { labels: ['/', '/a', '(none)'], series: { n: [3, 1, 2] }, suits: 'bar' },
    ],
    [
      'of numbers only, the first is x',
      ['age', 'n'],
      ['UInt8', 'UInt64'],
      [
        [20, 3],
        [30, 1],
      ],
      { labels: ['20', '30'], series: { n: [3, 1] }, suits: 'bar' },
    ],
    ['one number is a number', ['n'], ['UInt64'], [[7]], { labels: ['n'], series: { '': [7] }, suits: 'number' }],
    [
      'a row of numbers is a bar for each',
      ['a', 'b'],
      ['UInt64', 'UInt64'],
      [[7, 8]],
      { labels: ['a', 'b'], series: { '': [7, 8] }, suits: 'bar' },
    ],
    [
      'without a number it is a table',
      ['a', 'b'],
      ['String', 'Bool'],
      [['x', true]],
      { labels: ['x'], series: {}, suits: 'table' },
    ],
    [
      'names of columns decide',
      ['day', 'x', 'other', 'value', 'series'],
      ['Date', 'String', 'UInt8', 'UInt64', 'String'],
      [['2026-01-01', 'a', 9, 1, 's']],
      { labels: ['a'], series: { s: [1] }, suits: 'bar' },
    ],
    [
      'two numbers of a series have both names',
      ['x', 's', 'n', 'm'],
      ['String', 'String', 'UInt8', 'UInt8'],
      [['a', 'p', 1, 2]],
      { labels: ['a'], series: { 'p · n': [1], 'p · m': [2] }, suits: 'bar' },
    ],
    [
      'integers beyond 2^53 are text',
      ['x', 'n'],
      ['String', 'Int64'],
      [['a', '9007199254740993']],
      { labels: ['a'], series: { n: [2 ** 53 + 1] }, suits: 'bar' },
    ],
  ])('%s', (_, columns, types, rows, expected) => {
    const data = read(columns, types, rows)
    expect(drawn(data)).toEqual(expected)
    expect(data.table).toEqual({ columns, rows })
  })

  test('of many series the largest are drawn, and the table has all', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ['2026-01-01', `s${index}`, index])
    const { series, leftOut, table } = read(['day', 'name', 'n'], ['Date', 'String', 'UInt64'], rows)
    expect([series.length, leftOut, table.rows.length]).toEqual([20, 9_980, 10_000])
    expect(series.map(({ name }) => name)).toContain('s9999')
  })
})

describe('insights', () => {
  const line = (label: string, data: unknown[], more = {}) => ({
    label,
    data,
    days: ['2026-01-01', '2026-01-02'],
    count: 3,
    ...more,
  })
  test.each<[string, unknown, object]>([
    [
      'trends',
      [line('a', [1, 2]), line('a', [3, 4], { compare_label: 'previous' })],
      { labels: ['2026-01-01', '2026-01-02'], series: { a: [1, 2], 'a (previous)': [3, 4] }, suits: 'line' },
    ],
    [
      'lines with equal names',
      [line('a', [1, 2]), line('a', [3, 4])],
      { labels: ['2026-01-01', '2026-01-02'], series: { a: [1, 2], 'a (2)': [3, 4] }, suits: 'line' },
    ],
    [
      'totals',
      [line('a', [], { aggregated_value: 5 }), line('b', [], { aggregated_value: 6 })],
      { labels: ['a', 'b'], series: { '': [5, 6] }, suits: 'bar' },
    ],
    [
      'a funnel',
      [
        { name: 'in', order: 0, count: 4 },
        { name: 'out', order: 1, count: 1 },
      ],
      { labels: ['in', 'out'], series: { '': [4, 1] }, suits: 'bar' },
    ],
    [
      'a funnel by breakdown',
      [
        [{ name: 'in', order: 0, count: 4, breakdown_value: ['pro'] }],
        [{ name: 'in', order: 0, count: 2, breakdown_value: ['free'] }],
      ],
      { labels: ['in'], series: { pro: [4], free: [2] }, suits: 'bar' },
    ],
    [
      'times to convert',
      {
        bins: [
          [0, 2],
          [60, 1],
        ],
        average_conversion_time: 30,
      },
      { labels: [0, 60], series: { people: [2, 1] }, suits: 'bar' },
    ],
    [
      'a retention, without intervals that are not over',
      [
        {
          date: '2026-01-01T00:00:00Z',
          values: [
            { count: 4, label: 'Day 0' },
            { count: 1, label: 'Day 1' },
          ],
        },
        { date: '2026-01-02T00:00:00Z', values: [{ count: 2, label: 'Day 0', incomplete: true }] },
      ],
      { labels: ['Day 0', 'Day 1'], series: { '2026-01-01': [100, 25], '2026-01-02': [null, null] }, suits: 'table' },
    ],
    [
      'a web overview',
      [
        { key: 'visitors', value: 3 },
        { key: 'views', value: 9 },
      ],
      { labels: ['visitors', 'views'], series: { '': [3, 9] }, suits: 'table' },
    ],
    ['rows without columns', [['a', 1]], { labels: [], series: {}, suits: 'table' }],
  ])('%s', (_, results, expected) => expect(drawn(readResult({ results })!)).toEqual(expected))

  test('a funnel has its shares in the table', () => {
    const { table } = readResult({
      results: [
        { name: 'in', order: 0, count: 8 },
        { name: 'out', order: 1, count: 1, average_conversion_time: 9 },
      ],
    })!
    expect(table.rows).toEqual([
      ['in', 8, 100, undefined],
      ['out', 1, 12.5, 9],
    ])
  })
})

test.each([undefined, null, 7, 'x', [], {}, { results: 7 }, { results: null }])('%j is no result', (response) => {
  expect(readResult(response)).toBeUndefined()
})

test('a result without rows is empty', () => {
  expect(readResult({ results: [], columns: ['a'] })).toMatchObject({ series: [], table: { columns: ['a'], rows: [] } })
})
