import type { InsightRows, Part, Parts } from '../../insights/insight.ts'
import { NO_CALLER, type ReadLimits, type Result, type Statement, type Storage } from '../../../storage/storage.ts'
import type { Stored } from '../words.ts'
import type { CellOptions } from './cells.ts'

/** A run of an insight that the service can finish by itself, from the rows of its intervals. */
export interface IntervalRun {
  readonly stored: Stored
  readonly parts: Parts
  /** Whether the rows depend on which ids are merged into one person. */
  readonly readsOwners: boolean
  /** Counts the events that have arrived since the table was filled, by quarter of an hour. */
  readonly arrived: () => Statement
}

export const QUARTER_MS = 900_000

interface Kept {
  readonly rows: InsightRows
  readonly bytes: number
  /** The number of events that have arrived in each of its quarters since the table was filled, as text. */
  readonly arrived: string
}

type Arrived = ReadonlyMap<number, number>

/** The intervals of one insight, of one table and of the same owners of ids. */
interface Shelf {
  readonly owners: number
  readonly intervals: Map<string, Kept>
  bytes: number
  /** Arrived events, as of an epoch. */
  arrivals?: { readonly epoch: number; readonly arrived: Arrived }
}

// More than these are not worth adding up.
const MAX_QUARTERS = 2_000
const MAX_READ_BYTES = 1_000_000
/** Maximum characters of the rows of all insights, which take about three times as much memory. */
const MAX_BYTES = 8_000_000
const INTERVAL_BYTES = 100
const NOTHING: Arrived = new Map()

const idOf = ({ from, until }: Part): string => `${from} ${until}`

const arrivedIn = ({ from, until }: Part, arrived: Arrived): string =>
  [...arrived]
    .filter(([quarter]) => quarter * QUARTER_MS < until && (quarter + 1) * QUARTER_MS > from)
    .map((each) => each.join(':'))
    .sort()
    .join(' ')

/** Returns the rows of each interval from those of a statement. */
const byInterval = (intervals: readonly Part[], rows: InsightRows): ReadonlyMap<number, InsightRows> => {
  const found = new Map(intervals.map(({ start }) => [start, [] as (readonly unknown[])[]]))
  for (const row of rows) found.get(Number(row[1]))!.push(row)
  return found
}

/** Creates a function that returns the results of a run as of one moment since its begin. `undefined`: only the engine can. */
export const createIntervals = (storage: Pick<Storage, 'run'>, maxBytes = MAX_BYTES) => {
  /** Ordered by last use. */
  const shelves = new Map<string, Shelf>()

  const read = async (statement: Statement, { stored }: IntervalRun, { idPrefix: _, ...limits }: ReadLimits) => {
    const bounds = { ...limits, maxBytes: MAX_READ_BYTES, tables: [stored.table] }
    return (await storage.run(statement, bounds, NO_CALLER)).rows
  }

  const shelfOf = ({ stored, parts }: IntervalRun, projectId: number, owners: number): Shelf => {
    const key = JSON.stringify([projectId, stored.table, stored.layers.map(({ id }) => id), parts.key])
    const known = shelves.get(key)
    const shelf = known?.owners === owners ? known : { owners, intervals: new Map<string, Kept>(), bytes: 0 }
    shelves.delete(key)
    shelves.set(key, shelf)
    return shelf
  }

  const arrivedAt = async (run: IntervalRun, limits: ReadLimits, epoch: number, shelf: Shelf): Promise<Arrived> => {
    if (shelf.arrivals?.epoch === epoch) return shelf.arrivals.arrived
    const rows = await read(run.arrived(), run, { ...limits, maxRows: MAX_QUARTERS })
    const arrived = new Map(rows.map(([quarter, events]) => [Number(quarter), Number(events)]))
    shelf.arrivals = { epoch, arrived }
    return arrived
  }

  const keep = (shelf: Shelf, intervals: ReadonlyMap<string, Kept>) => {
    for (const [id, each] of intervals) {
      shelf.bytes += each.bytes - (shelf.intervals.get(id)?.bytes ?? 0)
      shelf.intervals.set(id, each)
    }
    let bytes = [...shelves.values()].reduce((sum, each) => sum + each.bytes, 0)
    for (const [key, each] of shelves) {
      if (bytes <= maxBytes) return
      bytes -= each.bytes
      shelves.delete(key)
    }
  }

  /** Returns the intervals, and reads those that are not kept with the same events. */
  const intervalsOf = async (run: IntervalRun, shelf: Shelf, arrived: Arrived, limits: ReadLimits) => {
    const found = new Map<string, Kept>()
    for (const intervals of run.parts.intervals) {
      const isMissing = (each: Part) => shelf.intervals.get(idOf(each))?.arrived !== arrivedIn(each, arrived)
      const missing = intervals.slice(intervals.findIndex(isMissing), intervals.findLastIndex(isMissing) + 1)
      for (const each of intervals) if (!isMissing(each)) found.set(idOf(each), shelf.intervals.get(idOf(each))!)
      if (missing.length === 0) continue
      const rowsOf = byInterval(missing, await read(run.parts.statement(missing), run, limits))
      for (const each of missing) {
        const rows = rowsOf.get(each.start)!
        const bytes = JSON.stringify(rows).length + INTERVAL_BYTES
        found.set(idOf(each), { rows, bytes, arrived: arrivedIn(each, arrived) })
      }
    }
    return found
  }

  return async (run: IntervalRun, options: CellOptions): Promise<readonly Result[] | undefined> => {
    const { now, isComplete, limits } = options
    const { parts, readsOwners } = run
    const before = await now()
    if (Number.isNaN(before.epoch) || Number.isNaN(before.owners)) return undefined
    const shelf = shelfOf(run, limits.projectId, before.owners)
    const [current] = parts.intervals as [readonly Part[]]
    const kept = current.flatMap((each) => shelf.intervals.get(idOf(each))?.rows ?? [])
    // More events have more values.
    if (!parts.areWhole([kept])) return undefined
    let found: ReadonlyMap<string, Kept>
    try {
      const arrived = isComplete ? NOTHING : await arrivedAt(run, limits, before.epoch, shelf)
      found = await intervalsOf(run, shelf, arrived, limits)
      const after = await now()
      const isStill = (isComplete || after.epoch === before.epoch) && (!readsOwners || after.owners === before.owners)
      if (!isStill) return undefined
      keep(shelf, found)
    } catch {
      return undefined // The run's statement reports what is wrong.
    }
    const answers = parts.intervals.map((each) => each.flatMap((one) => found.get(idOf(one))!.rows))
    if (!parts.areWhole(answers)) return undefined
    return answers.map((rows) => ({ columns: [], rows, textLength: JSON.stringify(rows).length }))
  }
}
