import type { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion } from '../../storage/metadata/metadata.ts'

/** The materialization of a version, as the API returns it. */
export interface MaterializationView {
  readonly name: string
  readonly enabled: boolean
  /** Whether runs read a table. */
  readonly ready: boolean
  readonly status?: 'Running' | 'Completed' | 'Failed'
  readonly can_materialize: boolean
  readonly reason?: string
  readonly last_materialized_at?: string
  readonly error?: string
  readonly [field: string]: unknown
}

/** Materializes versions, and shows their materialization. */
export interface Materializer {
  /** Resolves with the reason why a query cannot be materialized, or `undefined` if it can. */
  check(projectId: number, query: unknown): Promise<ApiError | undefined>
  /** Starts building the table, and resolves before it is done. `takesDates`: unchanged if absent, initially false. */
  enable(projectId: number, endpoint: Endpoint, version: EndpointVersion, takesDates?: boolean): Promise<void>
  disable(versionId: string): Promise<void>
  isEnabled(version: EndpointVersion): boolean
  /** Whether runs of an insight may pass dates. For a materialized one, only if `takesDates` was enabled. */
  takesDates(version: EndpointVersion): boolean
  view(projectId: number, endpoint: Endpoint, version: EndpointVersion): Promise<MaterializationView>
  /** Returns the view with an estimate of what would be stored. Stores nothing. */
  preview(projectId: number, endpoint: Endpoint, version: EndpointVersion): Promise<MaterializationView>
}
