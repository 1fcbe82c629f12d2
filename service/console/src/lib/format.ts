// Formatters are created once: creating one costs more than formatting a page of numbers.
const locale = navigator.languages as string[]
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
const languages = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })

/** Text for a value that is unknown or cannot be shown. */
const NONE = '–'

/** Formats a number of stored data, which can be anything. */
const numberAs = (format: Intl.NumberFormat, value: number): string =>
  Number.isFinite(value) ? format.format(value) : NONE

export const formatWhole = (value: number): string => numberAs(whole, value)
export const formatNumber = (value: number): string => numberAs(decimal, value)

/** A short form for tiles, such as `12.3K`. Show the exact number in a title. */
export const formatCompact = (value: number): string =>
  numberAs(Number.isFinite(value) && Math.abs(value) >= 10_000 ? compact : decimal, value)

/** A number with its noun, such as `1 time` and `2 times`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatWhole(count)} ${count === 1 ? one : many}`

/** A share from 0 to 1 as a percentage. */
export const formatShare = (value: number): string => numberAs(share, value)

/** Returns a relative change as text: `+50%` for 0.5. */
export const formatChange = (value: number): string => numberAs(change, value)

/** Seconds as `1m 05s`, `2h 03m` or `850 ms`. */
export const formatDuration = (seconds: number): string => {
  if (!Number.isFinite(seconds)) return NONE
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const total = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (total < 60) return `${total}s`
  if (total < 3600) return `${Math.floor(total / 60)}m ${two(total % 60)}s`
  if (total < 86_400) return `${Math.floor(total / 3600)}h ${two(Math.floor(total / 60) % 60)}m`
  return `${Math.floor(total / 86_400)}d ${two(Math.floor(total / 3600) % 24)}h`
}

/** Name of a country or region by its code, such as `DE`. Unknown codes stay as they are. */
export const regionName = (code: string): string => {
  try {
    return regions.of(code.toUpperCase()) ?? code
  } catch {
    return code
  }
}

/** Name of a language by its tag, such as `en-US`. */
export const languageName = (tag: string): string => {
  try {
    return languages.of(tag) ?? tag
  } catch {
    return tag
  }
}

const times = new Map<string, Intl.DateTimeFormat>()
const dateTimeFormat = (timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = JSON.stringify([timeZone, options])
  const known = times.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options })
  times.set(key, known)
  return known
}

type When = string | number | Date

/** Returns the date in stored data, which can be anything. `undefined`: not a date. Formatters would throw. */
const toDate = (when: When): Date | undefined => {
  const isDate = typeof when === 'string' || typeof when === 'number' || when instanceof Date
  const date = new Date(isDate ? when : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const dateAs = (when: When, timeZone: string, options: Intl.DateTimeFormatOptions): string => {
  const date = toDate(when)
  return date ? dateTimeFormat(timeZone, options).format(date) : NONE
}

/** Date and time in the project's time zone. */
export const formatDateTime = (when: When, timeZone: string): string =>
  dateAs(when, timeZone, { dateStyle: 'medium', timeStyle: 'medium' })

export const formatDate = (when: When, timeZone: string): string => dateAs(when, timeZone, { dateStyle: 'medium' })

export const formatTime = (when: When, timeZone: string): string => dateAs(when, timeZone, { timeStyle: 'medium' })

/** A range of dates, such as `Nov 1 – 7, 2026`. */
export const formatDateRange = (from: When, to: When, timeZone: string): string => {
  const [start, end] = [toDate(from), toDate(to)]
  return start && end ? dateTimeFormat(timeZone, { dateStyle: 'medium' }).formatRange(start, end) : NONE
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Time relative to now, such as `3 minutes ago`. */
export const formatAgo = (when: When, now = Date.now()): string => {
  const date = toDate(when)
  if (!date) return NONE
  const seconds = (date.getTime() - now) / 1000
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const)
  return relative.format(Math.round(seconds / size), unit)
}

/** The time zone of the browser. */
export const LOCAL_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

// The names of intervals are already in the project's time zone.
const hourNames = new Intl.DateTimeFormat(locale, {
  timeZone: 'UTC',
  weekday: 'short',
  hour: 'numeric',
  minute: '2-digit',
})
const dayNames = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric' })
const monthNames = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', year: 'numeric' })

/** Label of a chart interval, from its start in the API's format: `2026-11-22` or `2026-11-22 14:00:00`. */
export const bucketName = (day: string, interval = ''): string => {
  const start = toDate(`${day.replace(' ', 'T')}${day.includes(' ') ? 'Z' : 'T00:00:00Z'}`)
  const names = day.includes(' ') ? hourNames : interval === 'month' ? monthNames : dayNames
  return start ? names.format(start) : day
}
