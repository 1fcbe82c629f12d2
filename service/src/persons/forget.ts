import { inParts, queryInParts } from '../lib/parts.ts'
import { NO_CALLER, type Storage } from '../storage/storage.ts'
import type { OwnerHooks, PersonFacts } from './facts.ts'
import type { LastSeenCache } from './lastSeenCache.ts'
import { factsAfterErasure } from './merge.ts'

/**
 * Deletes everything stored about the person with these ids, which must be all ids of the person. No batch may be
 * stored meanwhile.
 */
export type ForgetPerson = (projectId: number, ids: readonly string[]) => Promise<void>

const FORMER_READ = { maxBytes: 64_000_000, signal: NO_CALLER }
const FORGET_LIMITS = { maxSeconds: 600, maxMemoryBytes: 1_000_000_000 }
export const OF_IDS = 'distinct_id IN {ids:Array(String)}'

/** Returns a function that deletes the rows of any number of ids. */
export const createRemove =
  (storage: Pick<Storage, 'remove'>, limits: typeof FORGET_LIMITS) =>
  async (table: string, projectId: number, where: string, all: readonly string[]): Promise<void> => {
    for (const ids of inParts(all)) await storage.remove({ table, where, params: { projectId, ids } }, limits)
  }

const FORMER_OWNERS = `SELECT DISTINCT person FROM db.person_distinct_ids
  WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} AND person NOT IN {ids:Array(String)}`

/** Deletes the rows of ids that name an owner outside of them: later facts have replaced it, but a row may outlive the later one. */
const createRemoveFormer =
  (storage: Pick<Storage, 'rows' | 'remove'>) => async (projectId: number, ids: readonly string[]) => {
    const own = new Set(ids)
    const found = await queryInParts(ids, (some) =>
      storage.rows<{ person: string }>({ text: FORMER_OWNERS, params: { projectId, ids: some } }, FORMER_READ),
    )
    const former = [...new Set(found.map(({ person }) => person))].filter((person) => !own.has(person))
    for (const owners of inParts(former))
      for (const some of inParts(ids))
        await storage.remove(
          {
            table: 'person_distinct_ids',
            where: `${OF_IDS} AND person IN {owners:Array(String)}`,
            params: { projectId, ids: some, owners },
          },
          FORGET_LIMITS,
        )
  }

export interface ForgetOptions {
  /** Cache of stored facts. */
  readonly lastSeen?: Pick<LastSeenCache, 'forget'> | undefined
  readonly owners?: OwnerHooks | undefined
}

/**
 * Creates the function. Each statement deletes rows of this person or adds facts, so a run between two of them sees every other
 * person as before.
 */
export const createForgetPerson = (
  storage: Pick<Storage, 'rows' | 'remove'>,
  facts: Pick<PersonFacts, 'around' | 'writeMerges'>,
  { lastSeen, owners }: ForgetOptions = {},
): ForgetPerson => {
  const remove = createRemove(storage, FORGET_LIMITS)
  const removeFormer = createRemoveFormer(storage)
  return async (projectId, ids) => {
    lastSeen?.forget(projectId)
    await facts.writeMerges(projectId, factsAfterErasure(await facts.around(projectId, ids), new Set(ids)))
    await remove('person_merges', projectId, 'from_id IN {ids:Array(String)} OR into_id IN {ids:Array(String)}', ids)
    await remove('person_properties', projectId, OF_IDS, ids)
    await owners?.begin(projectId, false)
    try {
      await removeFormer(projectId, ids)
      // Last, because these facts connect the ids, and a retry after a failure has to find all of them.
      await remove('person_distinct_ids', projectId, OF_IDS, ids)
    } finally {
      await owners?.end(projectId, ids)
    }
  }
}
