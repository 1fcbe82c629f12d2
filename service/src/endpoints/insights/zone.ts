const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

/** The local time of a time zone. A wall time is in ms, as if its date and time were UTC. */
export interface Zone {
  readonly name: string
  readonly weekStart: 'sunday' | 'monday'
  wallAt(instant: number): number
  /** Returns the first instant with this wall time; for a time skipped by a clock change, the instant of the change. */
  instantOf(wall: number): number
  /** Whether two instants have this wall time, because the clock was set back. */
  isTwice(wall: number): boolean
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (name: string) => {
  const known =
    formats.get(name) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  formats.set(name, known)
  return known
}

// Formatting an instant takes some 5 µs, and runs of an insight ask for the same instants.
const MAX_WALLS = 20_000
/** Wall times by zone and second. */
const walls = new Map<string, number>()

const wallOfSecond = (name: string, second: number): number => {
  const key = `${name} ${second}`
  const known = walls.get(key)
  if (known !== undefined) return known
  const parts = formatOf(name).formatToParts(second)
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  const wall = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second)
  if (walls.size >= MAX_WALLS) walls.clear()
  walls.set(key, wall)
  return wall
}

/** Creates a time zone. Throws `RangeError` if the name is unknown. */
export const createZone = (name: string, weekStart: Zone['weekStart'] = 'sunday'): Zone => {
  formatOf(name)
  const wallAt = (instant: number) => {
    const ms = ((instant % SECOND) + SECOND) % SECOND
    return wallOfSecond(name, instant - ms) + ms
  }
  const offsetAt = (instant: number) => wallAt(instant) - instant
  const aroundChanges = (wall: number) => [wall - offsetAt(wall - DAY), wall - offsetAt(wall + DAY)] as const
  const isAt = (wall: number) => (instant: number) => wallAt(instant) === wall
  return {
    name,
    weekStart,
    wallAt,
    instantOf(wall) {
      const around = aroundChanges(wall)
      const [first] = around.filter(isAt(wall)).sort((a, b) => a - b)
      return first ?? around[0]
    },
    isTwice(wall) {
      const [before, after] = aroundChanges(wall)
      return before !== after && [before, after].every(isAt(wall))
    },
  }
}

const LENGTHS = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY } as const
const MONTHS = { month: 1, quarter: 3, year: 12 } as const

const startOfMonths = (wall: number, months: number) => {
  const date = new Date(wall)
  return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months)
}

/** Returns the start of the unit that contains a wall time. */
export const startOf = (unit: Unit, wall: number, weekStart: Zone['weekStart']): number => {
  if (unit === 'month' || unit === 'quarter' || unit === 'year') return startOfMonths(wall, MONTHS[unit])
  if (unit !== 'week') return Math.floor(wall / LENGTHS[unit]) * LENGTHS[unit]
  const day = startOf('day', wall, weekStart)
  const weekday = new Date(day).getUTCDay()
  return day - (weekStart === 'monday' ? (weekday + 6) % 7 : weekday) * DAY
}

/** Adds units to a wall time. A day that the new month lacks becomes the last of that month. */
export const addUnits = (unit: Unit, count: number, wall: number): number => {
  if (unit === 'week') return wall + count * 7 * DAY
  if (unit !== 'month' && unit !== 'quarter' && unit !== 'year') return wall + count * LENGTHS[unit]
  const date = new Date(wall)
  const month = date.getUTCMonth() + count * MONTHS[unit]
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return (
    Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), lastDay)) +
    (wall - startOf('day', wall, 'sunday'))
  )
}

/** Adds units to an instant: hours and shorter units as elapsed time, days and longer units by the calendar. */
export const moveInstant = (zone: Zone, unit: Unit, count: number, instant: number): number =>
  unit === 'second' || unit === 'minute' || unit === 'hour'
    ? instant + count * LENGTHS[unit]
    : zone.instantOf(addUnits(unit, count, zone.wallAt(instant)))
