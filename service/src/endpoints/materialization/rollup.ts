import { guarded } from '../../sql/catalog/guard.ts'
import {
  call,
  type CallSql,
  infix,
  name,
  type QuerySql,
  type SelectSql,
  type Sql,
  text,
} from '../../sql/catalog/physical.ts'
import { aggregateOf, computedOf } from './aggregates.ts'
import { withBase } from './eventRows.ts'
import { isOfLayers } from './layers.ts'
import { isWithin, isWithinAny } from './portion.ts'
import { DAY_MS, HOUR_MS, isRangeOf, type RunTerm, type Shape } from './shape.ts'
import { mapChildren } from './tree.ts'
import {
  all,
  any,
  AT,
  bucketOf,
  DATABASE,
  LAYER,
  timestamp,
  number,
  OWNER,
  SEEN,
  type Stored,
  STORED,
  unionAll,
} from './words.ts'
import { type TimeRange, timeRangeOf } from './timeRange.ts'

export const BUCKET = '__bucket'
export const SPAN = '__span'

const lastOf = (hour: Sql): Sql => call('addMilliseconds', hour, number(HOUR_MS - 1))

export const test = ({ operator, bound, isColumnLeft }: RunTerm, column: Sql): Sql =>
  isColumnLeft ? infix(column, operator, bound) : infix(bound, operator, column)

/** Returns the conditions of a run on the columns. */
const testsOf = (terms: readonly RunTerm[]): readonly Sql[] => terms.map((term) => test(term, term.column))

const timedRows = ({ guard }: Shape): SelectSql => ({
  ...guard,
  items: [...guard.items, { value: name('timestamp'), name: AT }, { value: name('inserted_at'), name: SEEN }],
})

/** Returns the rows of events as the select reads them, with their timestamp and the time of their arrival. */
export const events = (shape: Shape): SelectSql['from'] => ({
  kind: 'named',
  name: shape.names.source,
  query: timedRows(shape),
})

/** Like `events`, with persons and groups joined to them. */
export const joinedEvents = (shape: Shape): SelectSql['from'] => {
  const rows = timedRows(shape)
  return withBase(
    shape.from,
    rows,
    rows.items.map((each) => each.name),
  )
}

/** Returns stored rows with the columns of a shape. A select has to choose their layers. */
export const storedRows = (shape: Shape, { table }: Stored): SelectSql['from'] => ({
  kind: 'named',
  name: STORED,
  query: guarded(
    { database: DATABASE, name: table, owner: OWNER },
    [
      ...[...shape.columns, ...shape.states].map((each) => each.name),
      ...(shape.isBucketed ? [SPAN, BUCKET] : []),
      LAYER,
    ].map((own) => ({ value: name(own), name: own })),
  ),
})

export const isBefore = (source: string, watermark: string): Sql => infix(name(source, SEEN), '<', timestamp(watermark))
export const isAfter = (source: string, watermark: string): Sql => infix(name(source, SEEN), '>=', timestamp(watermark))

// The clock is read once: two readings could fall into different hours.
const atOneTime = (shape: Shape, now: Date): Shape => {
  const reading = timestamp(now.toISOString().replace('T', ' ').replace('Z', ''))
  const fix = (sql: Sql): Sql => (sql.kind === 'call' && sql.name === 'now64' ? reading : mapChildren(sql, fix))
  return {
    ...shape,
    runTerms: shape.runTerms.map((term) => ({ ...term, bound: fix(term.bound) })),
    joinedTerms: shape.joinedTerms.map(fix),
  }
}

/** Which part of a time range is read from the table, and which from the events. */
interface Split {
  /** Selects stored rows by the length and start of their bucket. `undefined`: all of them. */
  readonly isStored: ((span: Sql, bucket: Sql) => Sql) | undefined
  /** Selects the stored events that no selected row covers. Absent: there are none. */
  readonly isEnd?: (at: Sql) => Sql
}

const isInFullBucket = (ranges: readonly RunTerm[], bucket: Sql): Sql =>
  all(ranges.flatMap((term) => [test(term, bucket), test(term, lastOf(bucket))]))!

// Events outside whole buckets are at most one bucket's length from a bound. This condition lets the engine use its index.
const isNear = (ranges: readonly RunTerm[], at: Sql): Sql =>
  any(
    ranges.map(({ bound }) => {
      const time = call('toDateTime64', bound, number(3), text('UTC'))
      return infix(
        infix(at, '>=', call('addMilliseconds', time, { kind: 'call', name: 'negate', args: [number(HOUR_MS)] })),
        'AND',
        infix(at, '<=', call('addMilliseconds', time, number(HOUR_MS))),
      )
    }),
  )

/** Splits a range whose bounds only the engine can compute, such as the start of a month. */
const splitByEngine = (ranges: readonly RunTerm[]): Split => ({
  isStored: (span, bucket) => infix(infix(span, '=', number(HOUR_MS)), 'AND', isInFullBucket(ranges, bucket)),
  isEnd: (at) =>
    all([...testsOf(ranges), isNear(ranges, at), call('not', isInFullBucket(ranges, bucketOf(at, number(HOUR_MS))))])!,
})

/** Returns the whole buckets of length `ms` in a range, which may be empty. */
export const fullBuckets = ({ from, to }: TimeRange, ms: number): TimeRange => ({
  from: Math.ceil(from / ms) * ms,
  to: Math.floor(to / ms) * ms,
})
const isEmpty = ({ from, to }: TimeRange): boolean => from >= to

/** Returns the parts of `whole` before and after `inner`, or all of it if `inner` is empty. */
export const endsOf = (whole: TimeRange, inner: TimeRange): readonly TimeRange[] =>
  (isEmpty(inner)
    ? [whole]
    : [
        { from: whole.from, to: inner.from },
        { from: inner.to, to: whole.to },
      ]
  ).filter((end) => !isEmpty(end))

/** The parts of a time range by where they are read: full days, the full hours next to them, and the rest. */
interface RangeParts {
  readonly stored: readonly { readonly span: number; readonly timeRanges: readonly TimeRange[] }[]
  /** Read from the events. Empty if the range begins and ends on full hours. */
  readonly ends: readonly TimeRange[]
}

export const partsOf = (whole: TimeRange): RangeParts => {
  const hours = fullBuckets(whole, HOUR_MS)
  const days = fullBuckets(whole, DAY_MS)
  return {
    stored: [
      ...(isEmpty(days) ? [] : [{ span: DAY_MS, timeRanges: [days] }]),
      ...(isEmpty(hours) ? [] : [{ span: HOUR_MS, timeRanges: endsOf(hours, days) }]),
    ].filter(({ timeRanges }) => timeRanges.length > 0),
    ends: endsOf(whole, hours),
  }
}

/** Splits a range with known bounds. */
const splitAt = (whole: TimeRange): Split => {
  const { stored, ends } = partsOf(whole)
  return {
    isStored: (span, bucket) =>
      stored.length > 0
        ? any(
            stored.map((each) =>
              infix(
                infix(span, '=', number(each.span)),
                'AND',
                any(each.timeRanges.map((timeRange) => isWithin(timeRange, bucket))),
              ),
            ),
          )
        : { kind: 'boolean', value: false },
    ...(ends.length > 0 ? { isEnd: (at) => any(ends.map((end) => isWithin(end, at))) } : {}),
  }
}

const splitOf = (ranges: readonly RunTerm[]): Split => {
  if (ranges.length === 0) return { isStored: undefined }
  const timeRange = timeRangeOf(ranges)
  return timeRange ? splitAt(timeRange) : splitByEngine(ranges)
}

/** Splits time ranges that do not overlap. */
const splitAll = (timeRanges: readonly TimeRange[]): Split => {
  const splits = timeRanges.map(splitAt)
  const ends = splits.flatMap(({ isEnd }) => isEnd ?? [])
  return {
    isStored: (span, bucket) => any(splits.map(({ isStored }) => isStored!(span, bucket))),
    ...(ends.length > 0 ? { isEnd: (at) => any(ends.map((isEnd) => isEnd(at))) } : {}),
  }
}

/**
 * Returns the states that a run reads: from the table, and from the events outside whole buckets and after the
 * watermark. `within`: time ranges to read instead of the run's own.
 */
export const statesFor = (shape: Shape, stored: Stored, within?: readonly TimeRange[]): QuerySql => {
  const { columns, states, groups, runTerms, fixed, names } = shape
  const { source, keyOf } = names
  const ranges = runTerms.filter((term) => isRangeOf(shape, term))
  const others = runTerms.filter((term) => !ranges.includes(term))
  const { isStored, isEnd } = within ? splitAll(within) : splitOf(ranges)
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)

  const fromTable: SelectSql = {
    kind: 'select',
    items: [...groups, ...states].map((each) => ({ value: name(STORED, each.name), name: each.name })),
    from: storedRows(shape, stored),
    where: all([
      isOfLayers(stored),
      ...others.map((term) => test(term, storedName(term.column))),
      isStored?.(name(STORED, SPAN), name(STORED, BUCKET)),
    ]),
  }
  const fromEvents = (terms: readonly Sql[]): SelectSql => ({
    kind: 'select',
    items: [...groups, ...states].map((each) => ({ value: each.sql, name: each.name })),
    from: events(shape),
    where: all([...fixed, ...terms]),
    groupBy: groups.map((each) => name(each.name)),
  })
  const at = name(source, AT)
  const inRange = within ? [isWithinAny(within, at)] : testsOf(ranges)
  const tail = () => fromEvents([...testsOf(others), ...inRange, isAfter(source, stored.watermark)])
  const ends = isEnd ? [fromEvents([...testsOf(others), isBefore(source, stored.watermark), isEnd(at)])] : []
  return unionAll(fromTable, [...(stored.isComplete ? [] : [tail()]), ...ends])
}

/** Returns how an expression of the select is read from stored columns and states. */
export const readerOf = ({ states, groups, names }: Shape): ((of: Sql) => Sql) => {
  const { source, keyOf, readsJoined } = names
  const columnFor = new Map(groups.map((each) => [keyOf(each.sql), each.name]))
  const stateFor = new Map(states.map((each) => [keyOf(each.call), each.name]))
  const aggregate = (of: CallSql): Sql => {
    const { state, args, over } = computedOf(of, readsJoined)
    return over(args.map(read), state && name(source, stateFor.get(keyOf(state))!))
  }
  const read = (of: Sql): Sql => {
    const column = columnFor.get(keyOf(of))
    if (column) return name(source, column)
    return of.kind === 'call' && !of.over && aggregateOf(of.name) ? aggregate(of) : mapChildren(of, read)
  }
  return read
}

const readStates = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { states, groups, joinedTerms, from, names } = shape
  const { expand } = names
  const read = readerOf(shape)
  const written = (of: Sql): Sql => read(expand(of))
  const keys = new Map((sql.groupBy ?? []).map(written).map((each) => [JSON.stringify(each), each]))
  return {
    ...sql,
    items: sql.items.map(({ value, name: own }) => ({ value: written(value), name: own })),
    from: withBase(
      from,
      statesFor(shape, stored),
      [...groups, ...states].map((each) => each.name),
    ),
    where: all(joinedTerms.map(read)),
    groupBy: [...keys.values()],
    having: sql.having && written(sql.having),
    orderBy: sql.orderBy?.map((each) => ({ ...each, by: written(each.by) })),
    limitBy: sql.limitBy && { ...sql.limitBy, by: sql.limitBy.by.map(written) },
  }
}

const readRows = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { columns, runTerms, fixed, from, guard, names } = shape
  const { source } = names
  // Named like the events in the select, so that its conditions read stored rows as they read events.
  const asSource: SelectSql = {
    kind: 'select',
    items: columns.map((each, at) => ({ value: name(STORED, each.name), name: guard.items[at]!.name })),
    from: storedRows(shape, stored),
    where: isOfLayers(stored),
  }
  const items = guard.items.map((item) => ({ value: name(source, item.name), name: item.name }))
  const fromTable: SelectSql = {
    kind: 'select',
    items,
    from: { kind: 'named', query: asSource, name: source },
    where: all(testsOf(runTerms)),
  }
  const tail = (): SelectSql => ({
    kind: 'select',
    items,
    from: events(shape),
    where: all([...fixed, ...testsOf(runTerms), isAfter(source, stored.watermark)]),
  })
  return {
    ...sql,
    from: withBase(
      from,
      unionAll(fromTable, stored.isComplete ? [] : [tail()]),
      items.map((item) => item.name),
    ),
  }
}

/** Replaces the clock by the time of a run, and returns its range and the conditions on other columns. */
export const termsOf = (shape: Shape, now: Date) => {
  const fixed = atOneTime(shape, now)
  const ranges = fixed.runTerms.filter((term) => isRangeOf(fixed, term))
  return { ranges, others: fixed.runTerms.filter((term) => !ranges.includes(term)) }
}

/** Returns a select with the same rows as `sql`, from the table, and from the events outside whole buckets and after the watermark. */
export const readSql = (shape: Shape, sql: SelectSql, stored: Stored, now: Date): SelectSql => {
  const fixed = atOneTime(shape, now)
  return shape.kind === 'states' ? readStates(fixed, sql, stored) : readRows(fixed, sql, stored)
}
