/** @jest-environment jsdom */
import { formatFilter } from '../src/lib/filters.ts'
import { BUILT_KINDS, displayOf, isBuilt, titleOf } from '../src/insights/kinds.ts'
import { settingsOf } from '../src/insights/savedInsight.ts'
import { formatSeries, MATHS } from '../src/insights/trends/trendsQuery.ts'

const FILTERS = [
  formatFilter({ operator: 'is', type: 'event', key: '$pathname', values: ['/a,b', 'c\\d', ''] }),
  formatFilter({ operator: 'unset', type: 'person', key: 'plan', values: [] }),
  formatFilter({ operator: 'gt', type: 'session', key: '$session_duration', values: ['10'] }),
]
const SERIES = MATHS.map((math) =>
  formatSeries({ event: 'purchase, paid', math: math.value, property: 'isNumeric' in math ? 'person.credit' : '' }),
)

/** Settings of the builder, one list of parameters each. */
const SETTINGS: readonly (readonly [string, string][])[] = [
  [],
  [['period', 'last-month']],
  [
    ['from', '2026-01-31'],
    ['to', '2026-02-28'],
    ['interval', 'week'],
  ],
  ...SERIES.map((series): [string, string][] => [
    ['s', series],
    ['s', formatSeries({ event: '', math: 'total', property: '' })],
  ]),
  [
    ['s', SERIES[0]!],
    ['s', SERIES[1]!],
    ['formula', 'A / B * 100'],
    ['display', 'number'],
    ['compare', 'year'],
  ],
  [
    ['display', 'table'],
    ['compare', 'previous'],
    ['by', 'person.plan'],
    ['interval', 'month'],
    ['period', 'year'],
  ],
  [['display', 'bar'], ['by', '$browser'], ...FILTERS.map((filter): [string, string] => ['f', filter])],
  [
    ['tab', 'funnel'],
    ['step', 'a'],
    ['step', ''],
    ['step', 'b,c'],
    ['order', 'strict'],
    ['window', '3hour'],
    ['by', 'session.$channel_type'],
  ],
  [
    ['tab', 'funnel'],
    ['step', 'a'],
    ['step', 'b'],
    ['period', 'yesterday'],
    ['f', FILTERS[1]!],
  ],
  [['tab', 'retention']],
  [
    ['tab', 'retention'],
    ['start', ''],
    ['return', 'paid'],
    ['unit', 'Month'],
    ['cohorts', 'recurring'],
    ['intervals', '12'],
    ['f', FILTERS[0]!],
  ],
]

const build = (parameters: readonly (readonly [string, string])[]) => {
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return (BUILT_KINDS.find(({ name }) => name === search.get('tab')) ?? BUILT_KINDS[0]!).toQuery(search)!
}

test('a saved insight opens in the builder with all its settings', () => {
  for (const settings of SETTINGS) {
    const query = build(settings)
    // As the API returns it.
    const saved = JSON.parse(JSON.stringify(query)) as typeof query
    expect(build(settingsOf(saved) ?? [['tab', 'none']])).toEqual(query)
    expect(isBuilt(saved)).toBe(true)
  }
})

test('an insight with settings that the builder does not have is not opened, because it would lose them', () => {
  const trend = build([])
  for (const query of [
    { ...trend, samplingFactor: 0.1 },
    { ...trend, dateRange: { date_from: '-37h' } },
    { ...trend, series: [{ kind: 'EventsNode', event: 'a', math: 'p95' }] },
    { ...trend, series: Array.from({ length: 6 }, () => ({ kind: 'EventsNode', event: 'a' })) },
    { ...trend, series: [{ kind: 'ActionsNode', id: 3 }] },
    { ...trend, properties: [{ key: 'a', type: 'event', operator: 'is_date_after', value: '2026-01-01' }] },
    { ...trend, properties: { type: 'OR', values: [] } },
    { ...trend, breakdownFilter: { breakdowns: [{ property: 'a', type: 'event' }], breakdown_limit: 25 } },
    {
      ...build([
        ['tab', 'funnel'],
        ['step', 'a'],
        ['step', 'b'],
      ]),
      series: [],
    },
    { kind: 'LifecycleQuery' },
    { kind: 'HogQLQuery', query: 'SELECT 1' },
    { kind: 'constructor' },
    { kind: 'TrendsQuery', series: 'a', dateRange: [], trendsFilter: 3, properties: [null], breakdownFilter: null },
  ])
    expect(settingsOf(query)).toBeUndefined()
})

test('an insight without what the API assumes opens too', () => {
  const saved = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    dateRange: { date_from: '-6d' },
  }
  expect(build(settingsOf(saved)!)).toMatchObject({ ...saved, interval: 'day' })
})

test('a tile of an insight has the chart of its kind, and the names of its events as title', () => {
  const shown = SETTINGS.map((settings) => [displayOf(build(settings)), titleOf(build(settings))])
  expect(shown[0]).toEqual(['line', 'Page view'])
  expect(shown.find(([display]) => display === 'number')).toEqual(['number', 'purchase, paid, purchase, paid'])
  expect(shown.find(([display]) => display === 'funnel')).toEqual(['funnel', 'a → All events → b,c'])
  expect(shown.at(-1)).toEqual(['retention', 'Retention after All events'])
  expect(displayOf({ kind: 'HogQLQuery' })).toBe('table')
})
