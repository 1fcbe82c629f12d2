import { call, type CallSql, infix, name, type SelectSql, type Sql } from '../../../sql/catalog/physical.ts'
import type { Result, Statement } from '../../../storage/storage.ts'
import { isFaithful, isPlain, type Row, sumOf } from './finish.ts'
import { createOccurrences, type Occurrences } from './occurrences.ts'
import type { Slice } from './slice.ts'
import type { StoredColumn } from '../shape.ts'
import type { TimeRange } from '../timeRange.ts'
import { all, number } from '../words.ts'

// Distinct values and sums over part of a period follow from the times of its events. The engine returns them once for a
// period, and then the service finishes every run that begins or ends in it.

/** Aggregates of a period's events by group. They can be computed for any time range in the period. */
export interface BoundaryPart {
  /** The group's values by its key. */
  readonly groups: ReadonlyMap<string, Row>
  /** Returns the part's aggregates, in the order of their places. `undefined`: the group has no event in the range. */
  over(key: string, range: TimeRange): readonly unknown[] | undefined
}

/** A statement for the events of a period. */
export interface BoundaryRead {
  /** Places of its aggregates among those of the run. */
  readonly places: readonly number[]
  /** Whether it counts distinct values. */
  readonly isDistinct: boolean
  /** `isNow`: whether the events that have arrived since the table was filled are included. */
  readonly statement: (window: TimeRange, isNow: boolean) => Statement
  /** `undefined`: another result than the engine's could follow. */
  readonly read: (result: Result, window: TimeRange) => BoundaryPart | undefined
}

/** The events of a period, and their groups. */
export interface BoundaryEvents {
  readonly groups: readonly StoredColumn[]
  readonly from: SelectSql['from']
  readonly where: Sql | undefined
  /** The time of an event, in ms since the epoch. */
  readonly at: Sql
}

const OFFSET = '__t'
const IS_COUNTED = '__f'
const ROWS = '__d'

/** Aggregates that return the number of distinct values, at least of few. */
const DISTINCT = /^(?:uniq|uniqExact|countDistinct)(?:If)?$/
// Up to this many values, `uniq` keeps all of their hashes. Beyond, it estimates, and an estimate may be exact by chance.
const MAX_EXACT_UNIQ = 65_536
export const isDistinct = ({ name: own, parameters, over }: CallSql): boolean =>
  DISTINCT.test(own) && !parameters?.length && !over

const keyOf = (values: Row): string => JSON.stringify(values)

/** Returns whether the leading values identify the groups of a result. */
const areKeys = ({ columns, rows }: Result, count: number): boolean =>
  columns.slice(0, count).every(isPlain) &&
  rows.every((row) => row.slice(0, count).every((each, at) => isFaithful(each, columns[at]!)))

/** Returns the select of the times at which each distinct value occurs, from the start of the period. */
export const timesOf = (of: CallSql, { groups, from, where, at }: BoundaryEvents, window: TimeRange): SelectSql => {
  const isIf = of.name.endsWith('If')
  const args = isIf ? of.args.slice(0, -1) : of.args
  const condition = isIf ? [call('ifNull', of.args.at(-1)!, number(0))] : []
  const columns = args.map((sql, place) => ({ value: sql, name: `__a${place}` }))
  const isCounted = all([
    ...args.map((each) => call('isNotNull', each)),
    ...condition.map((each) => infix(each, '!=', number(0))),
  ])!
  const counts = name(ROWS, IS_COUNTED)
  const times = name(ROWS, OFFSET)
  const values = [...columns.map((each) => name(ROWS, each.name)), counts]
  return {
    kind: 'select',
    items: [
      ...groups.map((each) => ({ value: name(ROWS, each.name), name: each.name })),
      { value: call('groupArrayIf', times, counts), name: 'counted' },
      { value: call('groupArrayArrayIf', times, call('not', counts)), name: 'others' },
      { value: { ...of, name: isIf ? of.name : `${of.name}If`, args: values }, name: 'whole' },
    ],
    from: {
      kind: 'named',
      name: ROWS,
      query: {
        kind: 'select',
        items: [
          ...groups.map((each) => ({ value: each.sql, name: each.name })),
          { value: isCounted, name: IS_COUNTED },
          ...columns,
          { value: call('groupArray', infix(at, '-', number(window.from))), name: OFFSET },
        ],
        from,
        where,
        groupBy: [...groups, { name: IS_COUNTED }, ...columns].map((each) => name(each.name)),
      },
    },
    groupBy: groups.map((each) => name(each.name)),
  }
}

/** Reads the times at which each distinct value occurs. `undefined`: the aggregate may be an estimate. */
export const readTimes = (
  { name: own }: CallSql,
  groupCount: number,
  result: Result,
  window: TimeRange,
): BoundaryPart | undefined => {
  if (!areKeys(result, groupCount)) return undefined
  const maxExact = /^uniq(?:If)?$/.test(own) ? MAX_EXACT_UNIQ : Infinity
  const groups = new Map<string, Row>()
  const occurrencesOf = new Map<string, Occurrences>()
  for (const row of result.rows) {
    const [counted, others, whole] = row.slice(groupCount) as [number[][], number[], number]
    // Aggregates of all these values are exact, and so are those of a subset.
    if (whole !== counted.length || counted.length > maxExact) return undefined
    const values = row.slice(0, groupCount)
    groups.set(keyOf(values), values)
    occurrencesOf.set(keyOf(values), createOccurrences(counted, others))
  }
  return {
    groups,
    over(key, range) {
      const distinct = occurrencesOf.get(key)?.distinct(range.from - window.from, range.to - window.from)
      return distinct === undefined ? undefined : [distinct]
    },
  }
}

/** Adds up the cells of one millisecond each. */
export const readSums = (slice: Slice): BoundaryPart => {
  const cells: number[][] = slice.groups.map(() => [])
  for (const [cell, group] of slice.groupAt.entries()) cells[group]!.push(cell)
  const cellsOf = new Map(slice.groups.map(({ key }, group) => [key, cells[group]!]))
  return {
    groups: new Map(slice.groups.map(({ key, values }) => [key, values])),
    over(key, { from, to }) {
      const isIn = (cell: number) => slice.from[cell]! >= from && slice.from[cell]! < to
      return sumOf((cellsOf.get(key) ?? []).filter(isIn).map((cell) => slice.values[cell]!))
    },
  }
}
