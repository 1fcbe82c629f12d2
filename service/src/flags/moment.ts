import { own } from '../lib/own.ts'

const DAY_MS = 86_400_000
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/
const RELATIVE = /^-?(\d{1,4})([hdwmy])$/

// Seconds since 1970 reach this in the year 5138; milliseconds passed it in 1973.
const MIN_MS = 100_000_000_000

/** Returns ms since the epoch for an ISO date or time (UTC unless it has a zone), or a number of seconds or ms. */
export const toTime = (value: unknown): number | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return Math.abs(value) < MIN_MS ? value * 1000 : value
  const [, date, clock = '00:00', zone = 'Z'] = (typeof value === 'string' && TIME.exec(value.trim())) || []
  if (!date) return undefined
  const time = Date.parse(`${date}T${clock}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(time) ? undefined : time
}

/** Moves `time` back by whole months. A day that the month lacks becomes its last day. */
const monthsBefore = (time: number, months: number): number => {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}

const BEFORE: Readonly<Record<string, (now: number, count: number) => number>> = {
  h: (now, count) => now - (count * DAY_MS) / 24,
  d: (now, count) => now - count * DAY_MS,
  w: (now, count) => now - count * 7 * DAY_MS,
  m: (now, count) => monthsBefore(now, count),
  y: (now, count) => monthsBefore(now, count * 12),
}

/**
 * Resolves the date of a condition to ms since the epoch: absolute, or relative to `now` such as `-30d` (h, d, w, m,
 * y).
 */
export const readMoment = (value: unknown): ((now: number) => number) | undefined => {
  const [, count, unit] = (typeof value === 'string' && RELATIVE.exec(value)) || []
  if (unit) return (now) => own(BEFORE, unit)!(now, Number(count))
  const time = typeof value === 'string' ? toTime(value) : undefined
  return time === undefined ? undefined : () => time
}
