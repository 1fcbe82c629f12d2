import type { Dashboards, DashboardView } from '../dashboards/dashboards.ts'
import type { Tile } from '../dashboards/tiles.ts'
import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Piece, ShareDefinition, Snapshot } from './definition.ts'

/** Content of a share: those of its tiles that exist. */
export interface Content {
  readonly name: string
  readonly description: string
  readonly pieces: readonly Piece[]
}

/** Dependencies that find the content of shares. */
export interface ContentParts {
  readonly dashboards: Pick<Dashboards, 'get' | 'list'>
  readonly metadata: Pick<Metadata, 'endpoints'>
}

const toPiece = (tile: Tile, variables: Snapshot['variables'], versions?: Snapshot['versions']): Piece => ({
  id: tile.id,
  title: tile.title,
  display: tile.display,
  place: { x: tile.x, y: tile.y, w: tile.w, h: tile.h },
  source: tile.query
    ? { query: tile.query }
    : { endpoint: tile.endpoint!, version: versions && own(versions, tile.id), endpointId: undefined },
  fixed: { ...variables, ...tile.variables },
  ofTile: tile.variables ?? {},
})

const chosen = (tiles: readonly Tile[], ids: readonly string[]): readonly Tile[] =>
  tiles.filter(({ id }) => ids.includes(id))

/** Returns the dashboard, or `undefined` if it was deleted. */
const findDashboard = async ({ dashboards }: ContentParts, projectId: number, id: string) => {
  try {
    return await dashboards.get(projectId, id)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined
    throw error
  }
}

const ofEndpoint = ({ target, endpoint, version, display = 'table', title }: ShareDefinition): Content => ({
  name: endpoint!,
  // That of an endpoint is for programmers.
  description: '',
  pieces: [
    {
      id: 'endpoint',
      title: title ?? endpoint!,
      display,
      place: { x: 0, y: 0, w: 12, h: 5 },
      source: { endpoint: endpoint!, version: version === 'latest' ? undefined : version, endpointId: target },
      fixed: {},
      ofTile: {},
    },
  ],
})

/** Returns the content of a share. `undefined`: what it shows was deleted. */
export const contentOf = async (
  parts: ContentParts,
  projectId: number,
  definition: ShareDefinition,
): Promise<Content | undefined> => {
  const { kind, target, endpoint, tiles, snapshot } = definition
  if (kind === 'endpoint') {
    const found = await parts.metadata.endpoints.get(projectId, endpoint!)
    // Another endpoint may have been created with the name since.
    return found?.id === target ? ofEndpoint(definition) : undefined
  }
  const dashboard = snapshot ?? (await findDashboard(parts, projectId, target))
  if (!dashboard) return undefined
  const { name, description, variables } = dashboard
  return {
    name,
    description,
    pieces: chosen(dashboard.tiles, tiles).map((tile) => toPiece(tile, variables, snapshot?.versions)),
  }
}

/** Returns the copy of the dashboard that a share of a fixed version keeps. */
export const snapshotOf = async (
  { metadata: { endpoints } }: ContentParts,
  projectId: number,
  { name, description, variables, tiles }: DashboardView,
  ids: readonly string[],
): Promise<Snapshot> => {
  const kept = chosen(tiles, ids)
  const versions = await Promise.all(
    kept.map(async ({ id, endpoint }) => {
      const found = endpoint === undefined ? undefined : await endpoints.get(projectId, endpoint)
      return found ? [[id, found.currentVersion] as const] : []
    }),
  )
  return { name, description, variables, tiles: kept, versions: Object.fromEntries(versions.flat()) }
}
