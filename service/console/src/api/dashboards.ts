import { api, dataOf } from './client.ts'
import { inProject, type ResponseOf } from './inProject.ts'

/** A dashboard as the API returns it. */
export type Dashboard = ResponseOf<'/api/projects/{projectId}/dashboards', 'get'>['results'][number]
export type Tile = Dashboard['tiles'][number]
export type Display = Tile['display']

/** What a tile shows. Its place on the board is chosen there. */
export type TileChoice = Pick<Tile, 'title' | 'display'> &
  ({ readonly endpoint: string } | { readonly query: NonNullable<Tile['query']> })

export const createDashboard = (projectId: number, name: string): Promise<Dashboard> =>
  dataOf(api.POST('/api/projects/{projectId}/dashboards', { params: inProject(projectId), body: { name } }))
