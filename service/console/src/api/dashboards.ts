import { newTile } from '../lib/newTile.ts'
import { api, dataOf } from './client.ts'
import { inProject, inProjectWithId, type ResponseOf } from './inProject.ts'

/** A dashboard as the API returns it. */
export type Dashboard = ResponseOf<'/api/projects/{projectId}/dashboards', 'get'>['results'][number]
export type Tile = Dashboard['tiles'][number]
export type Display = Tile['display']

/** What a tile shows. Its place on the board is chosen there. */
export type TileChoice = Pick<Tile, 'title' | 'display'> &
  ({ readonly endpoint: string } | { readonly query: NonNullable<Tile['query']> })

export const createDashboard = (projectId: number, name: string): Promise<Dashboard> =>
  dataOf(api.POST('/api/projects/{projectId}/dashboards', { params: inProject(projectId), body: { name } }))

/** Adds a tile to a dashboard as it is stored. */
export const addTile = async (projectId: number, dashboardId: string, choice: TileChoice): Promise<Dashboard> => {
  const params = inProjectWithId(projectId, dashboardId)
  const { tiles, version } = await dataOf(api.GET('/api/projects/{projectId}/dashboards/{id}', { params }))
  const body = { tiles: [...tiles, newTile(tiles, choice)], version }
  return dataOf(api.PATCH('/api/projects/{projectId}/dashboards/{id}', { params, body }))
}
