import { call, infix, name, type Sql, text } from '../../sql/catalog/physical.ts'
import { isWithin } from './portion.ts'
import type { RunTerm } from './rules/terms.ts'
import { DAY_MS, HOUR_MS, type TimeRange, timeRangeOf } from './timeRange.ts'
import { all, any, bucketOf, number } from './words.ts'

/** Rows of one source: either buckets, which have a length and a start, or events, which have the length 0 and a time. */
interface Part {
  /** `undefined`: all rows. */
  readonly where: (span: Sql, at: Sql) => Sql | undefined
  /** The index of the run that a row is for, which repeats a row for several runs. Absent: there is one run. */
  readonly run?: (span: Sql, at: Sql) => Sql
}

/** Where the parts of time ranges are read: full days, the full hours next to them, and the rest. */
export interface Split {
  /** Rows of the table. */
  readonly stored: Part
  /** Events that the table was filled from, and that none of these rows covers. Absent: there are none. */
  readonly ends?: Part | undefined
  /** Events that have arrived since. */
  readonly tail: Part
}

/** A time range of a run, and the length of the buckets that it is read from. 0: single events. */
interface Piece {
  readonly run: number
  readonly span: number
  readonly range: TimeRange
}

/** Returns the condition of a comparison on a column. */
export const test = ({ operator, bound, isColumnLeft }: RunTerm, column: Sql): Sql =>
  isColumnLeft ? infix(column, operator, bound) : infix(bound, operator, column)

const testAll = (terms: readonly RunTerm[], column: Sql): Sql => all(terms.map((term) => test(term, column)))!

/** Returns the range of whole buckets of length `ms` within a range. It may be empty. */
export const fullBuckets = ({ from, to }: TimeRange, ms: number): TimeRange => ({
  from: Math.ceil(from / ms) * ms,
  to: Math.floor(to / ms) * ms,
})
const isEmpty = ({ from, to }: TimeRange): boolean => from >= to

/** Returns the parts of `whole` before and after `inner`, or all of it if `inner` is empty. */
const around = (inner: TimeRange, whole: TimeRange): readonly TimeRange[] =>
  (isEmpty(inner)
    ? [whole]
    : [
        { from: whole.from, to: inner.from },
        { from: inner.to, to: whole.to },
      ]
  ).filter((each) => !isEmpty(each))

const piecesOf = (run: number, whole: TimeRange): readonly Piece[] => {
  const hours = fullBuckets(whole, HOUR_MS)
  const days = fullBuckets(whole, DAY_MS)
  const piece = (span: number) => (range: TimeRange) => ({ run, span, range })
  return [
    ...(isEmpty(days) ? [] : [days]).map(piece(DAY_MS)),
    ...(isEmpty(hours) ? [] : around(days, hours)).map(piece(HOUR_MS)),
    ...around(hours, whole).map(piece(0)),
  ]
}

const numbers = (values: readonly number[]): Sql => ({ kind: 'parameter', type: 'Array(Int64)', value: values })

/** Repeats a row for each piece that contains it. */
const runsOf = (pieces: readonly Piece[], span: Sql, at: Sql): Sql => {
  const instant = call('toUnixTimestamp64Milli', at)
  const isOfPiece = all([infix(name('s'), '=', span), infix(name('f'), '<=', instant), infix(instant, '<', name('t'))])!
  return call(
    'arrayJoin',
    call(
      'arrayFilter',
      { kind: 'lambda', names: ['i', 's', 'f', 't'], body: isOfPiece },
      numbers(pieces.map(({ run }) => run)),
      numbers(pieces.map((each) => each.span)),
      numbers(pieces.map(({ range }) => range.from)),
      numbers(pieces.map(({ range }) => range.to)),
    ),
  )
}

const partOf = (pieces: readonly Piece[], isAlone: boolean): Part => ({
  where: (span, at) =>
    pieces.length === 0
      ? { kind: 'boolean', value: false }
      : any(
          pieces.map((each) =>
            all([each.span > 0 ? infix(span, '=', number(each.span)) : undefined, isWithin(each.range, at)])!,
          ),
        ),
  ...(isAlone ? {} : { run: (span: Sql, at: Sql) => runsOf(pieces, span, at) }),
})

/** Splits the time ranges of runs. Those of one run do not overlap. */
export const splitRuns = (runs: readonly (readonly TimeRange[])[]): Split => {
  const pieces = runs.flatMap((ranges, run) => ranges.flatMap((range) => piecesOf(run, range)))
  const ends = pieces.filter(({ span }) => span === 0)
  const wholes = runs.flatMap((ranges, run) => ranges.map((range) => ({ run, span: 0, range })))
  const isAlone = runs.length === 1
  return {
    stored: partOf(
      pieces.filter(({ span }) => span > 0),
      isAlone,
    ),
    ends: ends.length > 0 ? partOf(ends, isAlone) : undefined,
    tail: partOf(wholes, isAlone),
  }
}

const isInFullHour = (ranges: readonly RunTerm[], hour: Sql): Sql =>
  all([testAll(ranges, hour), testAll(ranges, call('addMilliseconds', hour, number(HOUR_MS - 1)))])!

// Events outside whole hours are at most one hour from a bound. This condition lets the engine use its index.
const isNear = (ranges: readonly RunTerm[], at: Sql): Sql =>
  any(
    ranges.map(({ bound }) => {
      const time = call('toDateTime64', bound, number(3), text('UTC'))
      const hour = number(HOUR_MS)
      return infix(
        infix(at, '>=', call('addMilliseconds', time, call('negate', hour))),
        'AND',
        infix(at, '<=', call('addMilliseconds', time, hour)),
      )
    }),
  )

/** Splits a range whose bounds only the engine can compute, such as the start of a month. */
const splitByEngine = (ranges: readonly RunTerm[]): Split => ({
  stored: { where: (span, hour) => all([infix(span, '=', number(HOUR_MS)), isInFullHour(ranges, hour)]) },
  ends: {
    where: (_, at) =>
      all([testAll(ranges, at), isNear(ranges, at), call('not', isInFullHour(ranges, bucketOf(at, number(HOUR_MS))))]),
  },
  tail: { where: (_, at) => testAll(ranges, at) },
})

const EVERYTHING: Part = { where: () => undefined }

/** Splits the range of a run's terms. */
export const splitOf = (ranges: readonly RunTerm[]): Split => {
  if (ranges.length === 0) return { stored: EVERYTHING, tail: EVERYTHING }
  const range = timeRangeOf(ranges)
  return range ? splitRuns([[range]]) : splitByEngine(ranges)
}
