import type { Display } from '../../api/dashboards.ts'
import { bucketName } from '../../lib/format.ts'
import { type Entity, nameOf } from '../entity.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { InsightKind, Parameter } from '../kind.ts'
import { figure, type Item, MAX_SERIES, type TileData, toNumber, toText } from '../tileData.ts'
import { DISPLAYS, formatSeries, MATHS, trendsQuery } from './trendsQuery.ts'

/** How the builder's displays of trends look as tiles, by their names in the API. */
const OF_TRENDS = new Map<unknown, Display>([
  ['ActionsUnstackedBar', 'bar'],
  ['BoldNumber', 'number'],
  ['ActionsTable', 'table'],
])

const seriesParameter = ({ event, math, math_property, math_property_type }: Fields): Parameter => {
  const property =
    textOf(math_property) && (math_property_type === 'person_properties' ? 'person.' : '') + textOf(math_property)
  return [
    's',
    formatSeries({ event: textOf(event), math: MATHS.find(({ value }) => value === math)?.value ?? 'total', property }),
  ]
}

const comparisonOf = (compareFilter: Fields): string | undefined =>
  compareFilter.compare === true ? (compareFilter.compare_to === undefined ? 'previous' : 'year') : undefined

const ofTrends = (results: readonly Item[]): TileData => {
  const labels = ((results[0]?.days ?? []) as readonly unknown[]).map((day) => bucketName(toText(day)))
  const named = results.map((each) => ({
    label: toText(each.label) + (each.compare_label === 'previous' ? ' (before)' : ''),
    values: ((each.data ?? []) as readonly unknown[]).map(toNumber),
    count: toNumber(each.count ?? each.aggregated_value),
    isComparison: each.compare_label === 'previous',
  }))
  const current = named.filter(({ isComparison }) => !isComparison)
  const before = named.filter(({ isComparison }) => isComparison)
  const colorOf = (index: number, isComparison: boolean) => (isComparison ? index - current.length : index) + 1
  const series = [...current, ...before].map(({ label, values, isComparison }, index) => ({
    label,
    values,
    isComparison,
    color: Math.max(1, colorOf(index, isComparison)),
  }))
  return {
    figures: current.map(({ label, count }, index) => figure(label, count, { previous: before[index]?.count ?? null })),
    chart: { labels, series: series.slice(0, MAX_SERIES) },
    table: {
      head: ['', ...named.map(({ label }) => label)],
      rows: labels.map((label, index) => [label, ...named.map(({ values }) => values[index] ?? null)]),
    },
  }
}

/** Numbers of events over time. */
export const TRENDS: InsightKind = {
  kind: 'TrendsQuery',
  displayOf: ({ trendsFilter }) => OF_TRENDS.get(fieldsOf(trendsFilter).display) ?? 'line',
  toTileData: ({ results }) => ofTrends(results as readonly Item[]),
  built: {
    name: 'trends',
    label: 'Trends',
    toQuery: trendsQuery,
    hasPeriod: true,
    titleOf: ({ series }) => (series as readonly Entity[]).map(nameOf).join(', '),
    parametersOf: ({ series, interval, trendsFilter, compareFilter }) => {
      const { display, formula } = fieldsOf(trendsFilter)
      return [
        ...listOf(series).map(seriesParameter),
        ['interval', textOf(interval) || 'day'],
        ['display', DISPLAYS.find(({ wire }) => wire === display)?.value],
        ['formula', textOf(formula) || undefined],
        ['compare', comparisonOf(fieldsOf(compareFilter))],
      ]
    },
  },
}
