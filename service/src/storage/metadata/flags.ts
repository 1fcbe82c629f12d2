import type { Selectable } from 'kysely'
import { type MetadataContext, now, unlessTaken } from './context.ts'
import type { Tables } from './tables.ts'

export interface FlagRecord {
  readonly id: number
  readonly key: string
  readonly name: string
  readonly isActive: boolean
  /** Conditions, variants, payloads. */
  readonly filters: unknown
  /** Contexts in which the flag is evaluated. Empty: all. */
  readonly contexts: readonly string[]
  /** Starts at 1 and increases with each change. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

type FlagFields = Pick<FlagRecord, 'key' | 'name' | 'isActive' | 'filters' | 'contexts'>

export interface FlagStore {
  /** Lists flags by creation time, oldest first. */
  list(projectId: number): Promise<FlagRecord[]>
  /** Resolves with `undefined` if the key is taken. */
  create(projectId: number, flag: FlagFields): Promise<FlagRecord | undefined>
  /** Resolves with `undefined` if another flag has the new key. */
  update(projectId: number, id: number, changes: Partial<FlagFields>): Promise<FlagRecord | undefined>
  remove(projectId: number, id: number): Promise<void>
}

const toFlag = (row: Selectable<Tables['flags']>): FlagRecord => ({
  id: row.id,
  key: row.key,
  name: row.name,
  isActive: row.is_active === 1,
  filters: JSON.parse(row.filters_json) as unknown,
  contexts: JSON.parse(row.contexts_json) as string[],
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toColumns = ({ key, name, isActive, filters, contexts }: Partial<FlagFields>) => ({
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
  ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
  ...(filters === undefined ? {} : { filters_json: JSON.stringify(filters) }),
  ...(contexts === undefined ? {} : { contexts_json: JSON.stringify(contexts) }),
})

export const createFlagStore = (context: MetadataContext): FlagStore => {
  const { db, transact } = context
  return {
    async list(projectId) {
      const rows = await db
        .selectFrom('flags')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('deleted_at', 'is', null)
        .orderBy('id')
        .execute()
      return rows.map(toFlag)
    },
    create: (projectId, flag) =>
      unlessTaken(context, () =>
        transact(async (transaction) => {
          const { last } = await transaction
            .selectFrom('flags')
            .select(({ fn }) => fn.max('id').as('last'))
            .executeTakeFirstOrThrow()
          const at = now()
          const row = {
            id: (last ?? 0) + 1,
            project_id: projectId,
            ...(toColumns(flag) as Required<ReturnType<typeof toColumns>>),
            version: 1,
            created_at: at,
            updated_at: at,
            deleted_at: null,
          }
          await transaction.insertInto('flags').values(row).execute()
          return toFlag(row)
        }),
      ),
    update: (projectId, id, changes) =>
      unlessTaken(context, async () => {
        const row = await db
          .updateTable('flags')
          .set((column) => ({ ...toColumns(changes), version: column('version', '+', 1), updated_at: now() }))
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        return toFlag(row)
      }),
    async remove(projectId, id) {
      await db
        .updateTable('flags')
        .set({ deleted_at: now() })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
  }
}
