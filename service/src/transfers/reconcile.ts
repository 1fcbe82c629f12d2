import type { Storage } from '../storage/storage.ts'
import { SMALL_READ } from '../storage/storage.ts'
import type { ImportRecord } from './store.ts'

/** What became of the rows of an import. */
export interface Sheet {
  readonly read: number
  /** New events. */
  readonly stored: number
  /** Events that were stored before, by another import or live. */
  readonly repeated: number
  readonly refused: Readonly<Record<string, number>>
  /** Stored events by UTC day and name. */
  readonly days: readonly { readonly day: string; readonly event: string; readonly stored: number }[]
}

const MAX_DAYS = 10_000

/** Counts what an import has stored. Its deliveries must have ended. */
export const reconcile = async (
  storage: Pick<Storage, 'rows'>,
  { id, projectId, position: { counts } }: ImportRecord,
): Promise<Sheet> => {
  const of = "project_id = {projectId:UInt32} AND CAST(properties.`$import_id`, 'Nullable(String)') = {id:String}"
  const bounds = { ...SMALL_READ, maxBytes: 10_000_000 }
  const [total] = await storage.rows<{ n: number }>(
    { text: `SELECT count() AS n FROM db.events WHERE ${of}`, params: { projectId, id } },
    bounds,
  )
  const days = await storage.rows<{ day: string; event: string; stored: number }>(
    {
      text: `SELECT toString(toDate32(timestamp)) AS day, event, count() AS stored FROM db.events WHERE ${of} GROUP BY day, event ORDER BY day, event LIMIT ${MAX_DAYS}`,
      params: { projectId, id },
    },
    bounds,
  )
  const stored = Number(total!.n)
  return {
    read: counts.read,
    stored,
    repeated: Math.max(0, counts.accepted - stored),
    refused: counts.refused,
    days: days.map((each) => ({ ...each, stored: Number(each.stored) })),
  }
}
