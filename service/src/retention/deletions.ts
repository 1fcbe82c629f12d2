import { ApiError } from '../lib/apiError.ts'
import type { DeletionsOptions, DeletionWork } from './deletionWork.ts'
import type { Deletion } from './store.ts'
import type { Target } from './target.ts'

/** A dry run that is older says too little about what would be deleted. */
const MAX_DRY_RUN_AGE_MS = 24 * 3_600_000
const MAX_LISTED = 100

export interface Deletions {
  list(projectId: number): Promise<readonly Deletion[]>
  get(projectId: number, id: string): Promise<Deletion>
  /** Begins a dry run, which counts what would be deleted. */
  request(projectId: number, target: Target, actor: string): Promise<Deletion>
  /** Begins the deletion after its dry run. */
  start(projectId: number, id: string): Promise<Deletion>
  /** Ends a deletion. Rows that were deleted already stay deleted. */
  cancel(projectId: number, id: string): Promise<Deletion>
}

const missing = () => new ApiError('not_found', { detail: 'This project has no deletion with this id.' })

export const createDeletions = ({
  store,
  storage,
  work,
  now,
  log,
}: Omit<DeletionsOptions, 'changeRows'> & { readonly work: DeletionWork['work'] }): Deletions => {
  const kick = () => void work().catch((error: Error) => log(`deletions: ${error.message}`))
  const get = async (projectId: number, id: string) => {
    const found = await store.get(projectId, id)
    if (!found) throw missing()
    return found
  }

  return {
    list: (projectId) => store.list(projectId, MAX_LISTED),
    get,
    async request(projectId, target, actor) {
      const added = await store.add({ projectId, kind: 'events', state: 'counting', target, actor })
      kick()
      return added
    },
    async start(projectId, id) {
      const { createdAt } = await get(projectId, id)
      const isRecent = now() - Date.parse(createdAt) <= MAX_DRY_RUN_AGE_MS
      const started = isRecent ? await store.change(id, ['counted'], { state: 'queued' }) : undefined
      if (!started)
        throw new ApiError('invalid_input', {
          detail: 'Only a deletion in the state "counted" can be started, within 24 hours. Request another dry run.',
        })
      await store.renew(id, new Date(0).toISOString())
      kick()
      return started
    },
    async cancel(projectId, id) {
      await get(projectId, id)
      const canceled = await store.change(id, ['counting', 'counted', 'queued', 'deleting'], { state: 'canceled' })
      if (!canceled)
        throw new ApiError('invalid_input', { detail: 'This deletion has ended, so it cannot be canceled.' })
      // The id is safe in the statement, because the store has generated it.
      await storage
        .command(
          `KILL MUTATION WHERE database = '${storage.rowsDatabase}' AND position(command, '${canceled.id}') > 0 SYNC`,
        )
        .catch((error: Error) => log(`deletion ${id}: ${error.message}`))
      return canceled
    },
  }
}
