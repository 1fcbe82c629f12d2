import { clientOf } from '../lib/clientOf.ts'
import { ApiError } from '../lib/apiError.ts'
import { createLane } from '../lib/lane.ts'
import { inParts } from '../lib/parts.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Project } from '../storage/metadata/metadata.ts'
import { NO_CALLER } from '../storage/storage.ts'
import { CHUNKS, type ChunkStore } from './chunkStore.ts'
import type { DayBudget } from './dayBudget.ts'
import { type Chunk, CHUNK_REJECTIONS, type ChunkRejection, MAX_SENT_BYTES, type ReadChunk } from './readBody.ts'
import { expiryOf, startInId } from './sessionStart.ts'
import type { RecordingSettingsStore } from './settings.ts'
import type { RecordingThread } from './thread.ts'
import type { DeletedRecordingStore } from './store.ts'

export interface RecordingDelivery {
  readonly body: Buffer
  /** Query parameters `compression`, `token` and `_`. */
  readonly compression: string | undefined
  readonly token: string | undefined
  readonly sentAt: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Client IP. */
  readonly address: string
}

/** A chunk that was rejected. `index` counts from 0 within the body. */
export interface RejectedChunk {
  readonly index: number
  readonly code: ChunkRejection
  readonly detail: string
}

export interface RecordingOutcome {
  readonly refused: readonly RejectedChunk[]
  /** Whether the project records no more of a session: its budget is used up, or the recording was deleted or has expired. */
  readonly isLimited: boolean
}

/** Stores the chunks of one delivery. Resolves when they are stored. Rejects with `ApiError` or `StorageError`. */
export type IngestRecording = (delivery: RecordingDelivery) => Promise<RecordingOutcome>

export interface RecordingDependencies {
  readonly thread: Pick<RecordingThread, 'read'>
  readonly chunks: ChunkStore
  readonly budget: DayBudget
  readonly settings: Pick<RecordingSettingsStore, 'get'>
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly deleted: DeletedRecordingStore
  /** Deletes the rows of sessions. */
  readonly remove: (projectId: number, sessionIds: readonly string[]) => Promise<void>
  readonly queryRows: QueryRows
  readonly countReceived: (chunks: number) => void
  readonly countRejected: (chunks: number) => void
}

/** Maximum deliveries that wait for the thread, so that they never hold the memory of events. */
export const MAX_WAITING = 16
const RETRY_AFTER_SECONDS = 10
const overloaded = () => new ApiError('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })

const MEGABYTE = 1_000_000

/** Maximum bytes of chunks that were read and are not stored yet. */
export const MAX_HELD_BYTES = 64_000_000
/** Bodies whose sessions are looked up at the same time, and maximum bodies of one client that wait for it. */
const LOOKUPS_AT_ONCE = 2
export const MAX_WAITING_LOOKUPS = 8

const isChunk = (read: ReadChunk): read is Chunk => 'rows' in read

const bytesOf = (chunks: readonly ReadChunk[]) =>
  chunks.reduce((sum, chunk) => sum + (isChunk(chunk) ? chunk.bytes : 0), 0)

export const createIngestRecording = ({
  thread,
  chunks,
  budget,
  settings,
  projectByToken,
  deleted,
  remove,
  queryRows,
  countReceived,
  countRejected,
}: RecordingDependencies): IngestRecording => {
  let waiting = 0
  const lookups = createLane(LOOKUPS_AT_ONCE)
  const waitingLookups = new Map<string, number>()
  let heldBytes = 0

  const read = async ({ address, ...delivery }: RecordingDelivery): Promise<ReadChunk[]> => {
    chunks.assertRoom()
    if (delivery.body.length > MAX_SENT_BYTES)
      throw new ApiError('body_too_large', {
        detail: `A body of a recording may have at most ${MAX_SENT_BYTES} bytes.`,
      })
    if (waiting >= MAX_WAITING || heldBytes > MAX_HELD_BYTES) throw overloaded()
    waiting += 1
    try {
      return await thread.read(clientOf(address), delivery)
    } finally {
      waiting -= 1
    }
  }

  /** Runs a lookup when it is the turn of its client. Rejects with `ApiError` if too many of the client wait already. */
  const inTurn = async <Value>(client: string, lookUp: () => Promise<Value>): Promise<Value> => {
    const others = waitingLookups.get(client) ?? 0
    if (others >= MAX_WAITING_LOOKUPS) throw overloaded()
    waitingLookups.set(client, others + 1)
    try {
      return await lookups.run(client, lookUp)
    } finally {
      const left = waitingLookups.get(client)! - 1
      if (left) waitingLookups.set(client, left)
      else waitingLookups.delete(client)
    }
  }

  /**
   * Returns a function that returns the start of a session. The ids of other SDKs do not contain it, so one query finds
   * the stored starts of all such sessions in a body.
   */
  const startsOf = async (projectId: number, own: readonly Chunk[], { address, receivedAt }: RecordingDelivery) => {
    const unknown = new Map<string, number>()
    for (const { sessionId, firstAt } of own)
      if (startInId(sessionId, receivedAt) === undefined && !unknown.has(sessionId)) unknown.set(sessionId, firstAt)
    if (unknown.size) {
      const parts = inParts([...unknown.keys()])
      const among = parts.map((_, index) => `session_id IN {ids${index}:Array(String)}`).join(' OR ')
      const text = `SELECT session_id, toUnixTimestamp64Milli(min(first_at)) FROM db.${CHUNKS} WHERE project_id = {projectId:UInt32} AND (${among}) GROUP BY session_id`
      const params = { projectId, ...Object.fromEntries(parts.map((ids, index) => [`ids${index}`, ids])) }
      const rows = await inTurn(clientOf(address), () => queryRows(projectId, { text, params }, NO_CALLER))
      for (const [sessionId, first] of rows) unknown.set(String(sessionId), Number(first))
    }
    return (sessionId: string): number => startInId(sessionId, receivedAt) ?? unknown.get(sessionId)!
  }

  /** Stores the chunks of one project. Resolves with whether some were not stored. */
  const store = async (projectId: number, own: readonly Chunk[], delivery: RecordingDelivery): Promise<boolean> => {
    const { retention_days: days, day_megabytes: megabytes } = await settings.get(projectId)
    const sessions = [...new Set(own.map(({ sessionId }) => sessionId))]
    const gone = await deleted.among(projectId, sessions)
    const startOf = await startsOf(projectId, own, delivery)
    const today = new Date(delivery.receivedAt).toISOString().slice(0, 10)
    const rows: { chunks: Uint8Array[]; sessions: Uint8Array[] } = { chunks: [], sessions: [] }
    let isLimited = false
    for (const chunk of own) {
      const expiresOn = expiryOf(startOf(chunk.sessionId), days)
      const isWanted =
        !gone.has(chunk.sessionId) &&
        expiresOn > today &&
        (await budget.take(projectId, chunk.bytes, megabytes * MEGABYTE))
      if (!isWanted) {
        isLimited = true
        continue
      }
      const head = Buffer.from(`{"project_id":${projectId},"expires_on":"${expiresOn}",`)
      const toRow = (line: Uint8Array) => Buffer.concat([head, line])
      rows.chunks.push(...chunk.rows.map(toRow))
      rows.sessions.push(toRow(chunk.session))
    }
    countReceived(own.length)
    if (!rows.chunks.length) return isLimited
    await chunks.insert(rows)
    // Sessions that were deleted while the chunks were being stored.
    const late = [...(await deleted.among(projectId, sessions))].filter((id) => !gone.has(id))
    if (late.length) await remove(projectId, late)
    return isLimited || late.length > 0
  }

  return async (delivery) => {
    const all = await read(delivery)
    const refused: RejectedChunk[] = []
    const reject = (index: number, code: ChunkRejection) =>
      refused.push({ index, code, detail: CHUNK_REJECTIONS[code] })
    const byProject = new Map<number, Chunk[]>()
    for (const [index, each] of all.entries()) {
      const project = each.token === undefined ? undefined : await projectByToken(each.token)
      if (!project) reject(index, 'unknown_token')
      else if (isChunk(each)) byProject.set(project.id, [...(byProject.get(project.id) ?? []), each])
      else reject(index, each.code)
    }
    countRejected(refused.length)
    if (all.length && refused.length === all.length && refused.every(({ code }) => code === 'unknown_token'))
      throw new ApiError('invalid_token')
    const bytes = bytesOf(all)
    heldBytes += bytes
    try {
      let isLimited = false
      for (const [projectId, own] of byProject) {
        if (await store(projectId, own, delivery)) isLimited = true
      }
      return { refused, isLimited }
    } finally {
      heldBytes -= bytes
    }
  }
}
