import { type Static, Type } from '@sinclair/typebox'
import { call, type SelectSql } from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import { checkShape } from '../check.ts'
import type { Insight, InsightRows } from '../insight.ts'
import { bucketsOf, type Interval, isoOf, namesOf, type Period } from '../period.ts'
import { column } from '../select.ts'
import { filtersOf, maybe, oneOf } from '../shared.ts'
import type { FilterContext } from '../filters.ts'
import { createVisits, splitFilters, WHOLE } from './visits.ts'
import { checkCompare, periodsOf, WEB } from './webQuery.ts'

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
}

/** The numbers of an overview, in the order of the statement's columns. */
const METRICS: readonly Metric[] = [
  { key: 'visitors', kind: 'unit' },
  { key: 'views', kind: 'unit' },
  { key: 'sessions', kind: 'unit' },
  { key: 'session duration', kind: 'duration_s' },
  { key: 'bounce rate', kind: 'percentage', isIncreaseBad: true },
]

type Numbers = readonly (number | null)[]

// Nobody came, so nothing has a mean.
const NOBODY: Numbers = [0, 0, 0, null, null]

const changeOf = (value: number | null, previous: number | null): number | null =>
  value === null || !previous ? null : Math.round((100 * (value - previous)) / previous)

/** Returns the intervals of a period that have begun. */
const begunBuckets = (period: Period, interval: Interval, { zone, now }: FilterContext): readonly number[] => {
  const buckets = bucketsOf(period, interval, zone)
  const begun = buckets.filter((start) => start <= now)
  return begun.length ? begun : buckets
}

const toNumbers = (row: readonly unknown[]): Numbers =>
  METRICS.map(({ kind }, index) => {
    const value = row[index]
    if (typeof value !== 'number') return null
    return kind === 'percentage' ? value * 100 : value
  })

const readNumbers = (rows: InsightRows) => {
  const found = new Map(
    rows.map(([period, bucket, ...values]) => [`${Number(period)} ${Number(bucket)}`, toNumbers(values)]),
  )
  return (period: number, bucket: number): Numbers => found.get(`${period} ${bucket}`) ?? NOBODY
}

/** Web overview: visitors, views, sessions, session duration and bounce rate of a period, and by interval. */
export const WEB_OVERVIEW: Insight<OverviewQuery> = {
  beginsAlone: true,
  check(query, context) {
    checkShape(OVERVIEW, query)
    checkCompare(query as OverviewQuery)
    splitFilters(filtersOf((query as OverviewQuery).properties, 'properties', context))
  },
  events: () => undefined,
  readsSessions: true,
  plan(query, { projectId, context, filters }) {
    const { zone } = context
    const periods = periodsOf(query, context)
    const { current, previous } = periods
    const { interval } = query
    const buckets = interval
      ? [current, ...(previous ? [previous] : [])].map((period) => begunBuckets(period, interval, context))
      : undefined
    const visits = createVisits({ periods, filters, context, ...(buckets ? { buckets } : {}) })
    const { period, bucket, person, views, seconds, isBounce } = visits
    const statement: SelectSql = {
      kind: 'select',
      items: [
        column(period, 'period'),
        column(bucket, 'bucket'),
        column(call('uniqExact', person), 'visitors'),
        column(call('sum', views), 'views'),
        column(call('count'), 'sessions'),
        column(call('avg', seconds), 'duration'),
        column(call('avg', isBounce), 'bounce'),
      ],
      from: visits.toSql(),
      groupBy: [period, bucket],
    }
    return {
      statements: [print(statement, projectId)],
      shape([rows]) {
        const numbersOf = readNumbers(rows!)
        const [now, before] = [numbersOf(0, WHOLE), previous && numbersOf(1, WHOLE)]
        const lines = (index: number) =>
          Object.fromEntries(
            METRICS.map(({ key }, metric) => [key, buckets![index]!.map((start) => numbersOf(index, start)[metric]!)]),
          )
        const names = (index: number) => buckets![index]!.map((start) => namesOf(start, interval!, zone))
        return {
          results: METRICS.map(({ key, kind, isIncreaseBad }, index) => {
            const [value, old] = [now[index]!, before?.[index] ?? null]
            return {
              key,
              kind,
              value,
              previous: old,
              changeFromPreviousPct: changeOf(value, old),
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
