import { type Static, Type } from '@sinclair/typebox'
import { call, infix, type SelectSql, type Sql } from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import type { Insight, InsightRows } from '../insight.ts'
import { bucketsOf, type Interval, isoOf, namesOf, type Period } from '../period.ts'
import { column } from '../select.ts'
import { maybe, oneOf } from '../shared.ts'
import type { FilterContext } from '../filters.ts'
import { createVisits, type Visits, WHOLE } from './visits.ts'
import { convertedPersons, median } from './webNumbers.ts'
import { checkWeb, periodsOf, WEB } from './webQuery.ts'

const OVERVIEW = Type.Object(
  {
    kind: Type.Literal('WebOverviewQuery'),
    ...WEB,
    /** Ours: the same numbers for each interval. */
    interval: maybe(oneOf('hour', 'day', 'week', 'month')),
  },
  { additionalProperties: false },
)

type OverviewQuery = Static<typeof OVERVIEW>

interface Metric {
  readonly key: string
  readonly kind: 'unit' | 'duration_s' | 'percentage'
  readonly isIncreaseBad?: true
  readonly of: (visits: Visits) => Sql
}

const VISITORS: Metric = { key: 'visitors', kind: 'unit', of: ({ person }) => call('uniqExact', person) }

/** The numbers of an overview. */
const METRICS: readonly Metric[] = [
  VISITORS,
  { key: 'views', kind: 'unit', of: ({ views }) => call('sum', views) },
  { key: 'sessions', kind: 'unit', of: () => call('count') },
  { key: 'session duration', kind: 'duration_s', of: ({ seconds }) => call('avg', seconds) },
  { key: 'bounce rate', kind: 'percentage', isIncreaseBad: true, of: ({ isBounce }) => call('avg', isBounce) },
]

/** The numbers of an overview with a goal. */
const GOAL_METRICS: readonly Metric[] = [
  VISITORS,
  { key: 'total conversions', kind: 'unit', of: ({ conversions }) => call('sum', conversions) },
  { key: 'unique conversions', kind: 'unit', of: convertedPersons },
  {
    key: 'conversion rate',
    kind: 'percentage',
    of: (visits) => infix(convertedPersons(visits), '/', VISITORS.of(visits)),
  },
]

type Numbers = readonly (number | null)[]

const changeOf = (value: number | null, previous: number | null): number | null =>
  value === null || !previous ? null : Math.round((100 * (value - previous)) / previous)

/** Returns the intervals of a period that have begun. */
const begunBuckets = (period: Period, interval: Interval, { zone, now }: FilterContext): readonly number[] => {
  const buckets = bucketsOf(period, interval, zone)
  const begun = buckets.filter((start) => start <= now)
  return begun.length ? begun : buckets
}

/** Reads the numbers of a period and interval from the rows: those of `metrics`, and the median duration after them. */
const readNumbers = (rows: InsightRows, metrics: readonly Metric[]) => {
  // Nobody came, so nothing has a mean.
  const nobody = metrics.map(({ kind }) => (kind === 'unit' ? 0 : null))
  const found = new Map(
    rows.map(([period, bucket, ...values]) => [
      `${Number(period)} ${Number(bucket)}`,
      values.map((value, index) => {
        if (typeof value !== 'number') return null
        return metrics[index]?.kind === 'percentage' ? value * 100 : value
      }),
    ]),
  )
  return (period: number, bucket: number): Numbers => found.get(`${period} ${bucket}`) ?? nobody
}

/** Web overview: the numbers of a period, or how many visitors reach a goal, and the same by interval. */
export const WEB_OVERVIEW: Insight<OverviewQuery> = {
  beginsAlone: true,
  check(query, context) {
    checkWeb(OVERVIEW, query, context)
  },
  events: () => undefined,
  readsSessions: true,
  plan(query, { projectId, context, filters, reading }) {
    const { zone } = context
    const periods = periodsOf(query, context)
    const { current, previous } = periods
    const { interval, conversionGoal: goal } = query
    const metrics = goal ? GOAL_METRICS : METRICS
    const buckets = interval
      ? [current, ...(previous ? [previous] : [])].map((period) => begunBuckets(period, interval, context))
      : undefined
    const visits = createVisits({ periods, filters, context, reading, goal, ...(buckets ? { buckets } : {}) })
    const { period, bucket } = visits
    const statement: SelectSql = {
      kind: 'select',
      items: [
        column(period, 'period'),
        column(bucket, 'bucket'),
        ...metrics.map(({ key, of }) => column(of(visits), key)),
        ...(goal ? [] : [column(median(visits.seconds), 'median')]),
      ],
      from: visits.toSql(),
      groupBy: [period, bucket],
    }
    return {
      statements: [print(statement, projectId)],
      shape([rows]) {
        const numbersOf = readNumbers(rows!, metrics)
        const [now, before] = [numbersOf(0, WHOLE), previous && numbersOf(1, WHOLE)]
        const lines = (index: number) =>
          Object.fromEntries(
            metrics.map(({ key }, metric) => [key, buckets![index]!.map((start) => numbersOf(index, start)[metric]!)]),
          )
        const names = (index: number) => buckets![index]!.map((start) => namesOf(start, interval!, zone))
        return {
          results: metrics.map(({ key, kind, isIncreaseBad }, index) => {
            const [value, old] = [now[index]!, before?.[index] ?? null]
            return {
              key,
              kind,
              value,
              previous: old,
              changeFromPreviousPct: changeOf(value, old),
              ...(kind === 'duration_s'
                ? { median: now[metrics.length] ?? null, previousMedian: before?.[metrics.length] ?? null }
                : {}),
              ...(isIncreaseBad ? { isIncreaseBad } : {}),
            }
          }),
          hasMore: false,
          dateFrom: isoOf(current.from, zone),
          dateTo: isoOf(current.until - 1, zone),
          samplingRate: { numerator: 1 },
          usedPreAggregatedTables: false,
          ...(buckets
            ? {
                series: {
                  interval,
                  days: names(0).map(({ day }) => day),
                  labels: names(0).map(({ label }) => label),
                  data: lines(0),
                  ...(previous ? { previousDays: names(1).map(({ day }) => day), previous: lines(1) } : {}),
                },
              }
            : {}),
        }
      },
    }
  },
}
