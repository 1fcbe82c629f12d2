/** Row counts of one day and event in the files of an import. */
export interface DayCount {
  /** Rows with this day in their file. */
  readonly read: number
  /** Rows whose UTC day is this one but not in their file, less those of the opposite. */
  readonly moved: number
  readonly refused: number
}

/** Counts by `<day> <event>`. The key `` has all others. */
export type DayCounts = Readonly<Record<string, DayCount>>

/** Key of the rows beyond the first `MAX_KEYS` days and events. */
export const OTHERS = ''
const MAX_KEYS = 1_000
const MAX_EVENT_CHARS = 200

const NONE: DayCount = { read: 0, moved: 0, refused: 0 }

/** Returns the UTC day of a time within the valid range. */
export const utcDay = (timestamp: number | string): string => new Date(timestamp).toISOString().slice(0, 10)

/**
 * Counts rows by day and event, and adds them to earlier counts. Days and events beyond the first 1,000 are counted
 * together.
 */
export const createDayCounter = (earlier: DayCounts) => {
  const counts = new Map(Object.entries(earlier))
  const add = (day: string, event: string, { read = 0, moved = 0, refused = 0 }: Partial<DayCount>) => {
    const own = `${day} ${event}`
    const key = counts.has(own) || (counts.size < MAX_KEYS && event.length <= MAX_EVENT_CHARS) ? own : OTHERS
    const before = counts.get(key) ?? NONE
    counts.set(key, { read: before.read + read, moved: before.moved + moved, refused: before.refused + refused })
  }
  return {
    /** Counts a row. `fileDay`: its day in the file, if that has a zone. */
    read(timestamp: string, event: string, fileDay?: string) {
      const day = utcDay(timestamp)
      add(fileDay ?? day, event, { read: 1 })
      if (fileDay === undefined || fileDay === day) return
      add(fileDay, event, { moved: -1 })
      add(day, event, { moved: 1 })
    },
    refused: (timestamp: string, event: string) => add(utcDay(timestamp), event, { refused: 1 }),
    counts: (): DayCounts => Object.fromEntries(counts),
  }
}
