import { type Static, Type } from '@sinclair/typebox'
import { call, infix, name, type SelectSql, type Sql, text } from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import { checkShape, fieldError } from '../check.ts'
import { finiteNumber, passes } from '../filters.ts'
import type { Insight, InsightRows, PlanOptions } from '../insight.ts'
import { bucketsOf, namesOf, periodOf } from '../period.ts'
import { column, from, number, part } from '../select.ts'
import { filtersOf, maybe, oneOf, SHARED } from '../shared.ts'
import { bound, createSource, every, isWithin } from '../source.ts'

const EVENT = '$web_vitals'
const SOFT = 'soft-navigation'

/** The metrics, and the largest values that are good and that need improvement, ms (https://web.dev/articles/vitals). CLS has no unit. */
export const VITALS = {
  LCP: [2_500, 4_000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
  FCP: [1_800, 3_000],
  TTFB: [800, 1_800],
} as const satisfies Readonly<Record<string, readonly [number, number]>>
type VitalName = keyof typeof VITALS

const DEFAULT_METRICS: readonly VitalName[] = ['LCP', 'INP', 'CLS', 'FCP']
const QUANTILES = [75, 90, 99] as const

/** Breakdowns, and the event property of each. */
const BREAKDOWNS = {
  Page: '$pathname',
  DeviceType: '$device_type',
  Country: '$geoip_country_code',
  Browser: '$browser',
} as const
type BreakdownName = keyof typeof BREAKDOWNS

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1_000

const VITALS_QUERY = Type.Object(
  {
    kind: Type.Literal('WebVitalsQuery'),
    dateRange: SHARED.dateRange,
    properties: SHARED.properties,
    filterTestAccounts: SHARED.filterTestAccounts,
    version: SHARED.version,
    tags: SHARED.tags,
    metrics: maybe(
      Type.Array(oneOf(...(Object.keys(VITALS) as VitalName[])), { minItems: 1, maxItems: 5, uniqueItems: true }),
    ),
    /** Page loads, or routes of an app that the browser reports as soft navigations. Their values are not comparable. */
    navigation: maybe(oneOf('hard', 'soft')),
    breakdownBy: maybe(oneOf(...(Object.keys(BREAKDOWNS) as BreakdownName[]))),
    interval: maybe(oneOf('hour', 'day', 'week', 'month')),
    limit: maybe(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    offset: maybe(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
)

type VitalsQuery = Static<typeof VITALS_QUERY>

const metricsOf = ({ metrics }: VitalsQuery): readonly VitalName[] => metrics ?? DEFAULT_METRICS

const quantile = (percent: number, of: Sql, isIn: Sql): Sql => ({
  kind: 'call',
  name: 'quantileExactIf',
  parameters: [{ kind: 'number', digits: `0.${percent}` }],
  args: [of, isIn],
})

/** The aggregates of one metric, in the order that `toVital` reads. */
const aggregatesOf = (metric: VitalName, of: Sql, named: Sql): readonly Sql[] => {
  const [good, poor] = VITALS[metric]
  const isMetric = infix(named, '=', text(metric))
  const countIf = (...terms: readonly Sql[]) => call('countIf', every([isMetric, ...terms]))
  return [
    countIf(),
    countIf(infix(of, '<=', number(good))),
    countIf(infix(of, '>', number(poor))),
    ...QUANTILES.map((percent) => quantile(percent, of, isMetric)),
  ]
}
const AGGREGATES = 3 + QUANTILES.length

const ratingOf = (metric: VitalName, value: number): string => {
  const [good, poor] = VITALS[metric]
  return value <= good ? 'good' : value <= poor ? 'needs improvement' : 'poor'
}

const toVital = (metric: VitalName, cells: readonly unknown[]) => {
  const [count = 0, good = 0, poor = 0, ...quantiles] = cells.map(Number)
  const value = (index: number) => (count ? quantiles[index]! : null)
  return {
    count,
    good,
    needs_improvement: count - good - poor,
    poor,
    p75: value(0),
    p90: value(1),
    p99: value(2),
    rating: count ? ratingOf(metric, quantiles[0]!) : null,
  }
}

const toVitals = (metrics: readonly VitalName[], cells: readonly unknown[]) =>
  Object.fromEntries(
    metrics.map((metric, index) => [
      metric,
      toVital(metric, cells.slice(index * AGGREGATES, (index + 1) * AGGREGATES)),
    ]),
  )

/** The rows of a query: the last value of each metric of each page view, with its breakdown value and its interval. */
const lastValues = (
  query: VitalsQuery,
  { context, filters, isFromExact, reading }: PlanOptions,
  buckets: readonly number[] | undefined,
): SelectSql => {
  const source = createSource(reading)
  const { zone, now } = context
  const period = periodOf(query.dateRange ?? {}, { interval: query.interval ?? 'day', zone, now, isFromExact })
  const { instant, uuid } = source
  const entries = metricsOf(query).map((metric) => {
    const property = `$web_vitals_${metric}_event`
    return call(
      'tuple',
      text(metric),
      // Other SDKs may send no id. Then each event is a page view.
      call('ifNull', source.member(property, 'id'), call('toString', uuid)),
      call('ifNull', source.member(property, 'navigationType'), text('')),
      finiteNumber(source.property(`$web_vitals_${metric}_value`)),
    )
  })
  const key = query.breakdownBy ? call('ifNull', source.property(BREAKDOWNS[query.breakdownBy]), text('')) : text('')
  const bucket = buckets ? call('roundDown', instant, bound('Array(Int64)', buckets)) : number(0)
  const entry = (position: number) => part(name('entry'), position)
  const where = every([
    infix(source.event, '=', text(EVENT)),
    passes(source, filters, context),
    ...isWithin(source, period),
    infix(entry(3), query.navigation === 'soft' ? '=' : '!=', text(SOFT)),
    call('isNotNull', entry(4)),
  ])
  const row = call('tuple', call('assumeNotNull', entry(4)), key, bucket)
  return {
    kind: 'select',
    items: [column(entry(1), 'metric'), column(call('argMax', row, call('tuple', instant, uuid)), 'last')],
    from: source.from(),
    arrayJoin: { isLeft: false, items: [column(call('array', ...entries), 'entry')] },
    where,
    groupBy: [entry(1), entry(2)],
  }
}

const VALUES = 'v'
const last = (position: number) => part(name(VALUES, 'last'), position)

const aggregates = (metrics: readonly VitalName[]) =>
  metrics.flatMap((metric) =>
    aggregatesOf(metric, last(1), name(VALUES, 'metric')).map((value, index) => column(value, `${metric} ${index}`)),
  )

const rowsStatement = (query: VitalsQuery, options: PlanOptions): SelectSql => ({
  kind: 'select',
  items: [column(last(2), 'key'), ...aggregates(metricsOf(query))],
  from: from(lastValues(query, options, undefined), VALUES),
  groupBy: [last(2)],
  orderBy: [
    { by: call('count'), isDescending: true },
    { by: last(2), isDescending: false },
  ],
  limit: bound('UInt64', (query.limit ?? DEFAULT_LIMIT) + 1),
  offset: bound('UInt64', query.offset ?? 0),
})

const seriesStatement = (query: VitalsQuery, options: PlanOptions, buckets: readonly number[]): SelectSql => ({
  kind: 'select',
  items: [column(last(3), 'bucket'), ...aggregates(metricsOf(query))],
  from: from(lastValues(query, options, buckets), VALUES),
  groupBy: [last(3)],
})

const seriesOf = (
  { interval, ...query }: VitalsQuery,
  { context: { zone } }: PlanOptions,
  buckets: readonly number[],
  rows: InsightRows,
) => {
  const metrics = metricsOf(query)
  const found = new Map(rows.map(([bucket, ...cells]) => [Number(bucket), toVitals(metrics, cells)]))
  const names = buckets.map((start) => namesOf(start, interval!, zone))
  const lines = (of: 'p75' | 'count') =>
    Object.fromEntries(
      metrics.map((metric) => [
        metric,
        buckets.map((start) => found.get(start)?.[metric]?.[of] ?? (of === 'count' ? 0 : null)),
      ]),
    )
  return {
    interval: interval!,
    days: names.map(({ day }) => day),
    labels: names.map(({ label }) => label),
    data: lines('p75'),
    counts: lines('count'),
  }
}

/** Web vitals: quantiles of the metrics of page views, by page, device, country or browser, and by interval. */
export const WEB_VITALS: Insight<VitalsQuery> = {
  check(query, context) {
    checkShape(VITALS_QUERY, query)
    filtersOf((query as VitalsQuery).properties, 'properties', context)
    const { breakdownBy, interval } = query as VitalsQuery
    if (breakdownBy && interval) throw fieldError('interval', 'is not available with "breakdownBy"')
  },
  events: () => [EVENT],
  plan(query, options) {
    const { context, projectId, isFromExact } = options
    const { zone, now } = context
    const { interval } = query
    const [limit, offset] = [query.limit ?? DEFAULT_LIMIT, query.offset ?? 0]
    const buckets = interval
      ? bucketsOf(periodOf(query.dateRange ?? {}, { interval, zone, now, isFromExact }), interval, zone)
      : undefined
    const metrics = metricsOf(query)
    return {
      statements: [
        print(rowsStatement(query, options), projectId),
        ...(buckets ? [print(seriesStatement(query, options, buckets), projectId)] : []),
      ],
      shape: ([rows, series]) => ({
        results: rows!.slice(0, limit).map(([value, ...cells]) => ({
          breakdown_value: query.breakdownBy && value !== '' ? value : null,
          metrics: toVitals(metrics, cells),
        })),
        thresholds: Object.fromEntries(metrics.map((metric) => [metric, VITALS[metric]])),
        hasMore: rows!.length > limit,
        limit,
        offset,
        ...(buckets ? { series: seriesOf(query, options, buckets, series!) } : {}),
      }),
    }
  },
}
