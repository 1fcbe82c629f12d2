import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../lib/refusal.ts'
import type { Endpoint, EndpointVersion, Records } from '../../storage/records.ts'
import { checkName, checkQueryInput } from './check.ts'

export interface EndpointInput {
  readonly name?: string
  readonly description?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly is_active?: boolean
  /** Of an update: the version whose `is_active` changes. */
  readonly version?: number
}

/** An endpoint as the API shows it. */
export type EndpointView = Readonly<Record<string, unknown>>

export interface EndpointDefinitions {
  list(projectId: number, filter: { isActive?: boolean }): Promise<EndpointView[]>
  get(projectId: number, name: string, version?: number): Promise<EndpointView>
  create(projectId: number, input: EndpointInput & { name: string; query: Readonly<Record<string, unknown>> }): Promise<EndpointView>
  update(projectId: number, name: string, changes: EndpointInput): Promise<EndpointView>
  remove(projectId: number, name: string): Promise<void>
  versions(projectId: number, name: string): Promise<EndpointView[]>
}

const pathOf = (projectId: number, name: string) => `/api/projects/${projectId}/endpoints/${name}/run`

const toView = (projectId: number, endpoint: Endpoint, version: EndpointVersion): EndpointView => ({
  id: endpoint.id,
  name: endpoint.name,
  description: endpoint.description,
  query: version.query,
  is_active: endpoint.isActive,
  endpoint_path: pathOf(projectId, endpoint.name),
  created_at: endpoint.createdAt,
  updated_at: endpoint.updatedAt,
  is_materialized: false,
  current_version: endpoint.currentVersion,
  current_version_id: version.version === endpoint.currentVersion ? version.id : undefined,
  versions_count: endpoint.currentVersion,
  last_executed_at: endpoint.lastExecutedAt ?? null,
})

const toVersionView = (projectId: number, endpoint: Endpoint, version: EndpointVersion): EndpointView => ({
  ...toView(projectId, endpoint, version),
  is_active: version.isActive,
  version: version.version,
  version_id: version.id,
  endpoint_is_active: endpoint.isActive,
  version_created_at: version.createdAt,
  version_updated_at: version.updatedAt,
})

const nameTaken = (name: string) => new Refusal('name_taken', { detail: `This project has an endpoint named "${name}" already.`, attr: 'name' })

/** The endpoint `name` of a project. Throws `Refusal` if there is none. */
export const findEndpoint = async ({ endpoints }: Pick<Records, 'endpoints'>, projectId: number, name: string): Promise<Endpoint> => {
  const found = await endpoints.get(projectId, name)
  if (!found) throw new Refusal('not_found', { detail: 'This project has no endpoint of this name.' })
  return found
}

/** The version `wanted` of an endpoint, or its current one. Throws `Refusal` if there is none. */
export const findVersion = async ({ endpoints }: Pick<Records, 'endpoints'>, endpoint: Endpoint, wanted = endpoint.currentVersion): Promise<EndpointVersion> => {
  const found = await endpoints.version(endpoint.id, wanted)
  if (!found) {
    throw new Refusal('version_not_found', {
      detail: `This endpoint has no version ${wanted}; its current version is ${endpoint.currentVersion}.`,
      attr: 'version',
      extra: { current_version: endpoint.currentVersion },
    })
  }
  return found
}

export const createEndpointDefinitions = (records: Pick<Records, 'endpoints' | 'variables'>): EndpointDefinitions => {
  const { endpoints, variables } = records

  const view = async (projectId: number, endpoint: Endpoint) => toView(projectId, endpoint, await findVersion(records, endpoint))

  const checked = async (projectId: number, query: Readonly<Record<string, unknown>>) => checkQueryInput(query, await variables.list(projectId))

  return {
    async list(projectId, { isActive }) {
      const all = (await endpoints.list(projectId)).filter((endpoint) => isActive === undefined || endpoint.isActive === isActive)
      return Promise.all(all.map((endpoint) => view(projectId, endpoint)))
    },

    async get(projectId, name, version) {
      const endpoint = await findEndpoint(records, projectId, name)
      return version === undefined ? view(projectId, endpoint) : toVersionView(projectId, endpoint, await findVersion(records, endpoint, version))
    },

    async create(projectId, { name, description = '', query, is_active: isActive = true }) {
      checkName(name)
      const kept = await checked(projectId, query)
      const created = await endpoints.create(projectId, { name, description, isActive, query: kept })
      if (!created) throw nameTaken(name)
      return view(projectId, created)
    },

    async update(projectId, name, { version, ...changes }) {
      const endpoint = await findEndpoint(records, projectId, name)
      if (version !== undefined) {
        if (changes.query) throw new Refusal('invalid_input', { detail: 'The query of a version does not change: leave out "version" to create the next one.', attr: 'query' })
        const target = await findVersion(records, endpoint, version)
        if (changes.is_active !== undefined) await endpoints.setVersionActive(endpoint.id, target.version, changes.is_active)
      }
      if (changes.name !== undefined) checkName(changes.name)
      const kept = changes.query && (await checked(projectId, changes.query))
      const isNew = kept !== undefined && !isDeepStrictEqual(kept, (await findVersion(records, endpoint)).query)
      const done = await endpoints.update(endpoint.id, {
        name: changes.name,
        description: changes.description,
        isActive: version === undefined ? changes.is_active : undefined,
        query: isNew ? kept : undefined,
      })
      if (done === 'taken') throw nameTaken(changes.name!)
      return this.get(projectId, changes.name ?? name, version)
    },

    async remove(projectId, name) {
      await endpoints.remove((await findEndpoint(records, projectId, name)).id)
    },

    async versions(projectId, name) {
      const endpoint = await findEndpoint(records, projectId, name)
      return (await endpoints.versions(endpoint.id)).map((version) => toVersionView(projectId, endpoint, version))
    },
  }
}
