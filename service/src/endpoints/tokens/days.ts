import type { ValidationIssue } from '../../lib/apiError.ts'
import { own } from '../../lib/own.ts'
import { readDate } from '../insights/period.ts'
import type { Zone } from '../insights/zone.ts'

/** Days that a reader may read, as stored: dates, or relative to the day of the run. */
export interface DateRange {
  /** First day. */
  readonly from: string
  /** Last day. Default: the day of the run. */
  readonly to?: string
  /** The variables that take the days. Default: `date_from` and `date_to`. */
  readonly variables?: { readonly from: string; readonly to: string }
}

/** Days as `YYYY-MM-DD`, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

export const DAY_FORMS = 'a day such as 2026-01-31, or one relative to today such as -30d or mStart'

const DEFAULT_NAMES = { from: 'date_from', to: 'date_to' } as const

/** Returns the names of the variables that take the days of a range. */
export const dayNames = ({ variables = DEFAULT_NAMES }: Pick<DateRange, 'variables'>) => variables

const dayLabel = (instant: number, zone: Zone): string => new Date(zone.wallAt(instant)).toISOString().slice(0, 10)

/** Returns the day that a text names, or `undefined` if it names an hour, a minute or nothing. */
export const readDay = (text: unknown, zone: Zone, now: number): string | undefined => {
  const found = typeof text === 'string' && text.length <= 40 ? readDate(text, zone, now) : undefined
  return found?.isRange ? dayLabel(found.from, zone) : undefined
}

/** Returns the days of a range at a time, or `undefined` if it is not valid or ends before it begins. */
export const daysOf = ({ from, to = '0d' }: DateRange, zone: Zone, now: number): Days | undefined => {
  const [first, last] = [readDay(from, zone, now), readDay(to, zone, now)]
  return first !== undefined && last !== undefined && first <= last ? { from: first, to: last } : undefined
}

interface Move {
  readonly limits: Days
  readonly names: { readonly from: string; readonly to: string }
  /** Days of a run that names none. Default: the limits. */
  readonly initial?: Days
  readonly zone: Zone
  readonly now: number
}

const faultOf = (path: string, rule: string, code: string): ValidationIssue => ({
  path,
  code,
  message: `"${path}" ${rule}`,
})

/** Returns the days of a run, or why the given ones are not allowed. */
export const moveDays = (
  given: Readonly<Record<string, unknown>>,
  { limits, names, initial = limits, zone, now }: Move,
): { readonly days: Days } | { readonly faults: readonly ValidationIssue[] } => {
  const faults: ValidationIssue[] = []
  const read = (edge: 'from' | 'to'): string => {
    const path = names[edge]
    const value = own(given, path)
    if (value === undefined) return initial[edge]
    const day = readDay(value, zone, now)
    if (day === undefined) faults.push(faultOf(path, `takes ${DAY_FORMS}`, 'wrong_type'))
    else if (day < limits.from || day > limits.to)
      faults.push(faultOf(path, `must be from ${limits.from} to ${limits.to}`, 'out_of_range'))
    return day ?? initial[edge]
  }
  const days = { from: read('from'), to: read('to') }
  if (!faults.length && days.from > days.to)
    faults.push(faultOf(names.from, `must not be after "${names.to}"`, 'out_of_range'))
  return faults.length ? { faults } : { days }
}
