import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import type { Statement } from '../../storage/storage.ts'
import { aggregateOf, computedOf, isAdditive } from './aggregates.ts'
import { baseOf, joinedOf } from './eventRows.ts'
import type { Order } from './finish.ts'
import { BUCKET, events, isAfter, isBefore, isWithin, SPAN, statesFor, storedRows, termsOf, test } from './rollup.ts'
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
   * Whether all aggregates add up, so that a cell is an hour of a group. Otherwise a cell is a group, and the run's statement
   * computes those that are partly in the range.
   */
  readonly isAdditive: boolean
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
    /** Groups of the events in time ranges, for other aggregates. */
    readonly groups: (ranges: readonly TimeRange[]) => Statement
  }
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

/** Returns the cells of a run, or `undefined` if only the engine can finish it. */
export const cellRunOf = ({ shape, sql, stored, projectId, skip, count, now }: CellRequest): CellRun | undefined => {
  const { states, groups, fixed, names, isBucketed, columns, from } = shape
  const { source, keyOf, expand } = names
  const joined = joinedOf(from)
  if (shape.kind !== 'states' || joined.columns.size || joined.keys.length || baseOf(from).as !== from.name)
    return undefined
  if (sql.having || sql.limitBy || sql.arrayJoin || sql.isDistinct || !sql.groupBy?.length) return undefined
  const { ranges, others } = termsOf(shape, now)
  const range = ranges.length ? timeRangeOf(ranges) : EVERYTHING
  if (!range || others.some(({ bound }) => hasClock(bound))) return undefined

  // A cell has the groups, then the aggregates.
  const places = new Map([
    ...groups.map((each, at) => [keyOf(each.sql), at] as const),
    ...states.map((each, at) => [keyOf(each.call), groups.length + at] as const),
  ])
  const placeOf = (of: Sql): number | undefined => {
    const found = expand(of)
    const isAggregate = found.kind === 'call' && !found.over && aggregateOf(found.name) !== undefined
    const at = places.get(keyOf(found))
    return at === undefined || isAggregate !== at >= groups.length ? undefined : at
  }
  const items = sql.items.map(({ value, name: own }) => ({ name: own, at: placeOf(value) }))
  const order = (sql.orderBy ?? []).map(({ by, isDescending, nulls }) => ({ at: placeOf(by), isDescending, nulls }))
  if ([...items, ...order].some(({ at }) => at === undefined)) return undefined
  if (
    others.length + ranges.length !== shape.runTerms.length ||
    sql.groupBy.some((each) => placeOf(each) === undefined)
  )
    return undefined

  const isSum = states.every((each) => isAdditive(each.call))
  const own = (each: { readonly name: string }) => ({ value: name(STORED, each.name), name: each.name })
  const merged = states.map((each) => ({
    value: computedOf(each.call, () => false).over([], name(STORED, each.name)),
    name: each.name,
  }))
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)
  const bucket = isBucketed ? millis(name(STORED, BUCKET)) : number(0)
  const at = millis(name(source, AT))
  const times = (time: Sql): SelectSql['items'] =>
    isSum
      ? [{ value: time, name: '__t' }]
      : [
          { value: call('min', time), name: '__t' },
          { value: call('max', time), name: '__u' },
        ]
  const groupBy = (alone: readonly { readonly name: string }[]) => [
    ...alone.map((each) => name(each.name)),
    ...(isSum ? [name('__t')] : []),
  ]
  const printed = (select: SelectSql): Statement => print(select, projectId)
  const fromEvents = (terms: readonly (Sql | undefined)[]): SelectSql => ({
    kind: 'select',
    items: [
      ...groups.map((each) => ({ value: each.sql, name: each.name })),
      ...times(at),
      ...(isSum ? states.map((each) => ({ value: each.sql, name: each.name })) : []),
    ],
    from: events(shape),
    where: all([...fixed, ...others.map((term) => test(term, term.column)), ...terms]),
    groupBy: groupBy(groups),
  })
  return {
    stored,
    key: JSON.stringify([stored.table, isSum, others.map(({ operator, bound }) => [operator, bound])]),
    range,
    isTimed: isBucketed,
    groupCount: groups.length,
    isAdditive: isSum,
    columns: items as CellRun['columns'],
    order: order as readonly Order[],
    skip,
    count,
    statements: {
      table: () =>
        printed({
          kind: 'select',
          items: [...groups.map(own), ...times(bucket), ...merged],
          from: storedRows(shape, stored),
          where: all([
            ...others.map((term) => test(term, storedName(term.column))),
            isBucketed ? infix(name(STORED, SPAN), '=', number(HOUR_MS)) : undefined,
          ]),
          groupBy: groupBy(groups),
        }),
      arrived: () => printed(fromEvents([isAfter(source, stored.watermark)])),
      hour: (start) =>
        printed(
          fromEvents([
            isBefore(source, stored.watermark),
            isWithin({ from: start, to: start + HOUR_MS }, name(source, AT)),
          ]),
        ),
      groups: (within) =>
        printed({
          kind: 'select',
          items: [...groups, ...merged].map((each, place) => ({
            value: place < groups.length ? name(STORED, each.name) : (each as (typeof merged)[number]).value,
            name: each.name,
          })),
          from: { kind: 'named', name: STORED, query: statesFor(shape, stored, within) },
          groupBy: groups.map((each) => name(each.name)),
        }),
    },
  }
}
