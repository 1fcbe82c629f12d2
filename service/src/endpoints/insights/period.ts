import { ApiError } from '../../lib/apiError.ts'
import { addUnits, moveInstant, startOf, type Unit, type Zone } from './zone.ts'
import { own } from '../../lib/own.ts'

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month'

export interface DateRange {
  readonly date_from?: string | null
  readonly date_to?: string | null
  /** Whether to use the exact times. Otherwise a range begins at the start of its first interval. */
  readonly explicitDate?: boolean | null
}

/** Instants in ms since the epoch. `until` is exclusive. */
export interface Period {
  readonly from: number
  readonly until: number
}

const MAX_BUCKETS = 5_000
const LAST_YEAR = 2148

const UNITS: Readonly<Record<string, Unit>> = {
  s: 'second',
  S: 'second',
  M: 'minute',
  h: 'hour',
  H: 'hour',
  d: 'day',
  D: 'day',
  w: 'week',
  W: 'week',
  m: 'month',
  q: 'quarter',
  Q: 'quarter',
  y: 'year',
  Y: 'year',
}
const RELATIVE = /^(-?\d{1,5})?([sSMhHdDwWmqQyY])(Start|End)?$/
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$/

const isReal = (wall: Date, [year, month, day, hour, minute, second]: readonly number[]) =>
  year! >= 1970 &&
  year! <= LAST_YEAR &&
  wall.getUTCMonth() === month! - 1 &&
  wall.getUTCDate() === day &&
  hour! < 24 &&
  minute! < 60 &&
  second! < 60

interface NamedTime extends Period {
  /** Whether the date names a range of time, such as a day, rather than an instant. */
  readonly isRange: boolean
}

const fromIso = (text: string, zone: Zone): NamedTime | undefined => {
  const match = ISO.exec(text)
  if (!match) return undefined
  const numbers = match.slice(1, 7).map((part) => Number(part ?? 0))
  const [year, month, day, hour, minute, second] = numbers as [number, number, number, number, number, number]
  const wall = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(match[7] ?? 0) * 1_000)
  if (!isReal(new Date(wall), numbers)) return undefined
  if (match[4] === undefined)
    return { from: zone.instantOf(wall), until: zone.instantOf(addUnits('day', 1, wall)), isRange: true }
  const [sign, hours, minutes] = [match[8]?.[0], Number(match[8]?.slice(1, 3)), Number(match[8]?.slice(-2))]
  if (sign && sign !== 'Z' && (hours > 14 || minutes > 59)) return undefined
  const instant =
    sign === undefined
      ? zone.instantOf(wall)
      : sign === 'Z'
        ? wall
        : wall - (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return { from: instant, until: instant + 1, isRange: false }
}

const fromRelative = (text: string, zone: Zone, now: number): NamedTime | undefined => {
  const [, count = '0', letter, edge] = RELATIVE.exec(text) ?? []
  if (!letter || (!edge && !/\d/.test(text))) return undefined
  const unit = own(UNITS, letter)!
  const moved = moveInstant(zone, unit, -Math.abs(Number(count)), now)
  if (moved < 0) return undefined
  const unitRange = (of: Unit): NamedTime => {
    const wall = startOf(of, zone.wallAt(moved), zone.weekStart)
    return { from: zone.instantOf(wall), until: zone.instantOf(addUnits(of, 1, wall)), isRange: true }
  }
  if (edge === 'Start') return { ...unitRange(unit), until: unitRange(unit).from + 1 }
  if (edge === 'End') return { ...unitRange(unit), from: unitRange(unit).until - 1 }
  return unit === 'second' || unit === 'minute' || unit === 'hour'
    ? { from: moved, until: moved + 1, isRange: false }
    : unitRange('day')
}

/**
 * Reads an ISO date or timestamp (in the zone, unless it has an offset), or one relative to `now`. Returns `undefined`
 * for any other string.
 */
export const readDate = (text: string, zone: Zone, now: number): NamedTime | undefined =>
  fromIso(text, zone) ?? fromRelative(text, zone, now)

/** The accepted forms of a date. Completes "… must be". */
export const DATE_FORMS =
  'a date such as 2026-01-31, a time such as 2026-01-31T09:30:00, or one relative to now such as -7d, -24h, mStart or -1mEnd'

const DEFAULT_FROM = '-7d'
const isFine = (interval: Interval) => interval === 'minute' || interval === 'hour'

/** Returns the start of the interval that contains an instant. Hours are elapsed hours, so an hour repeated at a clock change is two. */
export const intervalStart = (interval: Interval, instant: number, zone: Zone): number => {
  const wall = zone.wallAt(instant)
  const start = startOf(interval, wall, zone.weekStart)
  return isFine(interval) ? instant - (wall - start) : zone.instantOf(start)
}

/** Returns the start of the next interval. */
export const nextInterval = (interval: Interval, start: number, zone: Zone): number => {
  if (isFine(interval)) return intervalStart(interval, moveInstant(zone, interval, 1, start), zone)
  // From noon, so that a day whose midnight is skipped by a clock change is still one step.
  return zone.instantOf(addUnits(interval, 1, startOf('day', zone.wallAt(start), zone.weekStart)))
}

/** The error for a range that begins after it ends. Callers that know the origin of the dates report it with `reversedRange`. */
export class RangeReversed extends ApiError {}

/** Describes a range that begins after it ends, by the dates that the caller sent and those of the insight. */
export const reversedRange = (
  sent: DateRange,
  own: DateRange = {},
): { readonly detail: string; readonly attr: string } => {
  const nameOf = (field: 'date_from' | 'date_to', absent: string) =>
    sent[field] ? `"${field}" (${sent[field]})` : own[field] ? `the insight's own "${field}" (${own[field]})` : absent
  const from = nameOf('date_from', `the default start of a range (${DEFAULT_FROM})`)
  const to = nameOf('date_to', 'the default end of a range (now)')
  if (sent.date_from && sent.date_to) return { detail: `${from} is after ${to}. Swap them`, attr: 'date_from' }
  if (sent.date_to)
    return { detail: `${to} is before ${from}. Send "date_from" too, or a later "date_to"`, attr: 'date_to' }
  if (sent.date_from)
    return { detail: `${from} is after ${to}. Send "date_to" too, or an earlier "date_from"`, attr: 'date_from' }
  return { detail: `The range is empty: ${from} is after ${to}. Change the insight's "dateRange"`, attr: 'query' }
}

const reject = (attr: string, detail: string) => new ApiError('invalid_input', { detail, attr })

const read = (text: string, field: 'date_from' | 'date_to', zone: Zone, now: number) => {
  const found = readDate(text, zone, now)
  if (!found) throw reject(field, `"${field}" must be ${DATE_FORMS}, got "${text.slice(0, 40)}".`)
  return found
}

/** Returns the end of a range. Throws `ApiError`. */
export const endOf = (
  { date_to, explicitDate }: DateRange,
  { interval, zone, now }: { interval: Interval; zone: Zone; now: number },
): number =>
  date_to
    ? read(date_to, 'date_to', zone, now).until
    : isFine(interval) || explicitDate
      ? now + 1
      : read('dEnd', 'date_to', zone, now).until

/** Returns the period that a range covers. Throws `ApiError`. */
export const periodOf = (
  range: DateRange,
  { interval, zone, now, isFromExact = false }: { interval: Interval; zone: Zone; now: number; isFromExact?: boolean },
): Period => {
  const start = read(range.date_from ?? DEFAULT_FROM, 'date_from', zone, now).from
  const from = range.explicitDate || isFromExact ? start : intervalStart(interval, start, zone)
  const until = endOf(range, { interval, zone, now })
  if (from >= until) throw new RangeReversed('invalid_input')
  return { from, until }
}

/**
 * Returns the starts of the intervals that overlap a period, in order. The first may precede the period. Throws
 * `ApiError` if there are too many.
 */
export const bucketsOf = ({ from, until }: Period, interval: Interval, zone: Zone): readonly number[] => {
  const starts: number[] = []
  for (let start = intervalStart(interval, from, zone); start < until; start = nextInterval(interval, start, zone)) {
    if (starts.length === MAX_BUCKETS)
      throw reject(
        'date_from',
        `The range has more than ${MAX_BUCKETS} intervals. Choose a shorter range, or an insight with a longer "interval".`,
      )
    starts.push(start)
  }
  return starts
}

/** Formats an instant in a time zone with its offset: `2026-01-31T00:00:00+01:00`. */
export const isoOf = (instant: number, zone: Zone): string => {
  const wall = zone.wallAt(instant)
  const minutes = Math.round((wall - instant) / 60_000)
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
  return `${new Date(wall).toISOString().slice(0, 19)}${minutes ? `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}` : 'Z'}`
}

const DAY = 86_400_000
const COMPARE = /^-(\d{1,4})([hdwmqy])$/

/** Returns a function that moves an instant back by `compareTo`, such as `-1w`, or by the period's own length. */
export const moveBack = (period: Period, compareTo: string | undefined, zone: Zone): ((instant: number) => number) => {
  const [, count, letter] = COMPARE.exec(compareTo ?? '') ?? []
  const length = zone.wallAt(period.until) - zone.wallAt(period.from)
  return (instant) => {
    if (letter) return moveInstant(zone, own(UNITS, letter)!, -Number(count), instant)
    return length < DAY
      ? instant - (period.until - period.from)
      : moveInstant(zone, 'day', -Math.ceil(length / DAY), instant)
  }
}

/** Returns the period to compare with: earlier by `compareTo`, such as `-1w`, or by the period's own length. */
export const previousPeriod = (period: Period, compareTo: string | undefined, zone: Zone): Period => {
  const move = moveBack(period, compareTo, zone)
  return { from: move(period.from), until: move(period.until) }
}

/** Whether a string is a valid `compareTo`. */
export const isCompareTo = (text: string): boolean => COMPARE.test(text)

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Returns the names of an interval: `day` for programs, `label` for people. */
export const namesOf = (
  start: number,
  interval: Interval,
  zone: Zone,
): { readonly day: string; readonly label: string } => {
  const wall = new Date(zone.wallAt(start))
  const [date, time] = [wall.toISOString().slice(0, 10), wall.toISOString().slice(11, 19)]
  const label = `${wall.getUTCDate()}-${MONTH_NAMES[wall.getUTCMonth()]}-${wall.getUTCFullYear()}`
  return isFine(interval) ? { day: `${date} ${time}`, label: `${label} ${time.slice(0, 5)}` } : { day: date, label }
}
