import { ApiError } from '../lib/apiError.ts'
import { inParts } from '../lib/parts.ts'
import { NO_CALLER, type Storage, StorageError, storageApiError } from '../storage/storage.ts'
import type { PersonFacts } from './facts.ts'
import type { LastSeenCache } from './lastSeenCache.ts'
import type { Persons } from './lookup.ts'
import { endsOf } from './merge.ts'

/**
 * Deletes everything stored about the person with these ids, which must be all ids of the person. No batch may be
 * stored meanwhile.
 */
export type ForgetPerson = (projectId: number, ids: readonly string[]) => Promise<void>

const FORGET_LIMITS = { maxSeconds: 600, maxMemoryBytes: 1_000_000_000 }
// A delete rewrites every part of the table that contains a row of the person.
const ERASE_LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

const OF_IDS = 'distinct_id IN {ids:Array(String)}'

const createRemove =
  (storage: Pick<Storage, 'remove'>, limits: typeof FORGET_LIMITS) =>
  async (table: string, projectId: number, where: string, all: readonly string[]): Promise<void> => {
    for (const ids of inParts(all)) await storage.remove({ table, where, params: { projectId, ids } }, limits)
  }

/** Creates the function. `lastSeen`: cache of stored facts. */
export const createForgetPerson = (
  storage: Pick<Storage, 'remove'>,
  facts: Pick<PersonFacts, 'around' | 'writeMerges' | 'writeOwners'>,
  lastSeen?: Pick<LastSeenCache, 'forget'>,
): ForgetPerson => {
  const remove = createRemove(storage, FORGET_LIMITS)
  return async (projectId, ids) => {
    lastSeen?.forget(projectId)
    const own = new Set(ids)
    const around = await facts.around(projectId, ids)
    const others = [...new Set(around.flatMap(endsOf))].filter((id) => !own.has(id))
    if (others.length) {
      const left = around
        .filter(({ into }) => !own.has(into))
        // The person stays identified without the erased id. Otherwise, an alias could merge the remaining ids.
        .map((fact) => (own.has(fact.from) ? { ...fact, from: '' } : fact))
      // The owners of the remaining ids now follow from fewer facts. Rows that follow from more facts would win, so
      // they are deleted.
      await remove('person_distinct_ids', projectId, OF_IDS, others)
      await facts.writeOwners(projectId, left)
      await facts.writeMerges(
        projectId,
        left.filter(({ from }) => !from),
      )
    }
    await remove('person_merges', projectId, 'from_id IN {ids:Array(String)} OR into_id IN {ids:Array(String)}', ids)
    await remove('person_properties', projectId, OF_IDS, ids)
    // Last, because these facts connect the ids, and a retry after a failure has to find all of them.
    await remove('person_distinct_ids', projectId, OF_IDS, ids)
  }
}

export interface EraseDependencies {
  readonly storage: Pick<Storage, 'remove'>
  readonly persons: Pick<Persons, 'distinctIds'>
  readonly forget: ForgetPerson
  /** Names of the tables with rows of a person's events, by `distinct_id`. */
  readonly tables: readonly string[]
  readonly erasers: readonly Eraser[]
}

/** How a module takes part in the erasure of a person. */
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

/** Resolves when nothing is stored under any id of the person. A failed erasure can be retried. */
export type Erase = (erased: ErasedPerson) => Promise<void>

export const createErase = ({ storage, persons, forget, tables, erasers }: EraseDependencies): Erase => {
  const remove = createRemove(storage, ERASE_LIMITS)
  return async ({ projectId, id, withEvents }) => {
    // An erasure is completed even if its client has left.
    const ids = await persons.distinctIds(projectId, id, NO_CALLER)
    if (!ids.length) throw new ApiError('not_found', { detail: 'This project has no person with this id.' })
    try {
      // The person last, because a retry needs it to find the rest.
      for (const { erase } of erasers) await erase?.(projectId, ids)
      const removeEvents = async () => {
        for (const table of tables) await remove(table, projectId, OF_IDS, ids)
      }
      const around = erasers.flatMap(({ whileDeleting }) => whileDeleting ?? [])
      if (withEvents)
        await around.reduce<() => Promise<void>>(
          (work, whileDeleting) => () => whileDeleting(projectId, ids, work),
          removeEvents,
        )()
      await forget(projectId, ids)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      const full = error.kind === 'full' ? storageApiError(error) : undefined
      throw (
        full ??
        new ApiError('engine_unavailable', {
          detail: 'The event store did not confirm the deletion in time. Retry the request.',
          retryAfterSeconds: 5,
        })
      )
    } finally {
      for (const { onErased } of erasers) await onErased?.(projectId)
    }
  }
}
