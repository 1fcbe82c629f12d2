import { inParts } from '../lib/parts.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { NO_CALLER, type Storage } from '../storage/storage.ts'
import { CHUNKS, SESSIONS } from './chunkStore.ts'
import type { DeletedRecordingStore } from './store.ts'

/** Deletes recordings. All methods resolve once nothing of them is stored, and can be retried. */
export interface RemoveRecordings {
  /** Deletes the rows of sessions. */
  rows(projectId: number, sessionIds: readonly string[]): Promise<void>
  /** Deletes recordings, and rejects chunks of them that arrive later. */
  sessions(projectId: number, sessionIds: readonly string[]): Promise<void>
  /** Deletes all recordings with one of these distinct ids. */
  ofPerson(projectId: number, distinctIds: readonly string[]): Promise<void>
}

const LIMITS = { maxSeconds: 600, maxMemoryBytes: 2_000_000_000 }
// Longer than an SDK keeps what it could not send.
const REJECTED_MS = 90 * 24 * 3_600_000

const OF_IDS = `SELECT DISTINCT session_id FROM db.${CHUNKS} WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)}`

export const createRemoveRecordings = (
  storage: Pick<Storage, 'remove'>,
  queryRows: QueryRows,
  deleted: DeletedRecordingStore,
): RemoveRecordings => {
  const rows: RemoveRecordings['rows'] = async (projectId, sessionIds) => {
    for (const ids of inParts(sessionIds))
      for (const table of [SESSIONS, CHUNKS])
        await storage.remove({ table, where: 'session_id IN {ids:Array(String)}', params: { projectId, ids } }, LIMITS)
  }
  const sessions: RemoveRecordings['sessions'] = async (projectId, sessionIds) => {
    if (!sessionIds.length) return
    // Before the rows are deleted: later chunks are rejected, and a delivery in progress deletes its own chunks.
    await deleted.add(projectId, sessionIds, new Date(Date.now() + REJECTED_MS).toISOString())
    await rows(projectId, sessionIds)
  }
  return {
    rows,
    sessions,
    async ofPerson(projectId, distinctIds) {
      for (const ids of inParts(distinctIds)) {
        const found = await queryRows(projectId, { text: OF_IDS, params: { projectId, ids } }, NO_CALLER)
        await sessions(
          projectId,
          found.map(([id]) => String(id)),
        )
      }
    },
  }
}
