import { ApiError } from '../lib/apiError.ts'
import { insertAll } from '../storage/insertRows.ts'
import type { Storage } from '../storage/storage.ts'

/** Rows as lines of JSON. */
export interface ChunkRows {
  /** Rows of the table of chunks. */
  readonly chunks: readonly Uint8Array[]
  /** Rows of the table of sessions: one per chunk. */
  readonly sessions: readonly Uint8Array[]
}

/** Stores chunks separately from events. */
export interface ChunkStore {
  /** Stores rows. Replaces a chunk that is already stored. Rejects with `StorageError`. */
  insert(rows: ChunkRows): Promise<void>
  /** Throws `ingest_overloaded` if too much is waiting. */
  assertRoom(): void
}

/** Table of chunks. */
export const CHUNKS = 'recording_chunks'
/** Table of sessions with chunks. */
export const SESSIONS = 'recording_sessions'

const MAX_INSERT_BYTES = 16_000_000
/** Maximum bytes that wait to be stored. */
export const MAX_WAITING_BYTES = 64_000_000
const RETRY_AFTER_SECONDS = 10

interface Waiting {
  readonly rows: ChunkRows
  readonly bytes: number
  readonly done: (error?: Error) => void
}

const bytesOf = (rows: readonly Uint8Array[]) => rows.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** Splits rows so that each insert has a bounded size. */
const inInserts = (rows: readonly Uint8Array[]): Uint8Array[][] => {
  const inserts: Uint8Array[][] = []
  let left = 0
  for (const row of rows) {
    if (row.byteLength > left || !inserts.length) {
      inserts.push([])
      left = MAX_INSERT_BYTES
    }
    inserts.at(-1)!.push(row)
    left -= row.byteLength
  }
  return inserts
}

/**
 * Creates the store. One insert runs at a time. What arrives meanwhile is inserted together, because each insert creates
 * files in the engine.
 */
export const createChunkStore = (storage: Pick<Storage, 'insert'>): ChunkStore => {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let isStoring = false

  const store = async () => {
    isStoring = true
    while (waiting.length) {
      const batch = waiting
      waiting = []
      try {
        for (const part of inInserts(batch.flatMap(({ rows }) => rows.chunks)))
          await insertAll(storage, `db.${CHUNKS}`, Buffer.concat(part))
        // Sessions are inserted last, so that every listed session has its chunks.
        for (const part of inInserts(batch.flatMap(({ rows }) => rows.sessions)))
          await insertAll(storage, `db.${SESSIONS}`, Buffer.concat(part))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { done } of batch) done(error as Error)
      }
    }
    isStoring = false
  }

  return {
    insert: (rows) =>
      new Promise((resolve, reject) => {
        const bytes = bytesOf(rows.chunks) + bytesOf(rows.sessions)
        waitingBytes += bytes
        const done = (error?: Error) => {
          waitingBytes -= bytes
          if (error === undefined) resolve()
          else reject(error)
        }
        waiting.push({ rows, bytes, done })
        if (!isStoring) void store()
      }),
    assertRoom() {
      if (waitingBytes > MAX_WAITING_BYTES)
        throw new ApiError('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    },
  }
}
