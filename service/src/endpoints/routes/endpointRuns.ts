import { RUN_INTERVALS, type RunInterval, type RunHistory } from '../runHistory.ts'
import { invalidInput } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { oneOf, TIME } from '../../http/schemas.ts'
import { ENDPOINT_RUNS, ENDPOINT_STATS } from './endpointSchemas.ts'

/** What the routes use. */
export interface RunHistoryParts {
  readonly runHistory: Pick<RunHistory, 'ofEndpoint' | 'ofProject'>
}

const route = routesWith<RunHistoryParts>()

const intervals = Object.keys(RUN_INTERVALS) as RunInterval[]

/** Returns the query parameter `after` in ms since the epoch. `undefined`: the default of the interval. */
const afterOf = (after: string | undefined): number | undefined => {
  if (after === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/.test(after)
    ? Date.parse(after)
    : NaN
  if (Number.isNaN(time))
    throw invalidInput('after', '"after" must be a date or a time with a time zone, such as 2026-01-31T10:00:00Z.')
  return time
}

/** Runs of endpoints: counts, durations, errors and the last runs. Kept for 30 days. */
export const ENDPOINT_RUN_ROUTES = [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/endpoints/:name/runs',
    summary: 'Read counts, durations and errors of an endpoint\'s runs since "after", by "interval", and its last runs',
    access: 'endpoint:read',
    query: { after: TIME, interval: oneOf(intervals) },
    response: ENDPOINT_RUNS,
    handler: async ({ runHistory }, request) => ({
      body: await runHistory.ofEndpoint(
        request.projectId,
        request.params.name!,
        { interval: request.values.interval ?? 'hour', after: afterOf(request.values.after) },
        request.signal,
      ),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/projects/:projectId/endpoint_stats',
    summary: 'List runs, errors, durations and cache use of each endpoint in the last 24 hours',
    access: 'endpoint:read',
    response: ENDPOINT_STATS,
    handler: async ({ runHistory }, { projectId, signal }) => ({
      body: await runHistory.ofProject(projectId, signal),
    }),
  }),
]
