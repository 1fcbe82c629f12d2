import { drawPie, slicesOf } from '../../src/chart/draw/pie'
import { drawPlot } from '../../src/chart/draw/plot'
import { createScale } from '../../src/chart/draw/scale'
import { segmentsOf, thin } from '../../src/chart/draw/thin'
import { createFormats } from '../../src/chart/format'
import { type ChartData, NO_DATA } from '../../src/chart/model'
import { toCsv } from '../../src/chart/save/csv'

const SIZE = { width: 400, height: 200 }
const of = (labels: unknown[], values: (number | null)[], more: Partial<ChartData> = {}): ChartData => ({
  ...NO_DATA,
  labels,
  series: [{ name: 'n', values }],
  ...more,
})

test.each([
  [
    [0, 3],
    [0, 1, 2, 3],
  ],
  [
    [0, 0],
    [0, 1],
  ],
  [
    [-3, 12],
    [-5, 0, 5, 10, 15],
  ],
  [
    [0, 0.07],
    [0, 0.05, 0.1],
  ],
  [
    [0, 1e300],
    [0, 5e299, 1e300],
  ],
] as [[number, number], number[]][])('an axis over %j has round values', (extent, ticks) => {
  expect(createScale(extent, 200, 10).ticks).toEqual(ticks)
})

test('a line is thinned to four points a pixel, with its peaks', () => {
  const points = Array.from({ length: 10_000 }, (_, index): [number, number] => [
    index / 25,
    index === 5_003 ? -9 : index % 7,
  ])
  const thinned = thin(points)
  expect(thinned.length).toBeLessThanOrEqual(4 * 400)
  expect(thinned).toContainEqual([5_003 / 25, -9])
  expect(thin([[1, 2]])).toEqual([[1, 2]])
})

test('a line without a value has a gap', () => {
  expect(segmentsOf([null, [1, 1], [2, 2], null, null, [3, 3]])).toEqual([
    [
      [1, 1],
      [2, 2],
    ],
    [[3, 3]],
  ])
})

test('labels of an axis do not overlap', () => {
  const labels = Array.from({ length: 300 }, (_, index) => `a long label ${index}`)
  const { shapes } = drawPlot(
    of(
      labels,
      labels.map(() => 1),
    ),
    SIZE,
    createFormats('en'),
    'line',
  )
  const texts = shapes.filter(({ anchor }) => anchor === 'middle')
  expect(texts.length).toBeGreaterThan(1)
  for (const [index, { x }] of texts.entries()) if (index) expect(x! - texts[index - 1]!.x!).toBeGreaterThan(90)
})

test.each(['line', 'bar'] as const)('the nearest value of a %s chart is found', (type) => {
  const figure = drawPlot(of(['a', 'b', 'c'], [1, null, -3]), SIZE, createFormats('en'), type)
  expect([figure.nearest(0, 0), figure.nearest(200, 0), figure.nearest(400, 0)]).toEqual([0, 1, 2])
  expect([0, 1, 2].map((index) => figure.spot(index).rows.map(({ value }) => value))).toEqual([['1'], [], ['-3']])
})

test('a pie has the largest slices, one for the rest, and none below zero', () => {
  const formats = createFormats('en')
  const labels = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const slices = slicesOf(
    of(
      labels,
      labels.map((_, index) => index - 2),
    ),
    formats,
  )
  expect(slices.map(({ name }) => name)).toEqual(['s19', 's18', 's17', 's16', 's15', 's14', 's13', 'Other (10)'])
  const figure = drawPie(slices, SIZE, formats)
  // To the right of the top is the first slice, to the left the last.
  expect([figure.nearest(210, 0), figure.nearest(190, 0)]).toEqual([0, 7])
})

test('numbers and dates have the formats of their language, and no time zone moves a day', () => {
  const times = [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1)]
  expect(createFormats('de', times).tick(times[0]!)).toBe('31. Jan.')
  expect(createFormats('en', times).time(times[1]!)).toBe('Feb 1, 2026')
  expect(createFormats('de').full(1_234.5)).toBe('1.234,5')
  expect(createFormats('en').full('9007199254740993')).toBe('9,007,199,254,740,993')
  expect(createFormats('en', [], 'percent').short(25)).toBe('25\u00a0%')
  expect(() => createFormats('not a language!')).not.toThrow()
})

test.each([
  ['=1+1', "'=1+1"],
  [' \t=1+1', '"\' \t=1+1"'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\uff1d1', "'\uff1d1"],
  ['-1', '-1'],
  ['-9007199254740993', '-9007199254740993'],
  ['-1+1', "'-1+1"],
  ['a,"b"\n', '"a,""b""\n"'],
  [null, ''],
  [{ a: 1 }, '"{""a"":1}"'],
  [-2, '-2'],
])('the cell %j is saved as %j', (value, text) => {
  expect(toCsv({ columns: ['=a'], rows: [[value]] })).toBe(`'=a\r\n${text}`)
})
