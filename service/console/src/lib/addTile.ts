import { api, dataOf } from '../api/client.ts'
import type { Dashboard, TileChoice } from '../api/dashboards.ts'
import { inProjectWithId } from '../api/inProject.ts'
import { newTile } from './newTile.ts'

/** Adds a tile to a dashboard as it is stored. */
export const addTile = async (projectId: number, dashboardId: string, choice: TileChoice): Promise<Dashboard> => {
  const params = inProjectWithId(projectId, dashboardId)
  const { tiles, version } = await dataOf(api.GET('/api/projects/{projectId}/dashboards/{id}', { params }))
  const body = { tiles: [...tiles, newTile(tiles, choice)], version }
  return dataOf(api.PATCH('/api/projects/{projectId}/dashboards/{id}', { params, body }))
}
