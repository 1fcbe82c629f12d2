import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import type { TileEndpoint } from './tileRequest.ts'

/** The active endpoints of the project, by name. */
export const useEndpoints = (): Loaded<ReadonlyMap<string, TileEndpoint>> => {
  const { id } = useProject()
  return useLoad(`tile endpoints ${id}`, async ({ signal }) => {
    const { results } = await dataOf(
      api.GET('/api/projects/{projectId}/endpoints', {
        params: { ...inProject(id), query: { is_active: true } },
        signal,
      }),
    )
    return new Map(
      results.map(({ name, query, is_materialized: isMaterialized, materialization }): [string, TileEndpoint] => [
        name,
        { query: query, isMaterialized, takesDates: materialization.date_variables === true },
      ]),
    )
  })
}
