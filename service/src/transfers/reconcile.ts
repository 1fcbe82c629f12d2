import type { Storage } from '../storage/storage.ts'
import { SMALL_READ } from '../storage/storage.ts'
import { type DayCount, type DayCounts, OTHERS } from './dayCounts.ts'
import type { ImportRecord } from './store.ts'

/** Rows and stored events: `read + moved - refused - repeated + unexplained = stored`. */
export interface SheetCounts extends DayCount {
  /** Events that were stored before, or were deleted after the import. */
  readonly repeated: number
  readonly stored: number
  readonly unexplained: number
}

/** Counts of a UTC day and an event. */
export interface SheetDay extends SheetCounts {
  readonly day: string
  readonly event: string
}

/** What became of the rows of an import. */
export interface Sheet {
  readonly read: number
  /** New events. */
  readonly stored: number
  /** Events that were stored before, by another import or live. */
  readonly repeated: number
  readonly refused: Readonly<Record<string, number>>
  /** Counts by day and event, of rows that have both. At most 1,000. */
  readonly days: readonly SheetDay[]
  /** Counts of all other days and events. */
  readonly others: SheetCounts | null
}

const DAY_CHARS = 10

const explain = ({ read, moved, refused }: DayCount, stored: number): SheetCounts => {
  const accepted = read + moved - refused
  const repeated = Math.max(0, accepted - stored)
  return { read, moved, refused, repeated, stored, unexplained: stored - accepted + repeated }
}

/** Compares what an import has read with what it has stored. Its deliveries must have ended. */
export const reconcile = async (
  storage: Pick<Storage, 'rows'>,
  { id, projectId, position: { counts } }: ImportRecord,
  dayCounts: DayCounts,
): Promise<Sheet> => {
  const of = "project_id = {projectId:UInt32} AND CAST(properties.`$import_id`, 'Nullable(String)') = {id:String}"
  const { [OTHERS]: others, ...named } = dayCounts
  const keys = Object.keys(named).sort()
  const [total] = await storage.rows<{ n: number }>(
    { text: `SELECT count() AS n FROM db.events WHERE ${of}`, params: { projectId, id } },
    SMALL_READ,
  )
  const found = await storage.rows<{ key: string; n: number }>(
    {
      text: `SELECT concat(toString(toDate32(timestamp)), ' ', event) AS key, count() AS n FROM db.events WHERE ${of} GROUP BY key HAVING key IN {keys:Array(String)}`,
      params: { projectId, id, keys },
    },
    SMALL_READ,
  )
  const storedOf = new Map(found.map(({ key, n }) => [key, Number(n)]))
  const stored = Number(total!.n)
  const rest = stored - [...storedOf.values()].reduce((sum, n) => sum + n, 0)
  return {
    read: counts.read,
    stored,
    repeated: Math.max(0, counts.accepted - stored),
    refused: counts.refused,
    days: keys.map((key) => ({
      day: key.slice(0, DAY_CHARS),
      event: key.slice(DAY_CHARS + 1),
      ...explain(named[key]!, storedOf.get(key) ?? 0),
    })),
    others: others || rest ? explain(others ?? { read: 0, moved: 0, refused: 0 }, rest) : null,
  }
}
