import { api, dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import type { Query } from '../../api/query.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'

type Get<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { '2XX': { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

export type Endpoint = Get<'/api/projects/{projectId}/endpoints/{name}'>
export type EndpointVersion = Get<'/api/projects/{projectId}/endpoints/{name}/versions'>['results'][number]
export type EndpointRuns = Get<'/api/projects/{projectId}/endpoints/{name}/runs'>
export type Materialization = Get<'/api/projects/{projectId}/endpoints/{name}/materialization_status'>

/** Props of each tab on an endpoint's page. */
export interface TabProps {
  /** The endpoint with the shown version. */
  readonly endpoint: Endpoint
  /** Loads the endpoint again after a change. */
  readonly onChanged: () => void
}

/** Parameters of the routes of an endpoint. */
export const endpointPath = (projectId: number, name: string) => ({ path: { projectId: String(projectId), name } })

/** Loads an endpoint, or one of its versions. */
export const useEndpoint = (name: string, version: number | undefined): Loaded<Endpoint> => {
  const { id } = useProject()
  const params = { ...endpointPath(id, name), query: version === undefined ? {} : { version } }
  return useLoad(`endpoint ${id} ${name} ${version ?? ''}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/endpoints/{name}', { params, signal })),
  )
}

/** Fields of an endpoint that can be changed. A changed query becomes its next version. */
export interface EndpointChange {
  readonly description?: string
  readonly query?: Query
  readonly is_active?: boolean
  readonly is_materialized?: boolean
  readonly data_freshness_seconds?: Endpoint['data_freshness_seconds']
}

export const changeEndpoint = (projectId: number, name: string, { query, ...fields }: EndpointChange) =>
  dataOf(
    api.PATCH('/api/projects/{projectId}/endpoints/{name}', {
      params: endpointPath(projectId, name),
      body: { ...fields, ...(query ? { query: { ...query } } : {}) } as never,
    }),
  )

/** Returns the SQL of a query, or an insight as JSON. */
export const textOfQuery = (query: { readonly kind: string }): string =>
  'query' in query && typeof query.query === 'string' ? query.query : JSON.stringify(query, undefined, 2)

export const isSql = ({ query }: Pick<Endpoint, 'query'>): boolean => query.kind === 'HogQLQuery'

/** Spans of time that a result may be cached. */
export const FRESHNESS = [
  { seconds: 900, label: '15 minutes' },
  { seconds: 1_800, label: '30 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 21_600, label: '6 hours' },
  { seconds: 43_200, label: '12 hours' },
  { seconds: 86_400, label: '1 day' },
  { seconds: 604_800, label: '1 week' },
] as const

export const freshnessLabel = (seconds: number): string =>
  FRESHNESS.find((each) => each.seconds === seconds)?.label ?? `${seconds} s`
