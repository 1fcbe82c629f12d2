import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { isInsight } from '../insights/insights.ts'
import { checkName, checkQueryInput, parse } from './check.ts'
import type { Describe } from './describe.ts'
import { findEndpoint, findVersion } from './find.ts'
import { createMaterializationChanges, requireInsight } from './materializationChanges.ts'
import type { MaterializationView, Materializer } from './materializer.ts'
import { type EndpointView, toVersionView, toView } from './view.ts'

export type { EndpointView } from './view.ts'

export interface EndpointInput {
  readonly name?: string
  readonly description?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly is_active?: boolean
  readonly data_freshness_seconds?: number
  readonly is_materialized?: boolean
  /** For a materialized insight: whether its runs may pass dates. Default false. */
  readonly date_variables?: boolean
  /** For an update: the version whose `is_active` and `data_freshness_seconds` change. */
  readonly version?: number
}

export interface EndpointDefinitions {
  list(projectId: number, filter: { isActive?: boolean }): Promise<EndpointView[]>
  /** Whether the project has an endpoint with this name. */
  has(projectId: number, name: string): Promise<boolean>
  get(projectId: number, name: string, version?: number): Promise<EndpointView>
  create(
    projectId: number,
    input: EndpointInput & { name: string; query: Readonly<Record<string, unknown>> },
  ): Promise<EndpointView>
  update(projectId: number, name: string, changes: EndpointInput): Promise<EndpointView>
  remove(projectId: number, name: string): Promise<void>
  versions(projectId: number, name: string): Promise<EndpointView[]>
  materialization(projectId: number, name: string, version?: number): Promise<MaterializationView>
  /** Estimates what materializing a version would store. Stores nothing. */
  materializationPreview(projectId: number, name: string, version?: number): Promise<MaterializationView>
}

const nameTaken = (name: string) =>
  new ApiError('name_taken', { detail: `This project already has an endpoint named "${name}".`, attr: 'name' })

/** Allowed values of `data_freshness_seconds`, the maximum age of a cached result. */
export const FRESHNESS_SECONDS = [900, 1_800, 3_600, 21_600, 43_200, 86_400, 604_800] as const
const DEFAULT_FRESHNESS_SECONDS = 86_400

export interface DefinitionDependencies {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly describe: Describe
  readonly materializer: Materializer
}

export const createEndpointDefinitions = ({
  metadata,
  describe,
  materializer,
}: DefinitionDependencies): EndpointDefinitions => {
  const { endpoints, variables } = metadata
  const { requireMaterializable, apply, disableAll } = createMaterializationChanges(metadata, materializer)

  const view = async (projectId: number, endpoint: Endpoint) => {
    const version = await findVersion(metadata, endpoint)
    return toView(projectId, endpoint, version, await materializer.view(projectId, endpoint, version))
  }
  const versionView = async (projectId: number, endpoint: Endpoint, version: EndpointVersion) =>
    toVersionView(projectId, endpoint, version, await materializer.view(projectId, endpoint, version))

  const checked = async (projectId: number, input: Readonly<Record<string, unknown>>) => {
    const definitions = await variables.list(projectId)
    const query = checkQueryInput(input, definitions)
    // The kind of an insight determines the form of its result.
    return { query, columns: isInsight(query) ? undefined : await describe(projectId, parse(query.query), definitions) }
  }

  return {
    async list(projectId, { isActive }) {
      const all = (await endpoints.list(projectId)).filter(
        (endpoint) => isActive === undefined || endpoint.isActive === isActive,
      )
      return Promise.all(all.map((endpoint) => view(projectId, endpoint)))
    },

    has: async (projectId, name) => (await endpoints.get(projectId, name)) !== undefined,

    async get(projectId, name, version) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      return version === undefined
        ? view(projectId, endpoint)
        : versionView(projectId, endpoint, await findVersion(metadata, endpoint, version))
    },

    async create(
      projectId,
      {
        name,
        description = '',
        query,
        is_active: isActive = true,
        data_freshness_seconds: dataFreshnessSeconds = DEFAULT_FRESHNESS_SECONDS,
        is_materialized: isMaterialized = false,
        date_variables: takesDates,
      },
    ) {
      checkName(name)
      // Before the query is checked, which is expensive.
      if (await endpoints.get(projectId, name)) throw nameTaken(name)
      const kept = await checked(projectId, query)
      if (isMaterialized) await requireMaterializable(projectId, kept.query, isActive)
      if (takesDates !== undefined) requireInsight(kept.query, isMaterialized)
      const created = await endpoints.create(projectId, { name, description, isActive, dataFreshnessSeconds, ...kept })
      if (!created) throw nameTaken(name)
      if (isMaterialized)
        await materializer.enable(projectId, created, await findVersion(metadata, created), takesDates)
      return view(projectId, created)
    },

    async update(projectId, name, { version, ...changes }) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      if (version !== undefined && changes.query) {
        throw new ApiError('invalid_input', {
          detail: 'The query of a version cannot change. Omit "version" to create the next version.',
          attr: 'query',
        })
      }
      if (changes.name !== undefined) checkName(changes.name)
      const target = await findVersion(metadata, endpoint, version)
      const { query, columns } = changes.query ? await checked(projectId, changes.query) : {}
      const isNew = query !== undefined && !isDeepStrictEqual(query, target.query)
      const dataFreshnessSeconds = changes.data_freshness_seconds ?? target.dataFreshnessSeconds
      const isActive =
        version === undefined
          ? (changes.is_active ?? endpoint.isActive)
          : endpoint.isActive && (changes.is_active ?? target.isActive)
      if (changes.is_materialized) await requireMaterializable(projectId, query ?? target.query, isActive)
      if (changes.date_variables !== undefined)
        requireInsight(query ?? target.query, changes.is_materialized ?? materializer.isEnabled(target))
      const done = await endpoints.update(endpoint.id, {
        name: changes.name,
        description: changes.description,
        isActive: version === undefined ? changes.is_active : undefined,
        next: isNew ? { query, columns, dataFreshnessSeconds } : undefined,
      })
      if (done === 'taken') throw nameTaken(changes.name!)
      if (!isNew)
        await endpoints.changeVersion(endpoint.id, target.version, {
          dataFreshnessSeconds,
          isActive: version === undefined ? undefined : changes.is_active,
        })
      const materializationError = await apply(
        projectId,
        await findEndpoint(metadata, projectId, changes.name ?? name),
        { target, isNew, isActive, isWanted: changes.is_materialized, takesDates: changes.date_variables },
      )
      const view = await this.get(projectId, changes.name ?? name, version)
      return materializationError ? { ...view, materialization_error: materializationError } : view
    },

    async remove(projectId, name) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      await endpoints.remove(endpoint.id)
      await disableAll(endpoint)
    },

    async versions(projectId, name) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      return Promise.all(
        (await endpoints.versions(endpoint.id)).map((version) => versionView(projectId, endpoint, version)),
      )
    },

    async materialization(projectId, name, version) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      return materializer.view(projectId, endpoint, await findVersion(metadata, endpoint, version))
    },

    async materializationPreview(projectId, name, version) {
      const endpoint = await findEndpoint(metadata, projectId, name)
      return materializer.preview(projectId, endpoint, await findVersion(metadata, endpoint, version))
    },
  }
}
