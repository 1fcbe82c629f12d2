import type { MetadataContext } from './context.ts'

/** Settings of a project, by name: remote configuration, early access features and the like. */
export interface SettingStore {
  get(projectId: number, name: string): Promise<unknown>
  set(projectId: number, name: string, value: unknown): Promise<void>
}

export const createSettingStore = ({ db }: MetadataContext): SettingStore => ({
  async get(projectId, name) {
    const row = await db
      .selectFrom('settings')
      .select('value_json')
      .where('project_id', '=', projectId)
      .where('name', '=', name)
      .executeTakeFirst()
    return row && (JSON.parse(row.value_json) as unknown)
  },
  async set(projectId, name, value) {
    const value_json = JSON.stringify(value)
    await db
      .insertInto('settings')
      .values({ project_id: projectId, name, value_json })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ value_json }))
      .execute()
  },
})
