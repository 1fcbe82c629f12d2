import { call, infix, name, type QuerySql, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { isOfLayers } from './layers.ts'
import { isWithinAny } from './portion.ts'
import { events, isAfter, isBefore, partsOf, SPAN, BUCKET, storedRows, test } from './rollup.ts'
import { isRangeOf, type Shape } from './shape.ts'
import type { TimeRange } from './timeRange.ts'
import { all, AT, number, type Stored, STORED, unionAll } from './words.ts'

/** Index of the run that a row is for. */
export const INDEX = '__run'

/** A time range of a run, and the length of the buckets that it is read from. 0: single events. */
interface Piece {
  readonly run: number
  readonly span: number
  readonly range: TimeRange
}

const numbers = (values: readonly number[]): Sql => ({ kind: 'parameter', type: 'Array(Int64)', value: values })

/** Repeats a row for each piece that contains it. */
const indexes = (pieces: readonly Piece[], span: Sql, at: Sql): Sql => {
  const test = all([infix(name('s'), '=', span), infix(name('f'), '<=', at), infix(at, '<', name('t'))])!
  return call(
    'arrayJoin',
    call(
      'arrayFilter',
      { kind: 'lambda', names: ['i', 's', 'f', 't'], body: test },
      numbers(pieces.map((each) => each.run)),
      numbers(pieces.map((each) => each.span)),
      numbers(pieces.map(({ range }) => range.from)),
      numbers(pieces.map(({ range }) => range.to)),
    ),
  )
}

const millis = (at: Sql): Sql => call('toUnixTimestamp64Milli', at)

/** Like `statesFor`, for the time ranges of several runs at once: each row has the index of its run. */
export const statesForRuns = (shape: Shape, stored: Stored, runs: readonly (readonly TimeRange[])[]): QuerySql => {
  const { columns, states, groups, runTerms, fixed, names } = shape
  const { source, keyOf } = names
  const others = runTerms.filter((term) => !isRangeOf(shape, term))
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)
  const ranges = runs.flatMap((own, run) => own.map((range) => ({ run, range, parts: partsOf(range) })))
  const wholes = ranges.map(({ run, range }): Piece => ({ run, span: 0, range }))
  const ends = ranges.flatMap(({ run, parts }) => parts.ends.map((range): Piece => ({ run, span: 0, range })))
  const buckets = ranges.flatMap(({ run, parts }) =>
    parts.stored.flatMap(({ span, timeRanges }) => timeRanges.map((range): Piece => ({ run, span, range }))),
  )
  const near = (pieces: readonly Piece[], at: Sql): Sql =>
    pieces.length > 0
      ? isWithinAny(
          pieces.map(({ range }) => range),
          at,
        )
      : { kind: 'boolean', value: false }

  const fromTable: SelectSql = {
    kind: 'select',
    items: [
      ...[...groups, ...states].map((each) => ({ value: name(STORED, each.name), name: each.name })),
      { value: indexes(buckets, name(STORED, SPAN), millis(name(STORED, BUCKET))), name: INDEX },
    ],
    from: storedRows(shape, stored),
    where: all([
      isOfLayers(stored),
      ...others.map((term) => test(term, storedName(term.column))),
      near(buckets, name(STORED, BUCKET)),
    ]),
  }
  const fromEvents = (pieces: readonly Piece[], seen: Sql): SelectSql => {
    const at = name(source, AT)
    return {
      kind: 'select',
      items: [
        ...[...groups, ...states].map((each) => ({ value: each.sql, name: each.name })),
        { value: indexes(pieces, number(0), millis(at)), name: INDEX },
      ],
      from: events(shape),
      where: all([...fixed, ...others.map((term) => test(term, term.column)), near(pieces, at), seen]),
      groupBy: [...groups, { name: INDEX }].map((each) => name(each.name)),
    }
  }
  return unionAll(fromTable, [
    ...(stored.isComplete ? [] : [fromEvents(wholes, isAfter(source, stored.watermark))]),
    ...(ends.length > 0 ? [fromEvents(ends, isBefore(source, stored.watermark))] : []),
  ])
}
