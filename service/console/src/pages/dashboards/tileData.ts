import { bucketName } from '../../lib/format.ts'
import type { QueryResult } from '../../api/query.ts'
import { formatShare } from '../../lib/format.ts'
import type { Series } from '../../ui/lineChart.tsx'
import type { CellValue } from '../../ui/simpleTable.tsx'

/** A number of a tile, with that of the period before. */
export interface Figure {
  readonly label: string
  readonly value: number | null
  readonly previous: number | null
  readonly unit: 'number' | 'percent' | 'seconds'
  readonly isIncreaseBad: boolean
}

export interface Chart {
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

export interface TableData {
  readonly head: readonly string[]
  readonly rows: readonly (readonly CellValue[])[]
}

/** A result, converted for each display of tiles. Absent: the result does not support that display. */
export interface TileData {
  readonly figures?: readonly Figure[]
  readonly chart?: Chart
  readonly table: TableData
}

type Item = Readonly<Record<string, unknown>>

const MAX_SERIES = 10

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const toCell = (value: unknown): CellValue =>
  value === undefined || value === null
    ? null
    : typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
      ? value
      : JSON.stringify(value)
const toText = (value: unknown): string => String(toCell(value) ?? '–')
const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
const figure = (label: string, value: number | null, more: Partial<Figure> = {}): Figure => ({
  label,
  value,
  previous: null,
  unit: 'number',
  isIncreaseBad: false,
  ...more,
})

const ofOverview = (results: readonly Item[]): TileData => {
  const units: Readonly<Record<string, Figure['unit']>> = { percentage: 'percent', duration_s: 'seconds' }
  const figures = results.map(({ key, value, previous, kind, isIncreaseBad }) =>
    figure(capitalize(toText(key)), toNumber(value), {
      previous: toNumber(previous),
      unit: units[toText(kind)] ?? 'number',
      isIncreaseBad: isIncreaseBad === true,
    }),
  )
  return {
    figures,
    table: {
      head: ['', 'Value', 'Before'],
      rows: figures.map(({ label, value, previous }) => [label, value, previous]),
    },
  }
}

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

const ofFunnel = (results: readonly Item[]): TileData => {
  const steps = Array.isArray(results[0]) ? results.flat() : results
  const first = toNumber(steps[0]?.count) ?? 0
  const share = (count: number | null, of: number) => (count === null || !of ? null : formatShare(count / of))
  const rows = steps.map((step, index): readonly CellValue[] => {
    const count = toNumber(step.count)
    const before = index === 0 ? count : toNumber(steps[index - 1]!.count)
    const name =
      toText(step.custom_name ?? step.name) + (step.breakdown === undefined ? '' : `, ${toText(step.breakdown)}`)
    return [name, count, share(count, first), share(count, before ?? 0), toNumber(step.median_conversion_time)]
  })
  const last = toNumber(steps.at(-1)?.count)
  return {
    figures: [figure('Conversion', first && last !== null ? (last / first) * 100 : null, { unit: 'percent' })],
    table: { head: ['Step', 'People', 'Of the first', 'Of the step before', 'Median seconds'], rows },
  }
}

const ofRetention = (results: readonly Item[]): TileData => {
  const cohorts = results.map((each) => ({
    date: toText(each.date).slice(0, 10),
    values: (each.values ?? []) as readonly { readonly count: number; readonly label?: string; incomplete?: boolean }[],
  }))
  const width = Math.max(0, ...cohorts.map(({ values }) => values.length))
  const labels = cohorts.find(({ values }) => values.length === width)?.values ?? []
  const cell = (values: (typeof cohorts)[number]['values'], index: number): CellValue => {
    const [size, at] = [values[0]?.count ?? 0, values[index]]
    return !at || at.incomplete || !size ? null : formatShare(at.count / size)
  }
  return {
    table: {
      head: ['Cohort', 'Size', ...labels.slice(1).map(({ label }, index) => label ?? String(index + 1))],
      rows: cohorts.map(({ date, values }) => [
        date,
        values[0]?.count ?? 0,
        ...Array.from({ length: Math.max(0, width - 1) }, (_, index) => cell(values, index + 1)),
      ]),
    },
  }
}

const STATS_TITLES: Readonly<Record<string, string>> = {
  breakdown_value: '',
  visitors: 'Visitors',
  views: 'Views',
  bounce_rate: 'Bounce rate',
  avg_time_on_page: 'Seconds on page',
}

// Each number is a pair: of this period and of the period before. Tiles show the first.
const ofStatsTable = (columns: readonly string[], results: readonly (readonly unknown[])[]): TileData => {
  const shown = columns.flatMap((name, index) => {
    const title = STATS_TITLES[name.replace(/^context\.columns\./, '')]
    return title === undefined ? [] : [{ title, index }]
  })
  const cellOf = (cell: unknown) => (Array.isArray(cell) ? toCell(cell[0]) : toCell(cell || '(none)'))
  return {
    table: {
      head: shown.map(({ title }) => title),
      rows: results.map((row) => shown.map(({ index }) => cellOf(row[index]))),
    },
  }
}

const ofRows = (columns: readonly string[], results: readonly (readonly unknown[])[]): TileData => {
  const isNumber = columns.map(
    (_, index) => results.length > 0 && results.every((row) => row[index] === null || typeof row[index] === 'number'),
  )
  const numbers = columns.flatMap((name, index) => (isNumber[index] && index > 0 ? [{ name, index }] : []))
  const first = results[0]
  const table = { head: columns, rows: results.map((row) => row.map(toCell)) }
  const figures =
    first && columns.flatMap((name, index) => (isNumber[index] ? [figure(name, toNumber(first[index]))] : []))
  const chart = {
    labels: results.map((row) => toText(row[0])),
    series: numbers.slice(0, MAX_SERIES).map(({ name, index }, at) => ({
      label: name,
      values: results.map((row) => toNumber(row[index])),
      color: at + 1,
      isComparison: false,
    })),
  }
  return {
    ...(figures?.length ? { figures } : {}),
    ...(chart.series.length ? { chart } : {}),
    table,
  }
}

/** Converts the result of a query of `kind` for each display of tiles. */
export const toTileData = (kind: string, { results, columns }: Pick<QueryResult, 'results' | 'columns'>): TileData => {
  const items = results as readonly Item[]
  switch (kind) {
    case 'WebOverviewQuery':
      return ofOverview(items)
    case 'TrendsQuery':
      return ofTrends(items)
    case 'FunnelsQuery':
      return ofFunnel(items)
    case 'RetentionQuery':
      return ofRetention(items)
    case 'WebStatsTableQuery':
      return ofStatsTable(columns ?? [], results as readonly (readonly unknown[])[])
    default:
      return ofRows(columns ?? [], results as readonly (readonly unknown[])[])
  }
}
