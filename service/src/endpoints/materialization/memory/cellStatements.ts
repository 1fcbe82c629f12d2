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
import { type BoundaryEvents, type BoundaryRead, isDistinct, readSums, readTimes, timesOf } from './boundary.ts'
import { sliceOf } from './slice.ts'
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

/** Statements whose results the service needs to finish a run. */
export interface CellStatements {
  readonly statements: {
    /** Cells of the table. */
    readonly table: () => Statement
    /** Cells of the events that have arrived since the table was filled. If aggregates do not add up, only their number. */
    readonly arrived: () => Statement
    /** Cells of single milliseconds of the events that the table was filled from, for aggregates that add up. */
    readonly sums: (window: TimeRange) => Statement
    /** Groups of the events in time ranges, for other aggregates. With several runs, each row begins with the index of its run. */
    readonly groups: (runs: readonly (readonly TimeRange[])[]) => Statement
    /** Keys of the groups in the table that have events of these ids. */
    readonly groupsOf: (ids: readonly string[]) => Statement
    /** Groups in time ranges, of the events that the table was filled from. */
    readonly settled: (ranges: readonly TimeRange[]) => Statement
  }
  /** Reads of a period's events that cover any range in it. Empty: some aggregates cannot be computed like this. */
  readonly boundary: readonly BoundaryRead[]
}

/** Inputs that determine the statements of a run. */
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

const FROM = '__t'
const millis = (at: Sql): Sql => call('toUnixTimestamp64Milli', at)

/** Returns the select of the sums of each millisecond. */
const sumsOf = (calls: readonly CallSql[], { groups, from, where, at }: BoundaryEvents): SelectSql => ({
  kind: 'select',
  items: [
    ...groups.map((each) => ({ value: each.sql, name: each.name })),
    { value: at, name: FROM },
    ...calls.map((each, place) => ({ value: each, name: `__v${place}` })),
  ],
  from,
  where,
  groupBy: [...groups.map((each) => name(each.name)), name(FROM)],
})

/** Returns how a period's events are read. Empty: some aggregates cannot be computed from single events. */
const boundaryOf = (
  calls: readonly CallSql[],
  groupCount: number,
  statement: (select: (events: BoundaryEvents, window: TimeRange) => SelectSql) => BoundaryRead['statement'],
): readonly BoundaryRead[] => {
  const placed = calls.map((of, place) => ({ place, of }))
  const distinct = placed.filter(({ of }) => isDistinct(of))
  const sums = placed.filter(({ of }) => isAdditive(of))
  if (distinct.length === 0 || distinct.length + sums.length < calls.length) return []
  const ofTimes = ({ place, of }: (typeof placed)[number]): BoundaryRead => ({
    places: [place],
    isDistinct: true,
    statement: statement((events, window) => timesOf(of, events, window)),
    read: (result, window) => readTimes(of, groupCount, result, window),
  })
  const ofSums: BoundaryRead = {
    places: sums.map(({ place }) => place),
    isDistinct: false,
    statement: statement((events) =>
      sumsOf(
        sums.map(({ of }) => of),
        events,
      ),
    ),
    read(result) {
      const slice = sliceOf(result, { groupCount, isAdditive: true })
      return slice && readSums(slice)
    },
  }
  return [...distinct.map(ofTimes), ...(sums.length > 0 ? [ofSums] : [])]
}

/** Returns what is read to finish a run. Each statement is compiled when it is needed. */
export const cellStatementsOf = (parts: CellParts): CellStatements => {
  const { shape, stored, projectId, groups, calls, others, readsOwners, isAdditive: isSum } = parts
  const { fixed, names, isBucketed, columns, from } = shape
  const { source, keyOf } = names
  const read = readerOf(shape)
  const printed = (select: SelectSql): Statement => print(select, projectId)
  const stateNames = [...shape.groups, ...shape.states].map((each) => each.name)
  const groupNames = groups.map((each) => name(each.name))
  const at = millis(name(source, AT))
  const extent = (time: Sql): SelectSql['items'] => [
    { value: call('min', time), name: FROM },
    { value: call('max', time), name: '__u' },
  ]
  // Without groups, an aggregate over no rows is a row.
  const having = infix(call('count'), '>', number(0))

  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)
  const ofTable = [
    isOfLayers(stored),
    ...others.map((term) => test(term, storedName(term.column))),
    isBucketed ? infix(name(STORED, SPAN), '=', number(HOUR_MS)) : undefined,
  ]
  const eventsWhere = (...terms: readonly (Sql | undefined)[]): BoundaryEvents => ({
    groups,
    from: readsOwners ? joinedEvents(shape) : events(shape),
    where: all([...fixed, ...others.map((term) => test(term, term.column)), ...terms]),
    at,
  })
  const within = (window: TimeRange, isNow: boolean) =>
    eventsWhere(isWithin(window, name(source, AT)), isNow ? undefined : isBefore(source, stored.watermark))

  /** The finished aggregates of rows of the table. `keys`: what they are grouped by, beside the groups. */
  const fromStates = (
    rows: QuerySql,
    rowNames: readonly string[],
    {
      run = [],
      times = [],
      keys = [],
    }: { run?: SelectSql['items']; times?: SelectSql['items']; keys?: readonly Sql[] } = {},
  ): SelectSql => ({
    kind: 'select',
    items: [
      ...run,
      ...groups.map((each) => ({ value: read(each.sql), name: each.name })),
      ...times,
      ...calls.map((each, place) => ({ value: read(each), name: `__v${place}` })),
    ],
    from: withBase(from, rows, rowNames),
    groupBy: [...run.map((each) => name(each.name)), ...groupNames, ...keys],
    having,
  })
  return {
    statements: {
      table: () => {
        const bucket = name(source, BUCKET)
        const rows: SelectSql = {
          kind: 'select',
          items: [
            ...stateNames.map((each) => ({ value: name(STORED, each), name: each })),
            { value: isBucketed ? millis(name(STORED, BUCKET)) : number(0), name: BUCKET },
          ],
          from: storedRows(shape, stored),
          where: all(ofTable),
        }
        return printed(
          fromStates(
            rows,
            [...stateNames, BUCKET],
            isSum ? { times: [{ value: bucket, name: FROM }], keys: [name(FROM)] } : { times: extent(bucket) },
          ),
        )
      },
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
          groupBy: groupNames,
        }),
      settled: (ranges) =>
        printed(fromStates(statesFor(shape, { ...stored, isComplete: true }, splitRuns([ranges])), stateNames)),
      arrived: () => {
        const arrived = eventsWhere(isAfter(source, stored.watermark))
        if (isSum) return printed(sumsOf(calls, arrived))
        return printed({
          kind: 'select',
          items: [
            ...groups.map((each) => ({ value: each.sql, name: each.name })),
            ...extent(at),
            { value: call('count'), name: '__v0' },
          ],
          from: events(shape),
          where: arrived.where,
          groupBy: groupNames,
          having,
        })
      },
      sums: (window) => printed(sumsOf(calls, within(window, false))),
      groups: (runs) => {
        const states = statesFor(shape, stored, splitRuns(runs))
        return printed(
          runs.length === 1
            ? fromStates(states, stateNames)
            : fromStates(states, [...stateNames, INDEX], { run: [{ value: name(source, INDEX), name: INDEX }] }),
        )
      },
    },
    boundary: boundaryOf(
      calls,
      groups.length,
      (select) => (window, isNow) => printed(select(within(window, isNow), window)),
    ),
  }
}
