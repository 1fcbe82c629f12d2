import {
  call,
  type CallSql,
  infix,
  name,
  type QuerySql,
  type SelectSql,
  type Sql,
} from '../../../sql/catalog/physical.ts'
import { keyOf, shownKeyOf } from '../breakdown.ts'
import { column, from, lambda, number, part } from '../select.ts'
import { createSource, every, isWithin, some, type Source } from '../source.ts'
import type { SeriesNode } from './trendsQuery.ts'
import {
  bucketOf,
  countedAggregate,
  countedBy,
  isCounted,
  isPerEvent,
  matching,
  type TrendsPlan,
} from './trendsStatement.ts'

// A condition may be NULL, which is false.
const flag = (condition: Sql): Sql => call('ifNull', condition, { kind: 'boolean', value: false })

/** Returns the events that any series counts, in a period, with a flag for each series that counts them. */
const matchedEvents = (source: Source, plan: TrendsPlan, period: TrendsPlan['period']) => {
  const flags = plan.query.series.map((node) => every(matching(source, node, plan)))
  return { flags: flags.map(flag), where: every([some(flags), ...isWithin(source, period)]) }
}

// An event counts once for each series, so the keys equal those of the union of all series.
const keyRows = (plan: TrendsPlan): SelectSql => {
  const source = createSource(plan.reading, { takesWeights: true })
  const { flags, where } = matchedEvents(source, plan, plan.topPeriod)
  const [first, ...rest] = flags.map((each) => call('toUInt64', each))
  const times: Sql = { kind: 'infix', first: first!, rest: rest.map((right) => ({ operator: '+', right })) }
  const weight: Sql = source.weight
    ? { kind: 'infix', first: times, rest: [{ operator: '*', right: source.weight }] }
    : times
  const key = keyOf(source, plan.query)
  return { kind: 'select', items: [column(key, 'key'), column(weight, 'weight')], from: source.from(), where }
}

/** Returns an aggregate over the rows whose flag is set. */
const onlyIf = (aggregate: Sql, isSet: Sql): Sql => {
  const { name: own, args, ...rest } = aggregate as CallSql
  return { ...rest, name: `${own}If`, args: [...args, isSet] }
}

/**
 * Returns the statement of a query whose series can all be counted in one scan of the events, or `undefined`. The engine plans one
 * scan for a fraction of what it needs for one per series and one per series' keys.
 */
export const scanOf = (plan: TrendsPlan): QuerySql | undefined => {
  const { series } = plan.query
  if (series.length < 2 || !series.every(isCounted)) return undefined
  const source = createSource(plan.reading, { takesWeights: !series.some(isPerEvent) })
  const { flags, where } = matchedEvents(source, plan, plan.period)
  const { instant } = source.among(plan.buckets)
  const values = series.map((node) => countedBy(source, node))
  const events: SelectSql = {
    kind: 'select',
    items: [
      column(bucketOf(instant, plan), 'bucket'),
      column(keyOf(source, plan.query), 'key'),
      ...flags.map((each, at) => column(each, `is${at}`)),
      ...values.flatMap((each, at) => each.map((value) => column(value, `value${at}`))),
      ...(source.weight ? [column(source.weight, 'weight')] : []),
    ],
    from: source.from(),
    where,
  }
  const row = (of: string): Sql => name('e', of)
  const totalOf = (node: SeriesNode, at: number): Sql =>
    onlyIf(
      countedAggregate(node, (of) => row(of === 'value' ? `value${at}` : of), source.weight !== undefined),
      row(`is${at}`),
    )
  const totals = series.map((node, at) =>
    call(
      'tuple',
      call('toUInt8', number(at)),
      call('ifNull', call('toFloat64', totalOf(node, at)), number(0)),
      call('countIf', row(`is${at}`)),
    ),
  )
  const groups: SelectSql = {
    kind: 'select',
    items: [
      column(row('bucket'), 'bucket'),
      column(
        shownKeyOf(row('key'), () => keyRows(plan), plan.query, 'weight'),
        'shown',
      ),
      // A series without events in a group has no row.
      column(
        call(
          'arrayJoin',
          call('arrayFilter', lambda(['t'], infix(part(name('t'), 3), '>', number(0))), call('array', ...totals)),
        ),
        'total',
      ),
    ],
    from: from(events, 'e'),
    groupBy: [name('bucket'), name('shown')],
  }
  return {
    kind: 'select',
    items: [
      column(part(name('g', 'total'), 1), 'series'),
      column(name('g', 'bucket'), 'bucket'),
      column(name('g', 'shown'), 'key'),
      column(part(name('g', 'total'), 2), 'value'),
    ],
    from: from(groups, 'g'),
  }
}
