import { call, infix, type Sql } from '../../sql/catalog/physical.ts'
import type { TimeRange } from './timeRange.ts'
import { all, any, timestamp, toTimestamp } from './words.ts'

/** Events that are stored in one step, selected by their time of arrival and their own time. */
export interface Portion {
  /** UTC, `YYYY-MM-DD hh:mm:ss.mmm`. Absent: from the first event. */
  readonly since?: string | undefined
  /** Exclusive. */
  readonly until: string
  readonly within?: readonly TimeRange[] | undefined
  readonly without?: readonly TimeRange[] | undefined
}

export const isWithin = ({ from, to }: TimeRange, at: Sql): Sql =>
  all([
    from === -Infinity ? undefined : infix(at, '>=', toTimestamp(from)),
    to === Infinity ? undefined : infix(at, '<', toTimestamp(to)),
  ])!

const isWithinAny = (timeRanges: readonly TimeRange[], at: Sql): Sql =>
  any(timeRanges.map((each) => isWithin(each, at)))

export const isWithout = (timeRanges: readonly TimeRange[] | undefined, at: Sql): Sql | undefined =>
  timeRanges?.length ? call('not', isWithinAny(timeRanges, at)) : undefined

/** Returns the condition on events with the arrival `seen` and the timestamp `at`. */
export const isOfPortion = ({ since, until, within, without }: Portion, seen: Sql, at: Sql): Sql =>
  all([
    since === undefined ? undefined : infix(seen, '>=', timestamp(since)),
    infix(seen, '<', timestamp(until)),
    within && isWithinAny(within, at),
    isWithout(without, at),
  ])!
