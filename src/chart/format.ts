import { toNumber, toText, toTime } from './read/cells'

const DAY_MS = 86_400_000

/** Formats of numbers and times in a language. */
export interface Formats {
  /** Formats a number with all digits, or any other value as text. */
  full(value: unknown): string
  /** Formats a number for an axis. */
  short(value: number): string
  /** Formats a wall-clock time for an axis. */
  tick(time: number): string
  /** Formats a wall-clock time with its year. */
  time(time: number): string
  /** Formats a cell of a table. */
  cell(value: unknown): string
}

/** Returns a language tag. `undefined` if it is not valid, so that the browser's language is used. */
const readLocale = (locale: string | undefined) => {
  try {
    return Intl.getCanonicalLocales(locale)[0]
  } catch {
    return undefined
  }
}

const isMidnight = (time: number) => time % DAY_MS === 0
const isMonth = (time: number) => isMidnight(time) && new Date(time).getUTCDate() === 1

/** Returns the parts of a date that tell these times apart. */
const datePartsOf = (times: readonly number[]): Intl.DateTimeFormatOptions => {
  if (times.length > 1 && times.every(isMonth)) return { month: 'short', year: 'numeric' }
  if (times.every(isMidnight)) return { day: 'numeric', month: 'short' }
  const isOneDay = times[times.length - 1]! - times[0]! <= DAY_MS
  return { ...(isOneDay ? {} : { day: 'numeric', month: 'short' }), hour: 'numeric', minute: '2-digit' }
}

/** Creates the formats for a chart. `times`: those of its x axis. */
export const createFormats = (locale: string | undefined, times: readonly number[] = [], unit?: 'percent'): Formats => {
  const tag = readLocale(locale)
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 })
  const compact = new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 })
  const dates = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, { ...parts, timeZone: 'UTC' })
  const tick = dates(datePartsOf(times))
  const day = dates({ dateStyle: 'medium' })
  const moment = dates({ dateStyle: 'medium', timeStyle: 'short' })
  const sign = unit ? '\u00a0%' : ''
  const time = (at: number) => (isMidnight(at) ? day : moment).format(at)
  const full = (value: unknown) => {
    // All digits, also beyond 2^53.
    if (typeof value === 'string' && /^-?\d{1,80}$/.test(value)) return numbers.format(BigInt(value)) + sign
    const number = toNumber(value)
    return number === null ? toText(value) : numbers.format(number) + sign
  }
  return {
    full,
    short: (value) => compact.format(value) + sign,
    tick: (at) => tick.format(at),
    time,
    cell: (value) => {
      if (typeof value === 'number') return numbers.format(value)
      const at = toTime(value)
      return at === null ? (value === null || value === undefined ? '' : toText(value)) : time(at)
    },
  }
}
