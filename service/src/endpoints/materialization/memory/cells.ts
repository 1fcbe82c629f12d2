import type { CallSql, SelectSql, Sql } from '../../../sql/catalog/physical.ts'
import type { Column, ReadLimits } from '../../../storage/storage.ts'
import { aggregateOf, isAdditive } from '../aggregates.ts'
import { type CellStatements, cellStatementsOf } from './cellStatements.ts'
import { joinedOf, joinsOnlyOwners } from '../eventRows.ts'
import type { Order, Row } from './finish.ts'
import type { SliceForm } from './slice.ts'
import { termsOf } from '../rollup.ts'
import type { Shape } from '../shape.ts'
import { type TimeRange, timeRangeOf } from '../timeRange.ts'
import { isClock, some } from '../tree.ts'
import type { Stored } from '../words.ts'

/**
 * A run that the service can finish by itself, from cells: the group's values, a time, and the group's aggregates.
 * Cells of the table never change, so runs share them.
 */
export interface CellRun extends CellStatements, SliceForm {
  readonly stored: Stored
  /** Identifies the cells: the table and the values of the conditions, except for the time range. */
  readonly key: string
  readonly range: TimeRange
  /** Whether the table has cells of hours. Otherwise all of its cells are in the range. */
  readonly isTimed: boolean
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
}

/** Minimum state of the data that reads see. NaN: it is changing. */
export interface Moment {
  /** Counts the changes of events. */
  readonly epoch: number
  /** Counts the changes of which ids are merged. */
  readonly owners: number
}

export interface CellOptions {
  readonly now: () => Promise<Moment>
  /** Whether no event has arrived since the table was filled. */
  readonly isComplete: boolean
  readonly limits: ReadLimits
  readonly signal: AbortSignal
}

/** Known state when cells are read. */
export type CellsAt = Omit<CellOptions, 'now'> & Moment

/** Groups with their aggregates, and the columns of both. */
export interface CellRows {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
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

const EVERYTHING: TimeRange = { from: -Infinity, to: Infinity }

const uniqueBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((each) => [keyOf(each), each])).values(),
]

/** Returns the cells of a run, or `undefined` if only the engine can finish it. */
export const cellRunOf = ({ shape, sql, stored, projectId, skip, count, now }: CellRequest): CellRun | undefined => {
  const { names, isBucketed, from } = shape
  const { keyOf, expand } = names
  const readsOwners = joinedOf(from).keys.length > 0
  if (shape.kind !== 'states' || shape.joinedTerms.length || (readsOwners && !joinsOnlyOwners(from))) return undefined
  if (sql.having || sql.limitBy || sql.arrayJoin || sql.isDistinct) return undefined
  const { ranges, others } = termsOf(shape, now)
  const range = ranges.length ? timeRangeOf(ranges) : EVERYTHING
  if (!range || others.some(({ bound }) => some(bound, isClock))) return undefined

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
    ...cellStatementsOf({ shape, stored, projectId, groups, calls, others, isAdditive: isSum, readsOwners }),
  }
}
