import type { Zone } from '../endpoints/insights/zone.ts'
import { type DateRange, type Days, daysOf, moveDays } from '../endpoints/tokens/days.ts'
import type { ShareDates } from './definition.ts'

/** Days that a share covers at a given time. */
export interface ShareDays {
  readonly initial: Days
  readonly limits: Days
  /** Whether readers may choose other days. */
  readonly isMovable: boolean
}

const NAMES = { from: 'from', to: 'to' }

const limitsOf = ({ from, to, min, max }: ShareDates): DateRange => {
  const last = max ?? to
  return { from: min ?? from, ...(last === undefined ? {} : { to: last }) }
}

const within = (day: string, { from, to }: Days): string => (day < from ? from : day > to ? to : day)

/** Returns the days of a share. `undefined`: its range has no day now. */
export const shareDays = (dates: ShareDates, zone: Zone, now: number): ShareDays | undefined => {
  const limits = daysOf(limitsOf(dates), zone, now)
  const initial = daysOf(dates, zone, now)
  if (!limits || !initial) return undefined
  return {
    limits,
    // Relative ends can pass a fixed one.
    initial: { from: within(initial.from, limits), to: within(initial.to, limits) },
    isMovable: dates.min !== undefined || dates.max !== undefined,
  }
}

/** Returns the days that a reader chose. `undefined`: the share does not allow them. */
export const chooseDays = (
  { initial, limits, isMovable }: ShareDays,
  given: Readonly<Record<string, unknown>>,
  { zone, now }: { readonly zone: Zone; readonly now: number },
): Days | undefined => {
  if (!isMovable) return Object.keys(given).length ? undefined : initial
  const moved = moveDays(given, { limits, names: NAMES, initial, zone, now })
  return 'days' in moved ? moved.days : undefined
}
