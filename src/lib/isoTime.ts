const padded = (value: number, length = 2): string => String(Math.abs(value)).padStart(length, '0')

/**
 * Returns a valid date as ISO 8601 in UTC. Pages replace `toISOString`, and `toJSON`, which `JSON.stringify` calls, by
 * methods that return the local time or a quoted string.
 */
export const isoTime = (date: Date): string => {
  const year = date.getUTCFullYear()
  const sign = year < 0 ? '-' : year > 9999 ? '+' : ''
  const day = `${sign}${padded(year, sign ? 6 : 4)}-${padded(date.getUTCMonth() + 1)}-${padded(date.getUTCDate())}`
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((each) => padded(each)).join(':')
  return `${day}T${time}.${padded(date.getUTCMilliseconds(), 3)}Z`
}
