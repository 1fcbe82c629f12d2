import type { Metadata } from '../storage/metadata/metadata.ts'
import { within } from '../lib/wait.ts'
import { SMALL_READ, type Storage, StorageError } from '../storage/storage.ts'

/** Knows in which projects every id is its own person, so that a query need not look up the persons of its events. */
export interface Merges {
  /**
   * Whether no id of the project has another person. If it is so before and after a statement runs, it was so while it ran. May be false
   * although there is no such id.
   */
  areAbsent(projectId: number): Promise<boolean>
  /** Call before ids get another person. Rejects with `StorageError`. */
  note(projectId: number): Promise<void>
}

export interface MergesOptions {
  readonly storage: Pick<Storage, 'rows'>
  /** Store in which all processes note merges. Absent: there is one process. */
  readonly shared?: Pick<Metadata['settings'], 'get' | 'set'> | undefined
  readonly now?: () => number
}

// Other programs may write to the engine: an import, or a restore of one table.
const LOOK_AGAIN_MS = 60_000

/** Time that a run waits before it looks up persons instead. */
const LOOK_MS = 1_000

const SETTING = 'has_merged_ids'

const MERGED =
  'SELECT 1 FROM db.person_distinct_ids WHERE project_id = {projectId:UInt32} AND person != distinct_id LIMIT 1'

export const createMerges = ({ storage, shared, now = Date.now }: MergesOptions): Merges => {
  const merged = new Set<number>()
  const lookedAt = new Map<number, number>()
  const looking = new Map<number, Promise<void>>()

  const look = async (projectId: number) => {
    const at = now()
    try {
      const found = await storage.rows({ text: MERGED, params: { projectId } }, SMALL_READ)
      if (found.length) merged.add(projectId)
      lookedAt.set(projectId, at)
    } finally {
      looking.delete(projectId)
    }
  }

  const isKnown = (projectId: number): boolean => now() - (lookedAt.get(projectId) ?? -Infinity) < LOOK_AGAIN_MS

  return {
    async areAbsent(projectId) {
      if (merged.has(projectId)) return false
      if (!isKnown(projectId)) {
        if (!looking.has(projectId)) looking.set(projectId, look(projectId))
        // The run itself reports an unavailable engine.
        await within(looking.get(projectId)!, LOOK_MS, undefined).catch(() => {})
        if (!isKnown(projectId)) return false
      }
      if (!merged.has(projectId) && (await shared?.get(projectId, SETTING))) merged.add(projectId)
      return !merged.has(projectId)
    },
    async note(projectId) {
      if (merged.has(projectId)) return
      await shared?.set(projectId, SETTING, true).catch((error: Error) => {
        throw new StorageError('unavailable', error.message)
      })
      merged.add(projectId)
    },
  }
}
