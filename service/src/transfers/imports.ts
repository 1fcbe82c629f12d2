import { ApiError } from '../lib/apiError.ts'
import type { DeletionStore } from '../retention/store.ts'
import type { Storage } from '../storage/storage.ts'
import { reconcile, type Sheet } from './reconcile.ts'
import type { ImportRecord, ImportStore } from './store.ts'

const MAX_LISTED = 50
// Imported events may be up to a day ahead.
const AHEAD_MS = 2 * 24 * 3_600_000

/** Imports of projects. `trailmark import` runs them. */
export interface Imports {
  list(projectId: number): Promise<readonly ImportRecord[]>
  /** Compares the rows that an import has read with the stored events. */
  sheet(storage: Pick<Storage, 'rows'>, projectId: number, id: string): Promise<Sheet>
  /** Lets the command stop after its current delivery. */
  stop(projectId: number, id: string): Promise<ImportRecord>
  /** Stops an import and requests the deletion of its events. Resolves with the id of the deletion. */
  undo(projectId: number, id: string, actor: string): Promise<string>
}

export const createImports = (store: ImportStore, deletions: Pick<DeletionStore, 'add'>): Imports => {
  const get = async (projectId: number, id: string) => {
    const found = await store.get(projectId, id)
    if (!found)
      throw new ApiError('not_found', {
        detail: `This project has no import ${id}. "trailmark import list" lists them.`,
      })
    return found
  }
  return {
    list: (projectId) => store.list(projectId, MAX_LISTED),
    sheet: async (storage, projectId, id) =>
      reconcile(storage, await get(projectId, id), await store.days(projectId, id)),
    async stop(projectId, id) {
      const { state } = await get(projectId, id)
      if (state === 'running') await store.change(id, { state: 'stopped' })
      return get(projectId, id)
    },
    async undo(projectId, id, actor) {
      await get(projectId, id)
      await store.change(id, { state: 'undone' })
      const until = new Date(Date.now() + AHEAD_MS).toISOString()
      const deletion = await deletions.add({
        projectId,
        kind: 'events',
        state: 'queued',
        target: { properties: [{ key: '$import_id', value: id }], until },
        actor,
      })
      return deletion.id
    },
  }
}
