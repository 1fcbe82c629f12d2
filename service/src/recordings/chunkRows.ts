import { ApiError } from '../lib/apiError.ts'
import type { ChunkRow } from './manifest.ts'

export const OF_PROJECT = 'project_id = {projectId:UInt32}'

/** Maximum chunks of a recording that are read. A day has 17,280 chunks of five seconds. */
export const MAX_CHUNKS = 50_000

/** Returns the SQL of a column's time in ms since the epoch. */
export const ms = (column: string): string => `toUnixTimestamp64Milli(${column})`

/** The columns of a chunk, in a statement that groups its parts. */
export const CHUNK_COLUMNS = `window_id, seq, ${ms('min(first_at)')} AS first, ${ms('max(last_at)')}, any(shift_ms), max(is_anchor),
  max(is_last_part) AND uniqExact(part) = max(part) + 1, max(part) + 1, sum(bytes), any(policy), sum(dropped),
  max(notEmpty(active_slots))`

/** Returns the chunk in a row that begins with these columns. */
export const toChunk = ([
  windowId,
  seq,
  first,
  last,
  shift,
  isAnchor,
  isWhole,
  parts,
  bytes,
  policy,
  dropped,
  isActive,
]: readonly unknown[]): ChunkRow => ({
  windowId: String(windowId),
  seq: Number(seq),
  firstAt: Number(first),
  lastAt: Number(last),
  shiftMs: Number(shift),
  isAnchor: Boolean(Number(isAnchor)),
  isWhole: Boolean(Number(isWhole)),
  parts: Number(parts),
  bytes: Number(bytes),
  policy: String(policy),
  dropped: Number(dropped),
  isActive: Boolean(Number(isActive)),
})

export const noRecording = () => new ApiError('not_found', { detail: 'This project has no recording of this session.' })
