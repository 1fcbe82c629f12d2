import { parseFilter } from '../src/lib/filters.ts'
import { joinList, splitList } from '../src/lib/listText.ts'
import { funnelQuery } from '../src/insights/funnel/funnelQuery.ts'
import { retentionQuery } from '../src/insights/retention/retentionQuery.ts'
import { formatSeries, trendsOf, trendsQuery } from '../src/insights/trends/trendsQuery.ts'

const search = (text: string) => new URLSearchParams(text)

test('lists in the URL keep commas and backslashes in their values', () => {
  const values = ['a,b', 'c\\d', '', '\\,']
  expect(splitList(joinList(values))).toEqual(values)
  expect(parseFilter('is,$pathname,/a\\,b')?.values).toEqual(['/a,b'])
})

test('a trend without settings counts the people who viewed pages in the last 7 days', () => {
  expect(trendsQuery(search(''))).toEqual({
    kind: 'TrendsQuery',
    dateRange: { date_from: '-6d' },
    properties: [],
    series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
    interval: 'day',
    trendsFilter: { display: 'ActionsLineGraph' },
  })
})

test('a trend reads series, breakdown, formula, comparison and display from the URL', () => {
  const series = formatSeries({ event: 'purchase, paid', math: 'sum', property: 'person.credit' })
  const parameters = new URLSearchParams([
    ['s', series],
    ['s', 'total,'],
    ['by', 'person.plan'],
    ['formula', 'A / B'],
    ['compare', 'year'],
    ['display', 'number'],
    ['interval', 'week'],
    ['period', '30d'],
  ])
  expect(trendsQuery(parameters)).toEqual({
    kind: 'TrendsQuery',
    dateRange: { date_from: '-29d' },
    properties: [],
    breakdownFilter: { breakdowns: [{ property: 'plan', type: 'person' }], breakdown_limit: 10 },
    series: [
      {
        kind: 'EventsNode',
        event: 'purchase, paid',
        math: 'sum',
        math_property: 'credit',
        math_property_type: 'person_properties',
      },
      { kind: 'EventsNode', event: null, math: 'total' },
    ],
    interval: 'week',
    trendsFilter: { display: 'BoldNumber', formula: 'A / B' },
    compareFilter: { compare: true, compare_to: '-1y' },
  })
})

test('unknown values in the URL of a trend fall back to the defaults', () => {
  const { series, display, compare, interval } = trendsOf(search('s=nonsense,a&display=pie&compare=x&interval=age'))
  expect(series).toEqual([{ event: 'a', math: 'total', property: '' }])
  expect([display, compare, interval]).toEqual(['line', 'none', 'day'])
})

test('a funnel needs two steps and takes its order and window from the URL', () => {
  expect(funnelQuery(search('step=a'))).toBeUndefined()
  expect(funnelQuery(search('step=a&step=b&order=strict&window=3hour'))).toMatchObject({
    series: [{ event: 'a' }, { event: 'b' }],
    funnelsFilter: { funnelOrderType: 'strict', funnelWindowInterval: 3, funnelWindowIntervalUnit: 'hour' },
  })
  expect(funnelQuery(search('step=a&step=b&window=0years'))).toMatchObject({
    funnelsFilter: { funnelOrderType: 'ordered', funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
  })
})

test('retention follows cohorts of the last weeks, at most 60 intervals', () => {
  expect(retentionQuery(search('start=signup&return=&cohorts=recurring&intervals=900'))).toMatchObject({
    retentionFilter: {
      retentionType: 'retention_recurring',
      targetEntity: { id: 'signup' },
      returningEntity: { id: null },
      period: 'Week',
      totalIntervals: 60,
    },
  })
})
