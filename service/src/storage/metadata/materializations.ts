import type { MetadataContext } from './context.ts'
import { type EndpointVersion, selectVersions, toVersion } from './endpointVersions.ts'

export interface MaterializedVersion {
  readonly projectId: number
  readonly endpointId: string
  readonly version: EndpointVersion
}

/** States of the endpoint versions that are materialized. */
export interface MaterializationStore {
  /** Lists the materialized versions of all endpoints that are not deleted. */
  all(): Promise<MaterializedVersion[]>
  /** Stores the state, unless the version has one. */
  add(materialized: MaterializedVersion, state: unknown): Promise<void>
  /**
   * Replaces the state with the result of `next`, under a lock. Resolves with the new state, or with `undefined` if the
   * version has no state.
   */
  change(versionId: string, next: (state: unknown) => unknown): Promise<unknown>
  remove(versionId: string): Promise<void>
}

export const createMaterializationStore = ({ db, transact }: MetadataContext): MaterializationStore => ({
  async all() {
    const rows = await selectVersions(db)
      .innerJoin('endpoints', 'endpoints.id', 'endpoint_versions.endpoint_id')
      .select('endpoints.project_id')
      .where('materializations.state_json', 'is not', null)
      .where('endpoints.deleted_at', 'is', null)
      .execute()
    return rows.map((row) => ({ projectId: row.project_id, endpointId: row.endpoint_id, version: toVersion(row) }))
  },
  async add({ projectId, endpointId, version }, state) {
    const row = {
      version_id: version.id,
      project_id: projectId,
      endpoint_id: endpointId,
      version: version.version,
      state_json: JSON.stringify(state),
    }
    await transact((transaction) =>
      transaction
        .insertInto('materializations')
        .values(row)
        .onConflict((conflict) => conflict.column('version_id').doNothing())
        .execute(),
    )
  },
  change: (versionId, next) =>
    transact(async (transaction) => {
      const row = await transaction
        .selectFrom('materializations')
        .select('state_json')
        .where('version_id', '=', versionId)
        .executeTakeFirst()
      if (!row) return undefined
      const state = next(JSON.parse(row.state_json))
      const state_json = JSON.stringify(state)
      if (state_json !== row.state_json)
        await transaction
          .updateTable('materializations')
          .set({ state_json })
          .where('version_id', '=', versionId)
          .execute()
      return state
    }),
  async remove(versionId) {
    await transact((transaction) =>
      transaction.deleteFrom('materializations').where('version_id', '=', versionId).execute(),
    )
  },
})
