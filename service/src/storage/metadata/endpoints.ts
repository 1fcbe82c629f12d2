import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now, unlessTaken } from './context.ts'
import {
  createEndpointVersionStore,
  type EndpointVersionStore,
  type NewVersion,
  toVersionRow,
} from './endpointVersions.ts'
import type { Tables } from './tables.ts'

export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly isActive: boolean
  readonly currentVersion: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Absent: the endpoint has never run. */
  readonly lastExecutedAt: string | undefined
}

type EndpointFields = Pick<Endpoint, 'name' | 'description' | 'isActive'>

export interface EndpointStore extends EndpointVersionStore {
  list(projectId: number): Promise<Endpoint[]>
  get(projectId: number, name: string): Promise<Endpoint | undefined>
  /** Creates an endpoint with version 1. Resolves with `undefined` if the name is taken. */
  create(projectId: number, endpoint: EndpointFields & NewVersion): Promise<Endpoint | undefined>
  /** Changes an endpoint and adds the version `next`, if present. Resolves with 'taken' if another endpoint has the new name. */
  update(id: string, changes: Partial<EndpointFields> & { next?: NewVersion }): Promise<'done' | 'taken'>
  remove(id: string): Promise<void>
  touch(id: string, executedAt: string): Promise<void>
}

const toEndpoint = (row: Selectable<Tables['endpoints']>): Endpoint => ({
  id: row.id,
  name: row.name,
  description: row.description,
  isActive: row.is_active === 1,
  currentVersion: row.current_version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastExecutedAt: row.last_executed_at ?? undefined,
})

const toColumns = ({ name, description, isActive }: Partial<EndpointFields>) => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
})

export const createEndpointStore = (context: MetadataContext): EndpointStore => {
  const { db, transact, cacheReads } = context
  const inProject = (projectId: number) =>
    db.selectFrom('endpoints').selectAll().where('project_id', '=', projectId).where('deleted_at', 'is', null)
  return {
    ...createEndpointVersionStore(context),
    list: async (projectId) =>
      (await inProject(projectId).orderBy('created_at').orderBy('id').execute()).map(toEndpoint),
    get: cacheReads('endpoint', async (projectId: number, name: string) => {
      const row = await inProject(projectId).where('name', '=', name).executeTakeFirst()
      return row && toEndpoint(row)
    }),
    async create(projectId, { name, description, isActive, ...first }) {
      const at = now()
      const row = {
        id: randomUUID(),
        project_id: projectId,
        name,
        description,
        is_active: Number(isActive),
        current_version: 1,
        created_at: at,
        updated_at: at,
        deleted_at: null,
        last_executed_at: null,
      }
      return unlessTaken(context, () =>
        transact(async (transaction) => {
          await transaction.insertInto('endpoints').values(row).execute()
          await transaction
            .insertInto('endpoint_versions')
            .values(toVersionRow(row.id, 1, first, at))
            .execute()
          return toEndpoint(row)
        }),
      )
    },
    async update(id, { next, ...fields }) {
      const at = now()
      const result = await unlessTaken(context, () =>
        transact(async (transaction) => {
          const { current_version: last } = await transaction
            .selectFrom('endpoints')
            .select('current_version')
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
          const version = next === undefined ? last : last + 1
          if (next)
            await transaction
              .insertInto('endpoint_versions')
              .values(toVersionRow(id, version, next, at))
              .execute()
          await transaction
            .updateTable('endpoints')
            .set({ updated_at: at, current_version: version, ...toColumns(fields) })
            .where('id', '=', id)
            .execute()
          return 'done' as const
        }),
      )
      return result ?? 'taken'
    },
    async remove(id) {
      await db.updateTable('endpoints').set({ deleted_at: now() }).where('id', '=', id).execute()
    },
    async touch(id, executedAt) {
      await db.updateTable('endpoints').set({ last_executed_at: executedAt }).where('id', '=', id).execute()
    },
  }
}
