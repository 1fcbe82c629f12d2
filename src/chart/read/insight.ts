import type { ChartData, ChartType } from '../model'
import { isRecord, listOf, toNumber, toText, toTime } from './cells'
import { toSeries } from './pivot'

type Item = Readonly<Record<string, unknown>>

/** Lines, or other values by name and label. */
interface Drawn {
  readonly labels: readonly unknown[]
  readonly names: readonly string[]
  /** Returns the value of a name at a label. */
  readonly valueAt: (name: number, label: number) => unknown
  readonly isComparison?: (name: number) => boolean
}

const draw = ({ labels, names, valueAt, isComparison }: Drawn) => {
  const marks = names.flatMap((series, name) =>
    labels.map((_, x) => ({ series, x, value: toNumber(valueAt(name, x)), isComparison: isComparison?.(name) })),
  )
  return { labels, ...toSeries(marks, labels.length) }
}

const breakdownName = (value: unknown) => (listOf(value).length ? listOf(value).map(toText).join(' · ') : toText(value))

/** Returns the name of a line. Lines of a comparison differ in `compare_label` only. */
const lineName = ({ label, breakdown_value: value, compare_label }: Item) => {
  const name = label === undefined ? (value === undefined ? '' : breakdownName(value)) : toText(label)
  return compare_label === 'previous' ? `${name} (previous)` : name
}

/** Makes names unique, because lines with equal names would be one. */
const unique = (names: readonly string[]) => {
  const counts = new Map<string, number>()
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count > 1 ? `${name} (${count})` : name
  })
}

const longestOf = <Value>(lists: readonly (readonly Value[])[]) =>
  lists.reduce((a, b) => (b.length > a.length ? b : a), [])

/** Items with one number each: trends with one number for each series, and a web overview. */
const readTotals =
  (name: string, value: string, suits: ChartType) =>
  (items: readonly Item[]): ChartData => {
    const labels = items.map((item) => (name === 'label' ? lineName(item) : toText(item[name])))
    return {
      ...draw({ labels, names: [''], valueAt: (_, x) => items[x]![value] }),
      table: { columns: ['name', 'value'], rows: items.map((item, x) => [labels[x], item[value]]) },
      total: items[0]![value],
      suits: items.length > 1 ? suits : 'number',
    }
  }

/** Trends, and funnels over time. */
const readLines = (lines: readonly Item[]): ChartData => {
  if (lines.every(({ data, aggregated_value }) => aggregated_value !== undefined && !listOf(data).length))
    return readTotals('label', 'aggregated_value', 'bar')(lines)
  const labels = longestOf(lines.map(({ days }) => listOf(days)))
  const names = unique(lines.map(lineName))
  const valueAt = (name: number, x: number) => listOf(lines[name]!.data)[x]
  const times = labels.map(toTime)
  return {
    ...draw({ labels, names, valueAt, isComparison: (name) => lines[name]!.compare_label === 'previous' }),
    ...(times.every((time) => time !== null) ? { times } : {}),
    table: {
      columns: ['date', ...names],
      rows: labels.map((day, x) => [day, ...names.map((_, name) => valueAt(name, x))]),
    },
    total: lines[0]!.count,
    suits: 'line',
  }
}

const percentOf = (value: unknown, first: unknown) => {
  const whole = toNumber(first)
  return whole ? Math.round(((toNumber(value) ?? 0) / whole) * 1_000) / 10 : null
}

/** The steps of one funnel, or of one for each breakdown value. */
const readFunnels = (funnels: readonly (readonly Item[])[]): ChartData => {
  const isBroken = funnels[0]?.[0]?.breakdown_value !== undefined
  const labels = unique(longestOf(funnels).map(({ custom_name, name }) => toText(custom_name ?? name)))
  const names = funnels.map(([first]) => (isBroken ? breakdownName(first?.breakdown_value) : ''))
  const rows = funnels.flatMap((steps, name) =>
    steps.map(({ count, average_conversion_time: seconds }, x) => [
      ...(isBroken ? [names[name]] : []),
      labels[x],
      count,
      percentOf(count, steps[0]!.count),
      seconds,
    ]),
  )
  const columns = [...(isBroken ? ['breakdown'] : []), 'step', 'people', 'percent of first', 'average seconds']
  return {
    ...draw({ labels, names: unique(names), valueAt: (name, x) => funnels[name]![x]?.count }),
    table: { columns, rows },
    total: funnels[0]![funnels[0]!.length - 1]!.count,
    suits: 'bar',
  }
}

/** Cohorts of a retention. */
const readCohorts = (cohorts: readonly Item[]): ChartData => {
  const values = cohorts.map((cohort) => listOf(cohort.values).filter(isRecord))
  const names = unique(
    cohorts.map(({ date, label, breakdown_value: value }) =>
      [toText(date ?? label).slice(0, 10), ...(value === undefined ? [] : [breakdownName(value)])].join(' · '),
    ),
  )
  const labels = longestOf(values).map(({ label }) => toText(label))
  // An interval that is not over would look like a loss.
  const valueAt = (name: number, x: number) => {
    const { count, incomplete } = values[name]![x] ?? {}
    return count === undefined || incomplete ? null : percentOf(count, values[name]![0]!.count)
  }
  return {
    ...draw({ labels, names, valueAt }),
    table: {
      columns: ['cohort', ...labels],
      rows: names.map((name, index) => [name, ...labels.map((_, x) => values[index]![x]?.count)]),
      isShaded: true,
    },
    total: values[0]?.[0]?.count,
    unit: 'percent',
    suits: 'table',
  }
}

/** Times that people took to convert. */
const readBins = (funnels: readonly Item[]): ChartData => {
  const labels = listOf(funnels[0]!.bins).map((bin) => listOf(bin)[0])
  const names = unique(
    funnels.map(({ breakdown_value: value }) => (value === undefined ? 'people' : breakdownName(value))),
  )
  const valueAt = (name: number, x: number) => listOf(listOf(funnels[name]!.bins)[x])[1]
  return {
    ...draw({ labels, names, valueAt }),
    table: {
      columns: ['seconds', ...names],
      rows: labels.map((second, x) => [second, ...names.map((_, name) => valueAt(name, x))]),
    },
    total: funnels[0]!.average_conversion_time,
    suits: 'bar',
  }
}

/** Reads any other results as a table. */
const readRest = (results: readonly unknown[]): ChartData => {
  const [first] = results
  const rows = results.map((row) =>
    isRecord(row) ? Object.values(row) : Array.isArray(row) ? (row as unknown[]) : [row],
  )
  const columns = isRecord(first) ? Object.keys(first) : rows[0]!.map((_, index) => `column ${index + 1}`)
  return { labels: [], series: [], leftOut: 0, table: { columns, rows }, total: rows[0]![0], suits: 'table' }
}

/** The shapes of results by a member that their first item has. */
const SHAPES: readonly (readonly [member: string, read: (items: readonly Item[]) => ChartData])[] = [
  ['data', readLines],
  ['values', readCohorts],
  ['bins', readBins],
  ['key', readTotals('key', 'value', 'table')],
  ['order', (steps) => readFunnels([steps])],
]

/** Reads the chart data of an insight. */
export const readInsight = (results: unknown): ChartData => {
  const items = isRecord(results) ? [results] : listOf(results)
  const [first] = items
  if (Array.isArray(first) && isRecord(first[0]) && 'order' in first[0])
    return readFunnels(items.map((steps) => listOf(steps).filter(isRecord)).filter(({ length }) => length))
  const shape = isRecord(first) && SHAPES.find(([member]) => member in first)
  return shape ? shape[1](items.filter(isRecord)) : readRest(items)
}
