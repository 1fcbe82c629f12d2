import type { Kysely } from 'kysely'
import type { MetadataContext } from './context.ts'
import type { Tables } from './tables.ts'

/** Types of groups, such as company, in the order in which they were added. */
export interface GroupTypeStore {
  list(projectId: number): Promise<string[]>
  /** Adds the missing types, up to `max` in total. Resolves with all types. */
  add(projectId: number, types: readonly string[], max: number): Promise<string[]>
}

const listIn = async (db: Kysely<Tables>, projectId: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('group_types')
    .select('type')
    .where('project_id', '=', projectId)
    .orderBy('place')
    .execute()
  return rows.map(({ type }) => type)
}

export const createGroupTypeStore = ({ db, transact }: MetadataContext): GroupTypeStore => ({
  list: (projectId) => listIn(db, projectId),
  add: (projectId, types, max) =>
    transact(async (transaction) => {
      const known = await listIn(transaction, projectId)
      const added = types.filter((type) => !known.includes(type)).slice(0, Math.max(0, max - known.length))
      for (const [index, type] of added.entries())
        await transaction
          .insertInto('group_types')
          .values({ project_id: projectId, type, place: known.length + index })
          .execute()
      return [...known, ...added]
    }),
})
