import type { Endpoint, EndpointVersion } from '../../storage/metadata/metadata.ts'
import type { MaterializationView } from './materializer.ts'

/** An endpoint as the API returns it. */
export type EndpointView = Readonly<Record<string, unknown>>

const pathOf = (projectId: number, name: string) => `/api/projects/${projectId}/endpoints/${name}/run`

/** Returns the API's view of an endpoint with its current version. */
export const toView = (
  projectId: number,
  endpoint: Endpoint,
  version: EndpointVersion,
  materialization: MaterializationView,
): EndpointView => ({
  id: endpoint.id,
  name: endpoint.name,
  description: endpoint.description,
  query: version.query,
  is_active: endpoint.isActive,
  data_freshness_seconds: version.dataFreshnessSeconds,
  columns: version.columns ?? null,
  endpoint_path: pathOf(projectId, endpoint.name),
  created_at: endpoint.createdAt,
  updated_at: endpoint.updatedAt,
  is_materialized: materialization.enabled,
  materialization,
  current_version: endpoint.currentVersion,
  current_version_id: version.version === endpoint.currentVersion ? version.id : undefined,
  versions_count: endpoint.currentVersion,
  last_executed_at: endpoint.lastExecutedAt ?? null,
})

/** Returns the API's view of one version of an endpoint. */
export const toVersionView = (
  projectId: number,
  endpoint: Endpoint,
  version: EndpointVersion,
  materialization: MaterializationView,
): EndpointView => ({
  ...toView(projectId, endpoint, version, materialization),
  is_active: version.isActive,
  version: version.version,
  version_id: version.id,
  endpoint_is_active: endpoint.isActive,
  version_created_at: version.createdAt,
  version_updated_at: version.updatedAt,
})
