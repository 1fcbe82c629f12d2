import { call, type CallSql, infix, name, type QuerySql, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import type { Statement } from '../../storage/storage.ts'
import { aggregateOf, isAdditive } from './aggregates.ts'
import { INDEX, statesForRuns } from './batchedStates.ts'
import { type BoundaryRead, type BoundarySource, distinctRead, isDistinct, sumsRead } from './boundary.ts'
import { joinedOf, joinsOnlyOwners, withBase } from './eventRows.ts'
import type { Order } from './finish.ts'
import { isOfLayers } from './layers.ts'
import { isWithin } from './portion.ts'
import {
  BUCKET,
  events,
  isAfter,
  isBefore,
  joinedEvents,
  readerOf,
  SPAN,
  statesFor,
  storedRows,
  termsOf,
  test,
} from './rollup.ts'
import { HOUR_MS, type Shape } from './shape.ts'
import { type TimeRange, timeRangeOf } from './timeRange.ts'
import { childrenOf } from './tree.ts'
import { all, AT, number, type Stored, STORED } from './words.ts'

/**
 * A run that the service can finish by itself, from cells: the group's values, a time, and the group's aggregates.
 * Cells of the table never change, so runs share them.
 */
export interface CellRun {
  readonly stored: Stored
  /** Identifies the cells: the table and the values of the conditions, except for the time range. */
  readonly key: string
  readonly range: TimeRange
  /** Whether the table has cells of hours. Otherwise all of its cells are in the range. */
  readonly isTimed: boolean
  /** Number of leading values of a cell that identify its group. */
  readonly groupCount: number
  /**
   * Whether all aggregates add up, so that a cell is an hour of a group. Otherwise a cell is a group, and those that are partly
   * in the range are computed from `boundary` or by the run's statement.
   */
  readonly isAdditive: boolean
  /** Whether the cells depend on which ids are merged into one person. */
  readonly readsOwners: boolean
  readonly projectId: number
  /** Index in the cell, without its time, of each column of the result. */
  readonly columns: readonly { readonly name: string; readonly at: number }[]
  readonly order: readonly Order[]
  readonly skip: number
  readonly count: number
  readonly statements: {
    /** Cells of the table. */
    readonly table: () => Statement
    /** Cells of the events that have arrived since the table was filled. */
    readonly arrived: () => Statement
    /** Cells of single milliseconds of an hour, for aggregates that add up. */
    readonly hour: (from: number) => Statement
    /** Groups of the events in time ranges, for other aggregates. With several runs, each row begins with the index of its run. */
    readonly groups: (runs: readonly (readonly TimeRange[])[]) => Statement
    /** Keys of the groups in the table that have events of these ids. */
    readonly groupsOf: (ids: readonly string[]) => Statement
    /** Groups in time ranges, of the events that the table was filled from. */
    readonly settled: (ranges: readonly TimeRange[]) => Statement
  }
  /** What a period's events give for any range in it. Empty: some aggregates cannot be computed like this. */
  readonly boundary: readonly {
    readonly places: BoundaryRead['places']
    readonly isDistinct: BoundaryRead['isDistinct']
    readonly read: BoundaryRead['read']
    /** `isNow`: whether the events that have arrived since the table was filled are included. */
    readonly statement: (window: TimeRange, isNow: boolean) => Statement
  }[]
}

export interface CellRequest {
  readonly shape: Shape
  /** The select, without an enclosing query. */
  readonly sql: SelectSql
  readonly stored: Stored
  readonly projectId: number
  readonly skip: number
  readonly count: number
  readonly now: Date
}

const hasClock = (sql: Sql): boolean => (sql.kind === 'call' && sql.name === 'now64') || childrenOf(sql).some(hasClock)

const millis = (at: Sql): Sql => call('toUnixTimestamp64Milli', at)
const EVERYTHING: TimeRange = { from: -Infinity, to: Infinity }

const uniqueBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((each) => [keyOf(each), each])).values(),
]

const boundaryOf = (source: BoundarySource, calls: readonly CallSql[]): readonly BoundaryRead[] => {
  const placed = calls.map((each, place) => ({ place, call: each }))
  const distinct = placed.filter((each) => isDistinct(each.call))
  const sums = placed.filter((each) => isAdditive(each.call))
  if (distinct.length === 0 || distinct.length + sums.length < calls.length) return []
  return [
    ...distinct.map((each) => distinctRead(source, each.place, each.call)),
    ...(sums.length > 0 ? [sumsRead(source, sums)] : []),
  ]
}

/** Returns the cells of a run, or `undefined` if only the engine can finish it. */
export const cellRunOf = ({ shape, sql, stored, projectId, skip, count, now }: CellRequest): CellRun | undefined => {
  const { fixed, names, isBucketed, columns, from } = shape
  const { source, keyOf, expand } = names
  const readsOwners = joinedOf(from).keys.length > 0
  if (shape.kind !== 'states' || shape.joinedTerms.length || (readsOwners && !joinsOnlyOwners(from))) return undefined
  if (sql.having || sql.limitBy || sql.arrayJoin || sql.isDistinct) return undefined
  const { ranges, others } = termsOf(shape, now)
  const range = ranges.length ? timeRangeOf(ranges) : EVERYTHING
  if (!range || others.some(({ bound }) => hasClock(bound))) return undefined

  // A cell has the groups, then the aggregates.
  const isAggregate = (of: Sql): of is CallSql => of.kind === 'call' && !of.over && aggregateOf(of.name) !== undefined
  const keys = uniqueBy((sql.groupBy ?? []).map(expand), keyOf)
  const groups = keys.flatMap((key) => shape.groups.find((each) => keyOf(each.sql) === keyOf(key)) ?? [])
  if (groups.length < keys.length) return undefined
  const calls = uniqueBy(
    [...sql.items.map(({ value }) => value), ...(sql.orderBy ?? []).map(({ by }) => by)]
      .map(expand)
      .filter(isAggregate),
    keyOf,
  )
  const places = new Map([...groups.map((each) => each.sql), ...calls].map((each, at) => [keyOf(each), at] as const))
  const placeOf = (of: Sql): number | undefined => {
    const found = expand(of)
    const at = places.get(keyOf(found))
    return at === undefined || isAggregate(found) !== at >= groups.length ? undefined : at
  }
  const items = sql.items.map(({ value, name: own }) => ({ name: own, at: placeOf(value) }))
  const order = (sql.orderBy ?? []).map(({ by, isDescending, nulls }) => ({ at: placeOf(by), isDescending, nulls }))
  if ([...items, ...order].some(({ at }) => at === undefined)) return undefined
  if (
    others.length + ranges.length !== shape.runTerms.length ||
    (sql.groupBy ?? []).some((each) => placeOf(each) === undefined)
  )
    return undefined

  const isSum = !readsOwners && calls.every(isAdditive)
  const read = readerOf(shape)
  const stateNames = [...shape.groups, ...shape.states].map((each) => each.name)
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)
  const at = millis(name(source, AT))
  const times = (time: Sql): SelectSql['items'] =>
    isSum
      ? [{ value: time, name: '__t' }]
      : [
          { value: call('min', time), name: '__t' },
          { value: call('max', time), name: '__u' },
        ]
  const groupBy = [...groups.map((each) => name(each.name)), ...(isSum ? [name('__t')] : [])]
  // Without groups, an aggregate over no rows is a row.
  const having = infix(call('count'), '>', number(0))
  const ofTable = [
    isOfLayers(stored),
    ...others.map((term) => test(term, storedName(term.column))),
    isBucketed ? infix(name(STORED, SPAN), '=', number(HOUR_MS)) : undefined,
  ]
  const printed = (select: SelectSql): Statement => print(select, projectId)
  const conditions = [...fixed, ...others.map((term) => test(term, term.column))]
  const finished = calls.map((each, place) => ({ value: read(each), name: `__v${place}` }))
  /** The finished aggregates of rows of the table. */
  const fromStates = (
    rows: QuerySql,
    names: readonly string[],
    { key, more = [] }: { key?: Sql; more?: SelectSql['items'] } = {},
  ): SelectSql => ({
    kind: 'select',
    items: [
      ...(key ? [{ value: key, name: INDEX }] : []),
      ...groups.map((each) => ({ value: read(each.sql), name: each.name })),
      ...more,
      ...finished,
    ],
    from: withBase(from, rows, names),
    groupBy: [...(key ? [name(INDEX)] : []), ...groupBy],
    having,
  })
  const fromEvents = (terms: readonly (Sql | undefined)[]): SelectSql => ({
    kind: 'select',
    items: [
      ...groups.map((each) => ({ value: each.sql, name: each.name })),
      ...times(at),
      ...(isSum ? calls.map((each, place) => ({ value: each, name: `__v${place}` })) : []),
    ],
    from: events(shape),
    where: all([...conditions, ...terms]),
    groupBy,
    having,
  })
  const boundarySource: BoundarySource = {
    from: readsOwners ? joinedEvents(shape) : events(shape),
    conditions,
    groups,
    at,
    isWithin: (window) => isWithin(window, name(source, AT)),
  }
  return {
    stored,
    key: JSON.stringify([
      stored.table,
      stored.layers.map(({ id }) => id),
      groups.map((each) => each.name),
      calls.map(keyOf),
      others.map(({ operator, bound }) => [operator, bound]),
    ]),
    range,
    isTimed: isBucketed,
    groupCount: groups.length,
    isAdditive: isSum,
    readsOwners,
    projectId,
    columns: items as CellRun['columns'],
    order: order as readonly Order[],
    skip,
    count,
    statements: {
      table: () =>
        printed(
          fromStates(
            {
              kind: 'select',
              items: [
                ...stateNames.map((each) => ({ value: name(STORED, each), name: each })),
                { value: isBucketed ? millis(name(STORED, BUCKET)) : number(0), name: BUCKET },
              ],
              from: storedRows(shape, stored),
              where: all(ofTable),
            },
            [...stateNames, BUCKET],
            { more: times(name(source, BUCKET)) },
          ),
        ),
      groupsOf: (ids) =>
        printed({
          kind: 'select',
          items: groups.map((each) => ({ value: name(STORED, each.name), name: each.name })),
          from: storedRows(shape, stored),
          where: all([
            ...ofTable,
            {
              kind: 'in',
              isNot: false,
              left: name(STORED, 'distinct_id'),
              right: { kind: 'parameter', type: 'Array(String)', value: ids },
            },
          ]),
          groupBy,
        }),
      settled: (within) => printed(fromStates(statesFor(shape, { ...stored, isComplete: true }, within), stateNames)),
      arrived: () => printed(fromEvents([isAfter(source, stored.watermark)])),
      hour: (start) =>
        printed(
          fromEvents([
            isBefore(source, stored.watermark),
            isWithin({ from: start, to: start + HOUR_MS }, name(source, AT)),
          ]),
        ),
      groups: ([first = [], ...more]) =>
        printed(
          more.length === 0
            ? fromStates(statesFor(shape, stored, first), stateNames)
            : fromStates(statesForRuns(shape, stored, [first, ...more]), [...stateNames, INDEX], {
                key: name(source, INDEX),
              }),
        ),
    },
    boundary: boundaryOf(boundarySource, calls).map(({ select, ...rest }) => ({
      ...rest,
      statement: (window, isNow) => printed(select(window, [isNow ? undefined : isBefore(source, stored.watermark)])),
    })),
  }
}
