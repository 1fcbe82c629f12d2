import { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { isInsight } from '../insights/insights.ts'
import { findVersion } from './find.ts'
import type { Materializer } from './materializer.ts'

/** The part of an update that concerns materialization. */
export interface Change {
  readonly target: EndpointVersion
  /** Whether the update created a version after `target`. */
  readonly isNew: boolean
  readonly isActive: boolean
  readonly isWanted: boolean | undefined
  readonly takesDates: boolean | undefined
}

/** Applies creates, updates and deletes of endpoints to their materialization. */
export interface MaterializationChanges {
  /** Rejects with `ApiError` if the query cannot be materialized. */
  requireMaterializable(projectId: number, query: unknown, isActive: boolean): Promise<void>
  /** Resolves with the reason if the new version cannot be materialized like the previous one. */
  apply(projectId: number, endpoint: Endpoint, change: Change): Promise<string | undefined>
  disableAll(endpoint: Endpoint): Promise<void>
}

/** Throws `ApiError` unless the query is a materialized insight, the only kind with `date_variables`. */
export const requireInsight = (query: unknown, isMaterialized: boolean): void => {
  if (isInsight(query) && isMaterialized) return
  throw new ApiError('invalid_input', {
    detail: `"date_variables" requires a materialized insight: ${isInsight(query) ? 'set "is_materialized" to true' : 'a SQL query names its variables itself'}, or omit it.`,
    attr: 'date_variables',
  })
}

export const createMaterializationChanges = (
  metadata: Pick<Metadata, 'endpoints'>,
  materializer: Materializer,
): MaterializationChanges => {
  const disableAll = async (endpoint: Endpoint) => {
    for (const { id } of await metadata.endpoints.versions(endpoint.id)) await materializer.disable(id)
  }

  return {
    disableAll,
    async requireMaterializable(projectId, query, isActive) {
      if (!isActive)
        throw new ApiError('not_materializable', {
          detail: 'An inactive endpoint cannot be materialized. Activate it first.',
          attr: 'is_materialized',
        })
      const apiError = await materializer.check(projectId, query)
      if (apiError) throw apiError
    },
    async apply(projectId, endpoint, { target, isNew, isActive, isWanted, takesDates }) {
      if (!endpoint.isActive) return void (await disableAll(endpoint))
      const version = isNew ? await findVersion(metadata, endpoint) : target
      if (isWanted === false || !isActive) return void (await materializer.disable(version.id))
      const isInherited =
        isWanted === undefined && materializer.isEnabled(target) && (isNew || takesDates !== undefined)
      if (!isWanted && !isInherited) return undefined
      const apiError = isInherited ? await materializer.check(projectId, version.query) : undefined
      if (apiError) return apiError.message
      const isAsBefore = isNew && materializer.isEnabled(target) && isInsight(version.query)
      await materializer.enable(
        projectId,
        endpoint,
        version,
        takesDates ?? (isAsBefore ? materializer.takesDates(target) : undefined),
      )
      return undefined
    },
  }
}
