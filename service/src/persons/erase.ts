import { ApiError } from '../lib/apiError.ts'
import { NO_CALLER, type Storage, StorageError, type WorkLimits } from '../storage/storage.ts'
import { createRemove, type ForgetPerson, OF_IDS } from './forget.ts'
import type { Persons } from './lookup.ts'
import { createPersist, isBusy, type PersistOptions } from './persist.ts'

// A delete rewrites every part of the table that contains a row of the person.
const ERASE_LIMITS: WorkLimits = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

export interface EraseDependencies extends PersistOptions {
  readonly storage: Pick<Storage, 'remove'>
  readonly persons: Pick<Persons, 'distinctIds'>
  readonly forget: ForgetPerson
  /** Names of the tables with rows of a person's events, by `distinct_id`. */
  readonly tables: readonly string[]
  readonly erasers: readonly Eraser[]
}

/** Participation of a module in the erasure of a person. */
export interface Eraser {
  /** Deletes what the module has stored about the person with these ids, apart from rows in tables with `hasEvents`. */
  readonly erase?: (projectId: number, ids: readonly string[]) => Promise<void>
  /** Runs `work`, which deletes the events of these ids. */
  readonly whileDeleting?: (projectId: number, ids: readonly string[], work: () => Promise<void>) => Promise<void>
  /** Called when rows of a project are deleted, or some of them were, before the response is sent. */
  readonly onErased?: (projectId: number) => Promise<void>
}

export interface ErasedPerson {
  readonly projectId: number
  /** Id of the person. */
  readonly id: string
  readonly withEvents: boolean
}

/**
 * Resolves when nothing is stored under any id of the person. Once it has begun, it goes on while the stores are busy or restart. A
 * failed erasure can be repeated.
 */
export type Erase = (erased: ErasedPerson) => Promise<void>

const notConfirmed = () =>
  new ApiError('engine_unavailable', {
    detail: 'The event store did not confirm the deletion in time. Retry the request.',
    retryAfterSeconds: 5,
  })

export const createErase = ({ storage, persons, forget, tables, erasers, ...options }: EraseDependencies): Erase => {
  const remove = createRemove(storage, ERASE_LIMITS)

  const removeEvents = (projectId: number, ids: readonly string[]) => {
    const around = erasers.flatMap(({ whileDeleting }) => whileDeleting ?? [])
    return around.reduce<() => Promise<void>>(
      (work, whileDeleting) => () => whileDeleting(projectId, ids, work),
      async () => {
        for (const table of tables) await remove(table, projectId, OF_IDS, ids)
      },
    )()
  }

  return async ({ projectId, id, withEvents }) => {
    const persist = createPersist(options)
    // An erasure is completed even if its client has left.
    const ids = await persist(() => persons.distinctIds(projectId, id, NO_CALLER), isBusy)
    try {
      try {
        if (!ids.length) throw new ApiError('not_found', { detail: 'This project has no person with this id.' })
        for (const { erase } of erasers) await persist(async () => erase?.(projectId, ids))
        if (withEvents) await persist(() => removeEvents(projectId, ids))
        // The person last, because a repeated erasure needs it to find the rest.
        await persist(() => forget(projectId, ids))
      } finally {
        // Also without a person: the process that erased it may have been killed before this.
        for (const { onErased } of erasers) await persist(async () => onErased?.(projectId))
      }
    } catch (error) {
      throw error instanceof StorageError && error.kind !== 'full' ? notConfirmed() : error
    }
  }
}
