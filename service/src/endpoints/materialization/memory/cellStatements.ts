import {
  call,
  type CallSql,
  infix,
  name,
  type QuerySql,
  type SelectSql,
  type Sql,
} from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import type { Statement } from '../../../storage/storage.ts'
import { isAdditive } from '../aggregates.ts'
import { type BoundaryRead, type BoundarySource, distinctRead, isDistinct, sumsRead } from './boundary.ts'
import { withBase } from '../eventRows.ts'
import { isOfLayers } from '../layers.ts'
import { isWithin } from '../portion.ts'
import {
  BUCKET,
  events,
  INDEX,
  isAfter,
  isBefore,
  joinedEvents,
  readerOf,
  SPAN,
  statesFor,
  storedRows,
} from '../rollup.ts'
import type { Shape, StoredColumn } from '../shape.ts'
import { splitRuns, test } from '../split.ts'
import type { RunTerm } from '../rules/terms.ts'
import { HOUR_MS, type TimeRange } from '../timeRange.ts'
import { all, AT, number, type Stored, STORED } from '../words.ts'

/** What the service reads to finish a run. */
export interface CellStatements {
  readonly statements: {
    /** Cells of the table. */
    readonly table: () => Statement
    /** Cells of the events that have arrived since the table was filled. If aggregates do not add up, only their number. */
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

/** What determines the statements of a run. */
export interface CellParts {
  readonly shape: Shape
  readonly stored: Stored
  readonly projectId: number
  readonly groups: readonly StoredColumn[]
  readonly calls: readonly CallSql[]
  /** The run's conditions, apart from its time range. */
  readonly others: readonly RunTerm[]
  readonly isAdditive: boolean
  readonly readsOwners: boolean
}

const millis = (at: Sql): Sql => call('toUnixTimestamp64Milli', at)

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

/** The selects that have the groups of a run. */
const selectsOf = ({ shape, stored, groups, calls, others, isAdditive: isSum }: CellParts) => {
  const { fixed, names, isBucketed, columns, from } = shape
  const { source, keyOf } = names
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
      ...(isSum ? calls : [call('count')]).map((each, place) => ({ value: each, name: `__v${place}` })),
    ],
    from: events(shape),
    where: all([...conditions, ...terms]),
    groupBy,
    having,
  })
  return { fromStates, fromEvents, stateNames, ofTable, conditions, times, at, groupBy }
}

export const statementsOf = (parts: CellParts): CellStatements => {
  const { shape, stored, projectId, groups, calls, readsOwners } = parts
  const { isBucketed } = shape
  const { source } = shape.names
  const { fromStates, fromEvents, stateNames, ofTable, conditions, times, at, groupBy } = selectsOf(parts)
  const printed = (select: SelectSql): Statement => print(select, projectId)
  const boundarySource: BoundarySource = {
    from: readsOwners ? joinedEvents(shape) : events(shape),
    conditions,
    groups,
    at,
    isWithin: (window) => isWithin(window, name(source, AT)),
  }
  return {
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
      settled: (within) =>
        printed(fromStates(statesFor(shape, { ...stored, isComplete: true }, splitRuns([within])), stateNames)),
      arrived: () => printed(fromEvents([isAfter(source, stored.watermark)])),
      hour: (start) =>
        printed(
          fromEvents([
            isBefore(source, stored.watermark),
            isWithin({ from: start, to: start + HOUR_MS }, name(source, AT)),
          ]),
        ),
      groups: (runs) => {
        const states = statesFor(shape, stored, splitRuns(runs))
        return printed(
          runs.length === 1
            ? fromStates(states, stateNames)
            : fromStates(states, [...stateNames, INDEX], { key: name(source, INDEX) }),
        )
      },
    },
    boundary: boundaryOf(boundarySource, calls).map(({ select, ...rest }) => ({
      ...rest,
      statement: (window, isNow) => printed(select(window, [isNow ? undefined : isBefore(source, stored.watermark)])),
    })),
  }
}
