import { type MetadataContext, now } from '../storage/metadata/context.ts'

/** Sessions whose recordings were deleted. Their late chunks are refused. */
export interface DeletedRecordingStore {
  /** Marks sessions as deleted. `until`: time after which no late chunk can arrive, as ISO 8601. */
  add(projectId: number, sessionIds: readonly string[], until: string): Promise<void>
  /** Returns those of the sessions that were deleted. */
  among(projectId: number, sessionIds: readonly string[]): Promise<ReadonlySet<string>>
}

// Small enough for the maximum number of values in one statement.
const IDS_PER_STATEMENT = 500

const inParts = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / IDS_PER_STATEMENT) }, (_, part) =>
    ids.slice(part * IDS_PER_STATEMENT, (part + 1) * IDS_PER_STATEMENT),
  )

export const createDeletedRecordingStore = ({ db }: MetadataContext): DeletedRecordingStore => ({
  async add(projectId, sessionIds, until) {
    await db.deleteFrom('deleted_recordings').where('until', '<', now()).execute()
    for (const ids of inParts(sessionIds))
      await db
        .insertInto('deleted_recordings')
        .values(ids.map((id) => ({ project_id: projectId, session_id: id, until })))
        .onConflict((conflict) => conflict.columns(['project_id', 'session_id']).doUpdateSet({ until }))
        .execute()
  },
  async among(projectId, sessionIds) {
    const found = new Set<string>()
    for (const ids of inParts(sessionIds)) {
      const rows = await db
        .selectFrom('deleted_recordings')
        .select('session_id')
        .where('project_id', '=', projectId)
        .where('session_id', 'in', ids)
        .execute()
      for (const { session_id } of rows) found.add(session_id)
    }
    return found
  },
})
