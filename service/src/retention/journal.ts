import { createHash } from 'node:crypto'
import type { Fields } from '../lib/fields.ts'
import type { Refuser } from '../ingest/sink.ts'
import type { Eraser } from '../persons/erase.ts'
import type { DeletionStore, ErasureStore } from './store.ts'
import { isTarget } from './target.ts'

const HASH_LENGTH = 32

/** Returns the hash under which the journal stores an id. The id itself was erased. */
export const hashOf = (projectId: number, id: string): string =>
  createHash('sha256').update(`${projectId}:${id}`).digest('hex').slice(0, HASH_LENGTH)

/** Returns the same hash of a column, for the project in the parameter `projectId`. */
export const hashOfColumn = (column: string): string =>
  `substring(lower(hex(SHA256(concat(toString({projectId:UInt32}), ':', ${column})))), 1, ${HASH_LENGTH})`

/** Code of the rejection of events that were deleted before they arrived. */
export const ERASED = 'erased'

/** Creates the eraser that notes the erased ids before anything is deleted. */
export const createJournal = (store: Pick<ErasureStore, 'add'>): Required<Pick<Eraser, 'erase' | 'whileDeleting'>> => {
  const note = (projectId: number, ids: readonly string[], withEvents: boolean) => {
    const erasedAt = new Date().toISOString()
    return store.add(ids.map((id) => ({ projectId, hash: hashOf(projectId, id), erasedAt, withEvents })))
  }
  return {
    erase: (projectId, ids) => note(projectId, ids, false),
    async whileDeleting(projectId, ids, work) {
      await note(projectId, ids, true)
      await work()
    },
  }
}

/** Creates the function that refuses late events: those with a time for which events were deleted. */
export const createRefuser =
  (erasures: Pick<ErasureStore, 'newest' | 'erasedAt'>, deletions: Pick<DeletionStore, 'targets'>): Refuser =>
  async (projectId) => {
    const [newest, targets] = [await erasures.newest(projectId), await deletions.targets(projectId)]
    if (!newest && !targets.length) return undefined
    const lastErasure = Date.parse(newest)
    return async ({ event: name, distinctId, timestamp, properties }) => {
      // Almost all events are newer than the last erasure.
      if (timestamp <= lastErasure) {
        const at = await erasures.erasedAt(projectId, hashOf(projectId, distinctId))
        if (at && timestamp <= Date.parse(at)) return ERASED
      }
      const event = { name, timestamp, properties: () => JSON.parse(properties) as Fields }
      return targets.some(({ target }) => isTarget(target, event)) ? ERASED : undefined
    }
  }
