import { createHash } from 'node:crypto'
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

/** Outcome of an import's rows. */
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

// Short, because names of events are long, and parameters of the engine are limited.
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 32)
const HASH = "substring(lower(hex(SHA256(concat(toString(toDate32(timestamp)), ' ', event)))), 1, 32)"

const explain = ({ read, moved, refused }: DayCount, stored: number): SheetCounts => {
  const accepted = read + moved - refused
  const repeated = Math.max(0, accepted - stored)
  return { read, moved, refused, repeated, stored, unexplained: stored - accepted + repeated }
}

/** Compares the rows that an import has read with the stored events. Its deliveries must have ended. */
export const reconcile = async (
  storage: Pick<Storage, 'rows'>,
  { id, projectId, position }: ImportRecord,
  dayCounts: DayCounts,
): Promise<Sheet> => {
  const of = "project_id = {projectId:UInt32} AND CAST(properties.`$import_id`, 'Nullable(String)') = {id:String}"
  const { [OTHERS]: others, ...named } = dayCounts
  const hashes = Object.keys(named).map(hashOf)
  const [total] = await storage.rows<{ n: number }>(
    { text: `SELECT count() AS n FROM db.events WHERE ${of}`, params: { projectId, id } },
    SMALL_READ,
  )
  const found = await storage.rows<{ hash: string; n: number }>(
    {
      text: `SELECT ${HASH} AS hash, count() AS n FROM db.events WHERE ${of} AND hash IN {hashes:Array(String)} GROUP BY hash`,
      params: { projectId, id, hashes },
    },
    SMALL_READ,
  )
  const storedOf = new Map(found.map(({ hash, n }) => [hash, Number(n)]))
  const stored = Number(total!.n)
  const rest = stored - [...storedOf.values()].reduce((sum, n) => sum + n, 0)
  return {
    read: position.counts.read,
    stored,
    repeated: Math.max(0, position.counts.accepted - stored),
    refused: position.counts.refused,
    days: Object.entries(named)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, counts]) => ({
        day: key.slice(0, DAY_CHARS),
        event: key.slice(DAY_CHARS + 1),
        ...explain(counts, storedOf.get(hashOf(key)) ?? 0),
      })),
    others: others || rest ? explain(others ?? { read: 0, moved: 0, refused: 0 }, rest) : null,
  }
}
