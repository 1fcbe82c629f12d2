import { randomUUID } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { type MetadataContext, now } from './context.ts'
import type { Tables } from './tables.ts'

export interface EndpointVersion {
  readonly id: string
  readonly version: number
  readonly query: unknown
  /** Columns of the result. Absent: unknown until the first run. */
  readonly columns: readonly { readonly name: string; readonly type: string }[] | undefined
  /** Maximum age of a cached result. */
  readonly dataFreshnessSeconds: number
  readonly isActive: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** State of the materialization, which only the materialization room reads. Absent: the version is not materialized. */
  readonly materialization: unknown
}

export type NewVersion = Pick<EndpointVersion, 'query' | 'columns' | 'dataFreshnessSeconds'>

export interface EndpointVersionStore {
  version(endpointId: string, version: number): Promise<EndpointVersion | undefined>
  /** Lists versions, newest first. */
  versions(endpointId: string): Promise<EndpointVersion[]>
  changeVersion(
    endpointId: string,
    version: number,
    changes: { isActive?: boolean; dataFreshnessSeconds?: number },
  ): Promise<void>
}

export const toVersion = (
  row: Selectable<Tables['endpoint_versions']> & { state_json: string | null },
): EndpointVersion => ({
  id: row.id,
  version: row.version,
  query: JSON.parse(row.query_json) as unknown,
  columns: (JSON.parse(row.columns_json) as EndpointVersion['columns'] | null) ?? undefined,
  dataFreshnessSeconds: row.data_freshness_seconds,
  isActive: row.is_active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  materialization: row.state_json === null ? undefined : (JSON.parse(row.state_json) as unknown),
})

export const toVersionRow = (
  endpointId: string,
  version: number,
  { query, columns, dataFreshnessSeconds }: NewVersion,
  at: string,
): Tables['endpoint_versions'] => ({
  id: randomUUID(),
  endpoint_id: endpointId,
  version,
  query_json: JSON.stringify(query),
  columns_json: JSON.stringify(columns ?? null),
  data_freshness_seconds: dataFreshnessSeconds,
  is_active: 1,
  created_at: at,
  updated_at: at,
})

/** Selects versions together with the state of their materialization. */
export const selectVersions = (db: Kysely<Tables>) =>
  db
    .selectFrom('endpoint_versions')
    .leftJoin('materializations', 'materializations.version_id', 'endpoint_versions.id')
    .selectAll('endpoint_versions')
    .select('materializations.state_json')

export const createEndpointVersionStore = ({ db, cacheReads }: MetadataContext): EndpointVersionStore => ({
  version: cacheReads('version', async (endpointId: string, version: number) => {
    const row = await selectVersions(db)
      .where('endpoint_versions.endpoint_id', '=', endpointId)
      .where('endpoint_versions.version', '=', version)
      .executeTakeFirst()
    return row && toVersion(row)
  }),
  async versions(endpointId) {
    const rows = await selectVersions(db)
      .where('endpoint_versions.endpoint_id', '=', endpointId)
      .orderBy('endpoint_versions.version', 'desc')
      .execute()
    return rows.map(toVersion)
  },
  async changeVersion(endpointId, version, { isActive, dataFreshnessSeconds }) {
    await db
      .updateTable('endpoint_versions')
      .set({
        updated_at: now(),
        ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
        ...(dataFreshnessSeconds === undefined ? {} : { data_freshness_seconds: dataFreshnessSeconds }),
      })
      .where('endpoint_id', '=', endpointId)
      .where('version', '=', version)
      .execute()
  },
})
