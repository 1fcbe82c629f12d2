import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { isInsight } from '../insights/insights.ts'
import { checkName, checkQueryInput, parse } from './check.ts'
import type { Describe } from './describe.ts'
import type { MaterializationView, Materializer } from './materializer.ts'

export interface EndpointInput {
  readonly name?: string
  readonly description?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly is_active?: boolean
  readonly data_freshness_seconds?: number
  readonly is_materialized?: boolean
  /** Of a materialized insight: whether its runs may pass dates, which they otherwise may not. */
  readonly date_variables?: boolean
  /** Of an update: the version whose `is_active` and `data_freshness_seconds` change. */
  readonly version?: number
}

/** An endpoint as the API shows it. */
export type EndpointView = Readonly<Record<string, unknown>>

export interface EndpointDefinitions {
  list(projectId: number, filter: { isActive?: boolean }): Promise<EndpointView[]>
  /** Whether the project has an endpoint of this name. */
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
  /** What materializing a version would store, and nothing stored. */
  materializationPreview(projectId: number, name: string, version?: number): Promise<MaterializationView>
}

const pathOf = (projectId: number, name: string) => `/api/projects/${projectId}/endpoints/${name}/run`

const toView = (
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

const toVersionView = (
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

const nameTaken = (name: string) =>
  new ApiError('name_taken', { detail: `This project has an endpoint named "${name}" already.`, attr: 'name' })

/** The endpoint `name` of a project. Throws `ApiError` if there is none. */
export const findEndpoint = async (
  { endpoints }: Pick<Metadata, 'endpoints'>,
  projectId: number,
  name: string,
): Promise<Endpoint> => {
  const found = await endpoints.get(projectId, name)
  if (!found) throw new ApiError('not_found', { detail: 'This project has no endpoint of this name.' })
  return found
}

/** The version `wanted` of an endpoint, or its current one. Throws `ApiError` if there is none. */
export const findVersion = async (
  { endpoints }: Pick<Metadata, 'endpoints'>,
  endpoint: Endpoint,
  wanted = endpoint.currentVersion,
): Promise<EndpointVersion> => {
  const found = await endpoints.version(endpoint.id, wanted)
  if (!found) {
    throw new ApiError('version_not_found', {
      detail: `This endpoint has no version ${wanted}; its current version is ${endpoint.currentVersion}.`,
      attr: 'version',
      extra: { current_version: endpoint.currentVersion },
    })
  }
  return found
}

/** How old an answer from the cache may be, in seconds. */
export const FRESHNESS_SECONDS = [900, 1_800, 3_600, 21_600, 43_200, 86_400, 604_800] as const
const DEFAULT_FRESHNESS_SECONDS = 86_400

export interface DefinitionRooms {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly describe: Describe
  readonly materializer: Materializer
}

export const createEndpointDefinitions = ({
  metadata,
  describe,
  materializer,
}: DefinitionRooms): EndpointDefinitions => {
  const { endpoints, variables } = metadata

  const view = async (projectId: number, endpoint: Endpoint) => {
    const version = await findVersion(metadata, endpoint)
    return toView(projectId, endpoint, version, await materializer.view(projectId, endpoint, version))
  }
  const versionView = async (projectId: number, endpoint: Endpoint, version: EndpointVersion) =>
    toVersionView(projectId, endpoint, version, await materializer.view(projectId, endpoint, version))

  const disableAll = async (endpoint: Endpoint) => {
    for (const { id } of await endpoints.versions(endpoint.id)) await materializer.disable(id)
  }

  const requireMaterializable = async (projectId: number, query: unknown, isActive: boolean) => {
    if (!isActive)
      throw new ApiError('not_materializable', {
        detail: 'An inactive endpoint is not materialized: activate it first.',
        attr: 'is_materialized',
      })
    const refusal = await materializer.check(projectId, query)
    if (refusal) throw refusal
  }

  const requireInsightOn = (query: unknown, isMaterialized: boolean) => {
    if (isInsight(query) && isMaterialized) return
    throw new ApiError('invalid_input', {
      detail: `"date_variables" belongs to a materialized insight: ${isInsight(query) ? 'set "is_materialized" to true' : 'a SQL query names its variables itself'}, or leave it out.`,
      attr: 'date_variables',
    })
  }

  interface Change {
    readonly target: EndpointVersion
    /** Whether the endpoint has got a version after `target`. */
    readonly isNew: boolean
    readonly isActive: boolean
    readonly isWanted: boolean | undefined
    readonly takesDates: boolean | undefined
  }

  /** What an update means for what is stored. A new version is materialized like the one before; why it is not, is told. */
  const materialize = async (
    projectId: number,
    endpoint: Endpoint,
    { target, isNew, isActive, isWanted, takesDates }: Change,
  ): Promise<string | undefined> => {
    if (!endpoint.isActive) return void (await disableAll(endpoint))
    const version = isNew ? await findVersion(metadata, endpoint) : target
    if (isWanted === false || !isActive) return void (await materializer.disable(version.id))
    const isInherited = isWanted === undefined && materializer.isEnabled(target) && (isNew || takesDates !== undefined)
    if (!isWanted && !isInherited) return undefined
    const refusal = isInherited ? await materializer.check(projectId, version.query) : undefined
    if (refusal) return refusal.message
    const isAsBefore = isNew && materializer.isEnabled(target) && isInsight(version.query)
    await materializer.enable(
      projectId,
      endpoint,
      version,
      takesDates ?? (isAsBefore ? materializer.takesDates(target) : undefined),
    )
    return undefined
  }

  const checked = async (projectId: number, input: Readonly<Record<string, unknown>>) => {
    const definitions = await variables.list(projectId)
    const query = checkQueryInput(input, definitions)
    // What an insight answers has the form of its kind.
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
      // Before the query, which takes the engine's time.
      if (await endpoints.get(projectId, name)) throw nameTaken(name)
      const kept = await checked(projectId, query)
      if (isMaterialized) await requireMaterializable(projectId, kept.query, isActive)
      if (takesDates !== undefined) requireInsightOn(kept.query, isMaterialized)
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
          detail: 'The query of a version does not change: leave out "version" to create the next one.',
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
        requireInsightOn(query ?? target.query, changes.is_materialized ?? materializer.isEnabled(target))
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
      const materializationError = await materialize(
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
