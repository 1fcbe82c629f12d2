import { call, infix, name, type QuerySql, type SelectSql, type Sql, text } from '../../../sql/catalog/physical.ts'
import { keyOf, shownKeyOf } from '../breakdown.ts'
import { type FilterContext, type FilterGroup, finiteNumber, passes } from '../filters.ts'
import { hasProperties, isNamed } from '../nodes.ts'
import type { Period } from '../period.ts'
import { column, from } from '../select.ts'
import { bound, createSource, every, isWithin, type Reading, type Source } from '../source.ts'
import { moveInstant } from '../zone.ts'
import { isNumeric, mathOf, numbersOf, PER_ACTOR, type SeriesNode, type TrendsQuery } from './trendsQuery.ts'
import { own } from '../../../lib/own.ts'

/** A trends query over one period. */
export interface TrendsPlan {
  readonly period: Period
  /** Starts of the intervals. */
  readonly buckets: readonly number[]
  /** The end of the last interval. */
  readonly end: number
  /** The period that determines which breakdown values are shown. */
  readonly topPeriod: Period
  readonly query: TrendsQuery
  readonly filters: FilterGroup
  readonly context: FilterContext
  readonly reading: Reading
}

/** An exact quantile, interpolated between the two nearest values. */
const quantile =
  (level: string): ((of: Sql) => Sql) =>
  (of) => ({
    kind: 'call',
    name: 'quantileExactInclusive',
    parameters: [{ kind: 'number', digits: level }],
    args: [of],
  })

const AGGREGATES: Readonly<Record<string, (of: Sql) => Sql>> = {
  avg: (of) => call('avg', of),
  sum: (of) => call('sum', of),
  min: (of) => call('min', of),
  max: (of) => call('max', of),
  median: quantile('0.5'),
  p75: quantile('0.75'),
  p90: quantile('0.9'),
  p95: quantile('0.95'),
  p99: quantile('0.99'),
}

const WINDOW_DAYS: Readonly<Record<string, number>> = { weekly_active: 7, monthly_active: 30 }

/** Returns the conditions that an event is one of a series. */
export const matching = (
  source: Source,
  node: SeriesNode,
  { filters, context }: TrendsPlan,
  { withProperties = true } = {},
): readonly Sql[] => [
  isNamed(source, node),
  ...(withProperties ? [passes(source, filters, context), hasProperties(source, node, context)] : []),
]

const weightOf = ({ weight }: Source) => (weight ? [column(weight, 'weight')] : [])

// Keys are chosen over all series before anything is counted, so that a person with two values under "Other" counts once.
const keyRows = (plan: TrendsPlan): QuerySql => {
  const [first, ...rest] = plan.query.series.map((node): SelectSql => {
    const source = createSource(plan.reading, { takesWeights: true })
    const where = every([...matching(source, node, plan), ...isWithin(source, plan.topPeriod)])
    const key = keyOf(source, plan.query)
    return { kind: 'select', items: [column(key, 'key'), ...weightOf(source)], from: source.from(), where }
  })
  return rest.length
    ? { kind: 'set', first: first!, rest: rest.map((query) => ({ operator: 'union all', query })) }
    : first!
}

const isWeighed = ({ reading }: TrendsPlan) => reading.isWeighed

const shownKey = (key: Sql, plan: TrendsPlan): Sql =>
  shownKeyOf(key, () => keyRows(plan), plan.query, isWeighed(plan) ? 'weight' : undefined)

/** Returns the start of an instant's interval. */
export const bucketOf = (instant: Sql, { buckets }: TrendsPlan): Sql =>
  call('roundDown', instant, bound('Array(Int64)', buckets))

// The intervals whose trailing window contains an event: they end after it, and their windows begin before it.
const bucketsOfWindow = (source: Source, days: number, { buckets, end, context: { zone } }: TrendsPlan): Sql => {
  const ends = [...buckets.slice(1), end]
  const begins = ends.map((each) => moveInstant(zone, 'day', -days, each))
  const { instant } = source.among([...ends, ...begins])
  const countUpTo = (times: readonly number[]) =>
    call(
      'arrayCount',
      { kind: 'lambda', names: ['x'], body: infix(name('x'), '<=', instant) },
      bound('Array(Int64)', times),
    )
  const one: Sql = { kind: 'number', digits: '1' }
  const indexes = call('range', countUpTo(ends), countUpTo(begins))
  return call(
    'arrayMap',
    {
      kind: 'lambda',
      names: ['i'],
      body: call('arrayElement', bound('Array(Int64)', buckets), infix(name('i'), '+', one)),
    },
    indexes,
  )
}

interface Rows {
  readonly query: SelectSql
  readonly aggregate: (rows: (name: string) => Sql) => Sql
}

// The counted or aggregated value. Read only where needed: a person costs a join, and everything that is read is stored when materialized.
export const countedBy = (source: Source, node: SeriesNode): readonly Sql[] => {
  if (isNumeric(node)) return [finiteNumber(source.property(numbersOf(node)))]
  if (node.math === 'unique_group') return [source.group(node.math_group_type_index!)]
  if (node.math === 'dau') return [source.person]
  return node.math === 'unique_session' ? [source.session] : []
}

// Sums and quantiles need each event's number.
export const isPerEvent = (node: SeriesNode) => isNumeric(node) && node.math !== 'min' && node.math !== 'max'

// The number of events: a stored row may represent several.
const countOf = (hasWeights: boolean, row: (of: string) => Sql): Sql =>
  hasWeights ? call('sum', row('weight')) : call('count')

/** Returns what a series computes from rows with a `value` and, if they have weights, a `weight`. */
export const countedAggregate = (node: SeriesNode, row: (of: string) => Sql, hasWeights: boolean): Sql => {
  if (isNumeric(node)) return own(AGGREGATES, node.math!)!(row('value'))
  if (node.math === 'dau') return call('uniqExact', row('value'))
  // Events without a session or group have an empty string.
  if (node.math === 'unique_session' || node.math === 'unique_group')
    return call('uniqExact', call('nullIf', row('value'), text('')))
  return countOf(hasWeights, row)
}

const countedRows = (node: SeriesNode, plan: TrendsPlan): Rows => {
  const source = createSource(plan.reading, { takesWeights: !isPerEvent(node) })
  const values = countedBy(source, node).map((value) => column(value, 'value'))
  const where = every([...matching(source, node, plan), ...isWithin(source, plan.period)])
  const { instant } = source.among(plan.buckets)
  const items = [
    column(bucketOf(instant, plan), 'bucket'),
    column(shownKey(keyOf(source, plan.query), plan), 'key'),
    ...values,
    ...weightOf(source),
  ]
  return {
    query: { kind: 'select', items, from: source.from(), where },
    aggregate: (row) => countedAggregate(node, row, isWeighed(plan)),
  }
}

const perActorRows = (node: SeriesNode, plan: TrendsPlan): Rows => {
  const { query } = countedRows({ ...node, math: 'dau' }, plan)
  const row = (of: string) => name('r', of)
  const counts: SelectSql = {
    kind: 'select',
    items: [column(row('bucket'), 'bucket'), column(row('key'), 'key'), column(countOf(isWeighed(plan), row), 'value')],
    from: from(query, 'r'),
    groupBy: [row('bucket'), row('key'), row('value')],
  }
  return {
    query: counts,
    aggregate: (of) => own(AGGREGATES, node.math!.slice(0, -'_count_per_actor'.length))!(of('value')),
  }
}

const windowRows = (node: SeriesNode, plan: TrendsPlan): Rows => {
  const source = createSource(plan.reading, { takesWeights: true })
  const days = own(WINDOW_DAYS, node.math!)!
  const begin = moveInstant(plan.context.zone, 'day', -days, plan.buckets[1] ?? plan.end)
  const where = every([...matching(source, node, plan), ...isWithin(source, { from: begin, until: plan.period.until })])
  const items = [
    column(call('arrayJoin', bucketsOfWindow(source, days, plan)), 'bucket'),
    column(shownKey(keyOf(source, plan.query), plan), 'key'),
    column(source.person, 'value'),
  ]
  return {
    query: { kind: 'select', items, from: source.from(), where },
    aggregate: (row) => call('uniqExact', row('value')),
  }
}

const firstRows = (node: SeriesNode, plan: TrendsPlan): Rows => {
  const source = createSource(plan.reading)
  const isAnyFirst = node.math === 'first_time_for_user'
  const where = every([
    ...matching(source, node, plan, { withProperties: !isAnyFirst }),
    ...isWithin(source, { until: plan.period.until }),
  ])
  const passed = every(matching(source, node, plan))
  const items = [
    column(source.person, 'person'),
    column(source.instant, 'instant'),
    column(source.uuid, 'uuid'),
    column(keyOf(source, plan.query), 'key'),
    column(call('toUInt8', passed), 'passed'),
  ]
  const events: SelectSql = { kind: 'select', items, from: source.from(), where }
  const row = (of: string) => name('r', of)
  const first = call(
    'argMin',
    call('tuple', row('instant'), row('key'), row('passed')),
    call('tuple', row('instant'), row('uuid')),
  )
  const firsts: SelectSql = {
    kind: 'select',
    items: [column(row('person'), 'person'), column(first, 'first')],
    from: from(events, 'r'),
    groupBy: [row('person')],
  }
  const part = (position: number) =>
    call('tupleElement', name('f', 'first'), { kind: 'number', digits: String(position) })
  const query: SelectSql = {
    kind: 'select',
    items: [
      column(bucketOf(part(1), plan), 'bucket'),
      column(shownKey(part(2), plan), 'key'),
      column(name('f', 'person'), 'value'),
    ],
    from: from(firsts, 'f'),
    where: every([
      infix(part(1), '>=', bound('Int64', plan.period.from)),
      infix(part(3), '=', { kind: 'number', digits: '1' }),
    ]),
  }
  return { query, aggregate: () => call('count') }
}

/** Whether a series counts or aggregates single events. */
export const isCounted = (node: SeriesNode): boolean => {
  const math = mathOf(node)
  return !(Object.hasOwn(WINDOW_DAYS, math) || math.startsWith('first_') || PER_ACTOR.includes(math))
}

const rowsOf = (node: SeriesNode, plan: TrendsPlan): Rows => {
  const math = mathOf(node)
  if (Object.hasOwn(WINDOW_DAYS, math)) return windowRows(node, plan)
  if (math.startsWith('first_')) return firstRows(node, plan)
  return PER_ACTOR.includes(math) ? perActorRows(node, plan) : countedRows(node, plan)
}

/** Returns the events that a series counts, with the columns `bucket`, `key` and, as `value`, the person. */
export const peopleRows = (node: SeriesNode, plan: TrendsPlan): SelectSql => {
  const math = mathOf(node)
  const countsEvents = !(Object.hasOwn(WINDOW_DAYS, math) || math.startsWith('first_'))
  return rowsOf(countsEvents ? { ...node, math: 'dau' } : node, plan).query
}

/** Returns the rows of all series, each from its own scan. */
export const unionOf = (plan: TrendsPlan): QuerySql => {
  const [first, ...rest] = plan.query.series.map((node, index): SelectSql => {
    const { query, aggregate } = rowsOf(node, plan)
    const row = (of: string) => name('g', of)
    return {
      kind: 'select',
      items: [
        column({ kind: 'number', digits: String(index) }, 'series'),
        column(row('bucket'), 'bucket'),
        column(row('key'), 'key'),
        column(call('ifNull', call('toFloat64', aggregate(row)), { kind: 'number', digits: '0' }), 'value'),
      ],
      from: from(query, 'g'),
      groupBy: [row('bucket'), row('key')],
    }
  })
  return rest.length
    ? { kind: 'set', first: first!, rest: rest.map((query) => ({ operator: 'union all', query })) }
    : first!
}
