import { call, type CallSql, infix, name, type SelectSql, type Sql } from '../../../sql/catalog/physical.ts'
import type { Result } from '../../../storage/storage.ts'
import { add, isFaithful, isInteger, isPlain, type Row } from './finish.ts'
import { createOccurrences, type Occurrences } from './occurrences.ts'
import type { StoredColumn } from '../shape.ts'
import type { TimeRange } from '../timeRange.ts'
import { all, number } from '../words.ts'

// Distinct values and sums over part of a period follow from the times of its events. The engine returns them once for a
// period, and then the service finishes every run that begins or ends in it.

/** What a run needs of the events of a period: for each group, its aggregates over any time range in it. */
export interface BoundaryPart {
  /** The group's values by its key. */
  readonly groups: ReadonlyMap<string, Row>
  /** Returns the part's aggregates, in the order of their calls. `undefined`: the group has no event in the range. */
  over(key: string, range: TimeRange): readonly unknown[] | undefined
}

/** A statement for the events of a period. */
export interface BoundaryRead {
  /** Places of its aggregates among those of the run. */
  readonly places: readonly number[]
  /** Whether it counts distinct values. */
  readonly isDistinct: boolean
  readonly select: (window: TimeRange, more: readonly (Sql | undefined)[]) => SelectSql
  /** `undefined`: another result than the engine's could follow. */
  readonly read: (result: Result, window: TimeRange) => BoundaryPart | undefined
}

/** What the statements of a run have in common. */
export interface BoundarySource {
  readonly from: SelectSql['from']
  /** Conditions of every run with the same values. */
  readonly conditions: readonly Sql[]
  readonly groups: readonly StoredColumn[]
  /** The time of an event, in ms since the epoch. */
  readonly at: Sql
  readonly isWithin: (window: TimeRange) => Sql
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

const offsetOf = ({ at }: BoundarySource, { from }: TimeRange): Sql => infix(at, '-', number(from))

const keyOf = (values: Row): string => JSON.stringify(values)

/** Returns whether the leading values identify the groups of a result. */
const areKeys = ({ columns, rows }: Result, count: number): boolean =>
  columns.slice(0, count).every(isPlain) &&
  rows.every((row) => row.slice(0, count).every((each, at) => isFaithful(each, columns[at]!)))

/** Reads the times at which each distinct value occurs. */
export const distinctRead = (source: BoundarySource, place: number, of: CallSql): BoundaryRead => {
  const { groups, from, conditions, isWithin } = source
  const isIf = of.name.endsWith('If')
  const args = isIf ? of.args.slice(0, -1) : of.args
  const condition = isIf ? [call('ifNull', of.args.at(-1)!, number(0))] : []
  const columns = args.map((sql, at) => ({ value: sql, name: `__a${at}` }))
  const isCounted = all([
    ...args.map((each) => call('isNotNull', each)),
    ...condition.map((each) => infix(each, '!=', number(0))),
  ])!
  const counts = name(ROWS, IS_COUNTED)
  const times = name(ROWS, OFFSET)
  const maxExact = /^uniq(?:If)?$/.test(of.name) ? MAX_EXACT_UNIQ : Infinity
  return {
    places: [place],
    isDistinct: true,
    select: (window, more) => ({
      kind: 'select',
      items: [
        ...groups.map((each) => ({ value: name(ROWS, each.name), name: each.name })),
        { value: call('groupArrayIf', times, counts), name: 'counted' },
        { value: call('groupArrayArrayIf', times, call('not', counts)), name: 'others' },
        {
          value: {
            ...of,
            name: isIf ? of.name : `${of.name}If`,
            args: [...columns.map((each) => name(ROWS, each.name)), counts],
          },
          name: 'whole',
        },
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
            { value: call('groupArray', offsetOf(source, window)), name: OFFSET },
          ],
          from,
          where: all([...conditions, isWithin(window), ...more]),
          groupBy: [...groups, { name: IS_COUNTED }, ...columns].map((each) => name(each.name)),
        },
      },
      groupBy: groups.map((each) => name(each.name)),
    }),
    read(result, window) {
      const count = groups.length
      if (!areKeys(result, count)) return undefined
      const found = new Map<string, Row>()
      const occurrencesOf = new Map<string, Occurrences>()
      for (const row of result.rows) {
        const [counted, others, whole] = row.slice(count) as [number[][], number[], number]
        // The aggregate is exact over all of these values. So it is over some of them.
        if (whole !== counted.length || counted.length > maxExact) return undefined
        const values = row.slice(0, count)
        found.set(keyOf(values), values)
        occurrencesOf.set(keyOf(values), createOccurrences(counted, others))
      }
      return {
        groups: found,
        over(key, range) {
          const distinct = occurrencesOf.get(key)?.distinct(range.from - window.from, range.to - window.from)
          return distinct === undefined ? undefined : [distinct]
        },
      }
    },
  }
}

/** Reads the sums of each millisecond. */
export const sumsRead = (
  source: BoundarySource,
  sums: readonly { readonly place: number; readonly call: CallSql }[],
): BoundaryRead => {
  const { groups, from, conditions, isWithin } = source
  const columns = sums.map((each, at) => ({ value: each.call, name: `__a${at}` }))
  return {
    places: sums.map(({ place }) => place),
    isDistinct: false,
    select: (window, more) => ({
      kind: 'select',
      items: [
        ...groups.map((each) => ({ value: each.sql, name: each.name })),
        { value: offsetOf(source, window), name: OFFSET },
        ...columns,
      ],
      from,
      where: all([...conditions, isWithin(window), ...more]),
      groupBy: [...groups.map((each) => name(each.name)), name(OFFSET)],
    }),
    read(result, window) {
      const first = groups.length + 1
      const isExact =
        areKeys(result, groups.length) &&
        result.columns.slice(first).every(isInteger) &&
        result.rows.every((row) => row.every((each, at) => at < first || isFaithful(each, result.columns[at]!)))
      if (!isExact) return undefined
      const found = new Map<string, Row>()
      const rowsOf = new Map<string, { readonly at: number; readonly sums: Row }[]>()
      for (const row of result.rows) {
        const values = row.slice(0, groups.length)
        const key = keyOf(values)
        if (!found.has(key)) {
          found.set(key, values)
          rowsOf.set(key, [])
        }
        rowsOf.get(key)!.push({ at: row[groups.length] as number, sums: row.slice(first) })
      }
      return {
        groups: found,
        over(key, range) {
          let total: unknown[] | undefined
          for (const { at, sums: own } of rowsOf.get(key) ?? []) {
            if (at < range.from - window.from || at >= range.to - window.from) continue
            total = total ? total.map((each, place) => add(each, own[place])) : [...own]
          }
          return total
        },
      }
    },
  }
}
