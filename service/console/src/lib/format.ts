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

export const formatWhole = (value: number): string => whole.format(value)
export const formatNumber = (value: number): string => decimal.format(value)

/** A short form for tiles, such as `12.3K`. Show the exact number in a title. */
export const formatCompact = (value: number): string =>
  Math.abs(value) < 10_000 ? decimal.format(value) : compact.format(value)

/** A number with its noun, such as `1 time` and `2 times`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`

/** A share from 0 to 1 as a percentage. */
export const formatShare = (value: number): string => share.format(value)

/** A relative change, where 0.5 is half more: `+50%`. */
export const formatChange = (value: number): string => change.format(value)

/** Seconds as `1m 05s`, `2h 03m` or `850 ms`. */
export const formatDuration = (seconds: number): string => {
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
const toDate = (when: When): Date => new Date(when)

/** Date and time in the project's time zone. */
export const formatDateTime = (when: When, timeZone: string): string =>
  dateTimeFormat(timeZone, { dateStyle: 'medium', timeStyle: 'medium' }).format(toDate(when))

export const formatDate = (when: When, timeZone: string): string =>
  dateTimeFormat(timeZone, { dateStyle: 'medium' }).format(toDate(when))

export const formatTime = (when: When, timeZone: string): string =>
  dateTimeFormat(timeZone, { timeStyle: 'medium' }).format(toDate(when))

/** A range of dates, such as `Nov 1 – 7, 2026`. */
export const formatDateRange = (from: When, to: When, timeZone: string): string =>
  dateTimeFormat(timeZone, { dateStyle: 'medium' }).formatRange(toDate(from), toDate(to))

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
  const seconds = (toDate(when).getTime() - now) / 1000
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS.at(-1)!
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
  const start = new Date(`${day.replace(' ', 'T')}${day.includes(' ') ? 'Z' : 'T00:00:00Z'}`)
  const names = day.includes(' ') ? hourNames : interval === 'month' ? monthNames : dayNames
  return Number.isNaN(start.getTime()) ? day : names.format(start)
}
