import { ApiError } from '../lib/apiError.ts'
import { insertAll } from '../storage/insertRows.ts'
import { joinInserts } from '../storage/joinedInserts.ts'
import { type JsonLine, type Storage, StorageError } from '../storage/storage.ts'
import type { HeatmapRow } from './points.ts'

const RETRY_AFTER_SECONDS = 5

/** What is stored of a `$$heatmap` event besides its points. */
export interface HeatmapEvent {
  readonly uuid: string
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
}

/** Returns the points of a `$$heatmap` event as lines of `db.heatmaps`. */
export const toHeatmapLines = (
  projectId: number,
  { uuid, distinctId, timestamp }: HeatmapEvent,
  rows: readonly HeatmapRow[],
): JsonLine[] =>
  rows.map((row, part) =>
    JSON.stringify({ project_id: projectId, uuid, part, distinct_id: distinctId, timestamp, ...row }),
  )

/** Stores lines of points. Resolves when they are stored. Storing them again changes nothing. Rejects with `ApiError`. */
export type KeepPoints = (lines: readonly JsonLine[]) => Promise<void>

/**
 * Creates the function that stores heatmap points. Points have a separate table: a visit has hundreds, no query of events
 * reads them, and they are stored for a shorter time. The table replaces rows with the same uuid, so a repeated delivery
 * needs no lookup.
 */
export const createKeepPoints = (storage: Pick<Storage, 'insert'>): KeepPoints => {
  const keep = joinInserts((lines) => insertAll(storage, 'db.heatmaps', Buffer.from(`${lines.join('\n')}\n`)))
  return async (lines) => {
    try {
      await keep(lines)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      throw new ApiError(error.kind === 'full' ? 'disk_full' : 'engine_unavailable', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
  }
}
