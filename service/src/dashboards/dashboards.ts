import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import { DEFAULT_DASHBOARD } from './defaultDashboard.ts'
import { COLUMNS, type Tile } from './tiles.ts'
import type { DashboardRecord, DashboardStore } from './store.ts'

/** A dashboard as the API returns it. */
export interface DashboardView {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly tiles: readonly Tile[]
  /** Increases with each change. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

export interface DashboardInput {
  readonly name?: string
  readonly description?: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly tiles?: readonly Tile[]
}

/** Dashboards of projects. All functions reject with `ApiError`. */
export interface Dashboards {
  /** Lists a project's dashboards, oldest first. Creates the default dashboard when it is called for the first time. */
  list(projectId: number): Promise<DashboardView[]>
  get(projectId: number, id: string): Promise<DashboardView>
  create(projectId: number, input: DashboardInput & { readonly name: string }): Promise<DashboardView>
  /** Changes a dashboard, if `version` is its current version. */
  update(projectId: number, id: string, changes: DashboardInput & { readonly version: number }): Promise<DashboardView>
  remove(projectId: number, id: string): Promise<void>
}

/** Maximum dashboards of a project. */
export const MAX_DASHBOARDS = 100
/** Maximum characters of the JSON of a dashboard's tiles and variables. */
export const MAX_DASHBOARD_CHARS = 250_000

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })
const notFound = () => new ApiError('not_found', { detail: 'This project has no dashboard with this id.' })

const toView = (record: DashboardRecord): DashboardView => ({
  id: record.id,
  name: record.name,
  description: record.description,
  variables: record.variables,
  tiles: record.tiles as readonly Tile[],
  version: record.version,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
})

const checkTile = ({ endpoint, query, x, w }: Tile, at: string): void => {
  if ((endpoint === undefined) === (query === undefined))
    throw wrong(at, 'A tile has either "endpoint", the name of an endpoint, or "query".')
  if (x + w > COLUMNS)
    throw wrong(
      `${at}.w`,
      `The tile ends at column ${x + w}, but a dashboard has ${COLUMNS} columns. Use a smaller "x" or "w".`,
    )
}

const check = ({ name, tiles = [], variables = {} }: DashboardInput): void => {
  if (name !== undefined && !name.trim()) throw wrong('name', '"name" must not be blank.')
  const seen = new Set<string>()
  for (const [index, tile] of tiles.entries()) {
    const at = `tiles.${index}`
    if (seen.has(tile.id)) throw wrong(`${at}.id`, `Two tiles have the id "${tile.id}". Each needs its own.`)
    seen.add(tile.id)
    checkTile(tile, at)
  }
  const chars = JSON.stringify([tiles, variables]).length
  if (chars > MAX_DASHBOARD_CHARS)
    throw wrong(
      'tiles',
      `The tiles and variables have ${chars} characters as JSON, more than ${MAX_DASHBOARD_CHARS}. Save long queries as endpoints, and name these in the tiles.`,
    )
}

export const createDashboards = (dashboards: DashboardStore): Dashboards => {
  const find = async (projectId: number, id: string): Promise<DashboardRecord> => {
    const found = isUuid(id) ? await dashboards.get(projectId, id.toLowerCase()) : undefined
    if (!found) throw notFound()
    return found
  }

  return {
    async list(projectId) {
      await dashboards.createDefault(projectId, DEFAULT_DASHBOARD)
      return (await dashboards.list(projectId)).map(toView)
    },
    get: async (projectId, id) => toView(await find(projectId, id)),
    async create(projectId, { name, description = '', variables = {}, tiles = [] }) {
      check({ name, tiles, variables })
      const created = await dashboards.create(projectId, { name, description, variables, tiles }, MAX_DASHBOARDS)
      if (!created)
        throw wrong(
          'name',
          `A project may have at most ${MAX_DASHBOARDS} dashboards. Delete one that is no longer used.`,
        )
      return toView(created)
    },
    async update(projectId, id, { version, ...changes }) {
      const found = await find(projectId, id)
      check({ ...found, tiles: found.tiles as readonly Tile[], ...changes })
      const updated = await dashboards.update(projectId, found.id, version, changes)
      if (updated) return toView(updated)
      const { version: current } = await find(projectId, id)
      throw new ApiError('version_conflict', {
        attr: 'version',
        detail: `Someone else saved this dashboard in between: your change is based on version ${version}, and the current version is ${current}. Read the dashboard again, and apply your change to it.`,
        extra: { current_version: current },
      })
    },
    async remove(projectId, id) {
      if (!isUuid(id) || !(await dashboards.remove(projectId, id.toLowerCase()))) throw notFound()
    },
  }
}
