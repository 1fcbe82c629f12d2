import { OTHER, rankOf, valueOf } from '../breakdown.ts'
import { type Formula, parseFormula } from '../formula.ts'
import type { InsightRows } from '../insight.ts'
import { namesOf } from '../period.ts'
import { breakdownsOf } from '../shared.ts'
import { formulasOf, isTotalValue, mathOf } from './trendsQuery.ts'
import type { TrendsPlan } from './trendsStatement.ts'

interface Line {
  readonly series: number
  readonly formula?: { readonly formula: string; readonly custom_name?: string | null }
  readonly key: string
  readonly points: readonly number[]
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const byTotal = (a: Line, b: Line) =>
  rankOf(a.key) - rankOf(b.key) || sumOf(b.points) - sumOf(a.points) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

const linesOf = (rows: InsightRows, { query, buckets }: TrendsPlan): readonly Line[] => {
  const hidesOther = query.breakdownFilter?.breakdown_hide_other_aggregation
  const keys = breakdownsOf(query).length
    ? [...new Set(rows.map(([, , key]) => String(key)))].filter((key) => !(hidesOther && key === OTHER))
    : ['[]']
  const places = new Map(buckets.map((bucket, index) => [bucket, index]))
  const points = new Map<string, number[]>()
  const pointsOf = (series: number, key: string) => {
    const id = `${series} ${key}`
    const known = points.get(id) ?? buckets.map(() => 0)
    points.set(id, known)
    return known
  }
  const had = new Set<string>()
  for (const [series, bucket, key, value] of rows) {
    const place = places.get(Number(bucket))
    had.add(`${Number(series)} ${String(key)}`)
    if (place !== undefined) pointsOf(Number(series), String(key))[place] = Number(value)
  }
  const formulas = formulasOf(query)
  if (formulas.length) {
    return formulas.flatMap((node, index) => {
      const formula: Formula = parseFormula(node.formula, query.series.length)!
      const lines = keys.map((key): Line => ({
        series: index,
        formula: node,
        key,
        points: buckets.map((_, place) => formula(query.series.map((__, series) => pointsOf(series, key)[place]!))),
      }))
      return lines.sort(byTotal)
    })
  }
  const isBroken = breakdownsOf(query).length > 0
  return query.series.flatMap((_, series) =>
    keys
      .filter((key) => !isBroken || had.has(`${series} ${key}`))
      .map((key): Line => ({ series, key, points: pointsOf(series, key) }))
      .sort(byTotal),
  )
}

const labelOf = (
  line: Line,
  { query }: TrendsPlan,
  value: string | null | readonly (string | null)[] | undefined,
): string => {
  const node = query.series[line.series]
  const label = line.formula
    ? line.formula.custom_name || `Formula (${line.formula.formula})`
    : (node!.custom_name ?? node!.event ?? 'All events')
  if (value === undefined) return label
  const words = [value]
    .flat()
    .map((each) => each ?? '(none)')
    .join('::')
  return (line.formula ? formulasOf(query) : query.series).length > 1 ? `${label} - ${words}` : words
}

/** Returns a chart's lines, from the rows of its statement. */
export const shapeTrends = (
  rows: InsightRows,
  plan: TrendsPlan,
  compareLabel: 'current' | 'previous' | undefined,
): readonly unknown[] => {
  const { query, buckets, context, period } = plan
  const interval = isTotalValue(query) ? 'day' : (query.interval ?? 'day')
  const names = buckets.map((bucket) => namesOf(bucket, interval, context.zone))
  const [days, labels] = [names.map(({ day }) => day), names.map(({ label }) => label)]
  const isBroken = breakdownsOf(query).length > 0
  return linesOf(rows, plan).map((line) => {
    const node = query.series[line.series]!
    const value = isBroken ? valueOf(line.key, query) : undefined
    const sums = () => line.points.map((_, index) => sumOf(line.points.slice(0, index + 1)))
    return {
      ...(isTotalValue(query)
        ? { data: [], labels: [], days: [], count: 0, aggregated_value: line.points[0] }
        : {
            data: query.trendsFilter?.display === 'ActionsLineGraphCumulative' ? sums() : line.points,
            labels,
            days,
            count: sumOf(line.points),
          }),
      label: labelOf(line, plan, value),
      ...(isBroken ? { breakdown_value: value } : {}),
      action: line.formula
        ? null
        : {
            days: isTotalValue(query) ? [] : days,
            id: node.event ?? null,
            type: 'events',
            order: line.series,
            name: node.name ?? node.event ?? 'All events',
            custom_name: node.custom_name ?? null,
            math: mathOf(node),
            math_property: node.math_property ?? null,
            math_hogql: null,
            math_group_type_index: node.math_group_type_index ?? null,
            properties: node.properties ?? {},
          },
      filter: {
        insight: 'TRENDS',
        date_from: new Date(period.from).toISOString(),
        date_to: new Date(period.until - 1).toISOString(),
        interval: query.interval ?? 'day',
      },
      ...(compareLabel ? { compare: true, compare_label: compareLabel } : {}),
    }
  })
}
