const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
// Sums and differences of these stay finite.
const LARGEST = 1e300

/** Returns a value as a number; null if it is not a number. The service sends integers beyond 2^53 as strings. */
export const toNumber = (value: unknown): number | null => {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return null
  return Math.min(Math.max(number, -LARGEST), LARGEST)
}

/** Returns the wall-clock time of an ISO date in ms, as if in UTC; null if the value is not a date. */
export const toTime = (value: unknown): number | null => {
  const match = typeof value === 'string' && value.length < 40 ? DATE.exec(value) : null
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  return Date.UTC(year!, month! - 1, day, hour, minute, second, Number((match[7] ?? '').padEnd(3, '0')))
}

/** Returns any value as text: objects and lists as JSON, nothing as ''. */
export const plainText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`
}

/** Returns any value as text that can be seen. */
export const toText = (value: unknown): string => plainText(value) || '(none)'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value as a list; an empty one if the value is not a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
