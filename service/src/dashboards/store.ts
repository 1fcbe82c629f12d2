import { randomUUID } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'

export interface DashboardRecord {
  /** UUID. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly tiles: readonly unknown[]
  /** Starts at 1 and increases with each change. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

type DashboardFields = Pick<DashboardRecord, 'name' | 'description' | 'variables' | 'tiles'>

export interface DashboardStore {
  /** Lists dashboards by creation time, oldest first. */
  list(projectId: number): Promise<DashboardRecord[]>
  get(projectId: number, id: string): Promise<DashboardRecord | undefined>
  /** Resolves with `undefined` if the project has `max` dashboards. */
  create(projectId: number, dashboard: DashboardFields, max: number): Promise<DashboardRecord | undefined>
  /** Creates a project's first dashboard, unless this was called for the project before. */
  createDefault(projectId: number, dashboard: DashboardFields): Promise<void>
  /** Resolves with `undefined` if the dashboard does not have this version. */
  update(
    projectId: number,
    id: string,
    version: number,
    changes: Partial<DashboardFields>,
  ): Promise<DashboardRecord | undefined>
  /** Removes a dashboard. Resolves with whether it existed. */
  remove(projectId: number, id: string): Promise<boolean>
}

/** The setting that records that the default dashboard was created. It may have been deleted since. */
const DEFAULT_SETTING = 'default_dashboard'

const toDashboard = (row: Selectable<Tables['dashboards']>): DashboardRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  variables: JSON.parse(row.variables_json) as DashboardRecord['variables'],
  tiles: JSON.parse(row.tiles_json) as unknown[],
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toColumns = ({ name, description, variables, tiles }: Partial<DashboardFields>) => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(variables === undefined ? {} : { variables_json: JSON.stringify(variables) }),
  ...(tiles === undefined ? {} : { tiles_json: JSON.stringify(tiles) }),
})

const toRow = (projectId: number, dashboard: DashboardFields): Selectable<Tables['dashboards']> => {
  const at = now()
  return {
    id: randomUUID(),
    project_id: projectId,
    ...(toColumns(dashboard) as Required<ReturnType<typeof toColumns>>),
    version: 1,
    created_at: at,
    updated_at: at,
  }
}

export const createDashboardStore = ({ db, transact }: MetadataContext): DashboardStore => ({
  async list(projectId) {
    const ofProject = db.selectFrom('dashboards').selectAll().where('project_id', '=', projectId)
    return (await ofProject.orderBy('created_at').orderBy('id').execute()).map(toDashboard)
  },
  async get(projectId, id) {
    const ofProject = db.selectFrom('dashboards').selectAll().where('project_id', '=', projectId)
    const row = await ofProject.where('id', '=', id).executeTakeFirst()
    return row && toDashboard(row)
  },
  create: (projectId, dashboard, max) =>
    transact(async (transaction) => {
      const { count } = await transaction
        .selectFrom('dashboards')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (Number(count) >= max) return undefined
      const row = toRow(projectId, dashboard)
      await transaction.insertInto('dashboards').values(row).execute()
      return toDashboard(row)
    }),
  async createDefault(projectId, dashboard) {
    const isDone = async (reader: Kysely<Tables>) =>
      (await reader
        .selectFrom('settings')
        .select('name')
        .where('project_id', '=', projectId)
        .where('name', '=', DEFAULT_SETTING)
        .executeTakeFirst()) !== undefined
    // Almost always, and without waiting for other changes.
    if (await isDone(db)) return
    await transact(async (transaction) => {
      if (await isDone(transaction)) return
      await transaction
        .insertInto('settings')
        .values({ project_id: projectId, name: DEFAULT_SETTING, value_json: 'true' })
        .execute()
      await transaction.insertInto('dashboards').values(toRow(projectId, dashboard)).execute()
    })
  },
  async update(projectId, id, version, changes) {
    const row = await db
      .updateTable('dashboards')
      .set({ ...toColumns(changes), version: version + 1, updated_at: now() })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('version', '=', version)
      .returningAll()
      .executeTakeFirst()
    return row && toDashboard(row)
  },
  async remove(projectId, id) {
    const { numDeletedRows } = await db
      .deleteFrom('dashboards')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  },
})
