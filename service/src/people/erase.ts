import { inParts } from '../lib/parts.ts'
import { ApiError } from '../lib/apiError.ts'
import { type Storage, StorageError, storageApiError } from '../storage/storage.ts'
import type { Persons } from './persons.ts'

export interface EraseRooms {
  readonly storage: Pick<Storage, 'work' | 'rowsDatabase'>
  readonly persons: Pick<Persons, 'distinctIds'>
  /** Takes away what is known of whoever has these ids. */
  readonly forget: (projectId: number, distinctIds: readonly string[]) => Promise<void>
  /** Hears that rows of a project are gone, before whoever asked for it does. */
  readonly onErased: (projectId: number) => Promise<void>
}

export interface ErasedPerson {
  readonly projectId: number
  /** Of the person. */
  readonly id: string
  readonly withEvents: boolean
}

/** Resolves when nothing of it is stored any more, in any of the person's ids. What failed half-way may be asked for again. */
export type Erase = (erased: ErasedPerson) => Promise<void>

// Deleting rewrites every part of the table that has a row of the person.
const LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

/** What is stored of somebody besides their person, by `distinct_id`. */
const TOLD_OF = ['events', 'refused_events']

export const createErase =
  ({ storage, persons, forget, onErased }: EraseRooms): Erase =>
  async ({ projectId, id, withEvents }) => {
    const ids = await persons.distinctIds(projectId, id)
    if (!ids.length) throw new ApiError('not_found', { detail: 'This project has no person of this id.' })
    try {
      // The person last: by them a repeat finds what is left.
      for (const table of withEvents ? TOLD_OF : []) {
        const text = `ALTER TABLE ${storage.rowsDatabase}.${table} DELETE WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} SETTINGS mutations_sync = 2`
        for (const part of inParts(ids)) await storage.work({ text, params: { projectId, ids: part } }, LIMITS)
      }
      await forget(projectId, ids)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.kind === 'full') throw storageApiError(error)
      throw new ApiError('engine_unavailable', {
        detail: 'The event store did not answer before all was deleted: ask for it again.',
        retryAfterSeconds: 5,
      })
    } finally {
      await onErased(projectId)
    }
  }
