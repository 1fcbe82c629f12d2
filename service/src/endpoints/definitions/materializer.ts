import type { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion } from '../../storage/metadata/metadata.ts'

/** What is known of the materialization of a version, as the API shows it. */
export interface MaterializationView {
  readonly name: string
  readonly enabled: boolean
  /** Whether runs are answered from it. */
  readonly ready: boolean
  readonly status?: 'Running' | 'Completed' | 'Failed'
  readonly can_materialize: boolean
  readonly reason?: string
  readonly last_materialized_at?: string
  readonly error?: string
  readonly [field: string]: unknown
}

/** Stores the answers of versions in advance, and tells about it. */
export interface Materializer {
  /** Why a query cannot be materialized; `undefined` if it can. */
  check(projectId: number, query: unknown): Promise<ApiError | undefined>
  /** Begins to build what is not there; resolves before it is done. `takesDates`: absent, it stays as it is, at first false. */
  enable(projectId: number, endpoint: Endpoint, version: EndpointVersion, takesDates?: boolean): Promise<void>
  disable(versionId: string): Promise<void>
  isEnabled(version: EndpointVersion): boolean
  /** Whether runs of an insight may pass dates: of a materialized one only if that was asked for. */
  takesDates(version: EndpointVersion): boolean
  view(projectId: number, endpoint: Endpoint, version: EndpointVersion): Promise<MaterializationView>
  /** The view with what would be stored, and nothing stored. */
  preview(projectId: number, endpoint: Endpoint, version: EndpointVersion): Promise<MaterializationView>
}
