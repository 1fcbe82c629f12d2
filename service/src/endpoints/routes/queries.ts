import type { RunEndpoint } from '../run.ts'
import type { ProgressOf, Running } from '../running.ts'
import type { StreamEndpoint } from '../stream.ts'
import { type Static, Type } from '@sinclair/typebox'
import { sqlSchema } from '../../sql/schema.ts'
import { ApiError } from '../../lib/apiError.ts'
import { CLOSED } from '../../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../../http/route.ts'
import { oneOf } from '../../http/schemas.ts'
import { formatOf, RUN_FIELDS, runInFormat, runOptions } from './runRequest.ts'
import { QUERY_RESULT } from './endpointSchemas.ts'

/** What the routes use. */
export interface QueryParts {
  readonly run: RunEndpoint
  readonly stream: StreamEndpoint
  readonly running: Pick<Running, 'cancel'>
  readonly progressOf: ProgressOf
}

const route = routesWith<QueryParts>()

const MAX_AGE_SECONDS = 86_400

const QUERY = Type.Object(
  {
    ...RUN_FIELDS,
    query: Type.Object(
      { kind: Type.String() },
      { description: 'A query in the format of endpoints, such as {"kind": "HogQLQuery", "query": "SELECT 1"}.' },
    ),
    max_age_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_AGE_SECONDS,
        description: 'Accept a cached result of up to this age, even if events have arrived since.',
      }),
    ),
  },
  CLOSED,
)

const PROGRESS = Type.Object({
  status: Type.Unsafe<'running' | 'queued'>({ type: 'string', enum: ['running', 'queued'] }),
  read_rows: Type.Integer(),
  total_rows: Type.Integer({ description: 'The estimated number of rows that will be read.' }),
  elapsed_ms: Type.Integer(),
})

const SCHEMA = Type.Object({
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    }),
  ),
  relations: Type.Array(
    Type.Object(
      { name: Type.String(), table: Type.String() },
      { description: 'Row related to an event, such as its person, and the table with its columns.' },
    ),
  ),
  functions: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: oneOf(['scalar', 'aggregate', 'window']),
      signature: Type.String({ description: 'Parameter types, "->" and the result type.' }),
    }),
  ),
})

const runQuery: Handler<QueryParts, Static<typeof QUERY>> = (parts, request: RouteRequest<Static<typeof QUERY>>) =>
  runInFormat(
    parts,
    { ...runOptions(request), query: request.body.query, maxAgeSeconds: request.body.max_age_seconds },
    formatOf(request),
  )

const notInProgress = () => new ApiError('not_found', { detail: 'No run with this client_query_id is in progress.' })

const RUN_PATH = '/api/projects/:projectId/query/:id'

/** Queries that are not stored, and runs in progress. */
export const QUERY_ROUTES = [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/schema',
    summary: 'List the tables, columns and functions of SQL queries',
    access: 'query:read',
    response: SCHEMA,
    handler: () => ({ body: sqlSchema() }),
  }),
  route({
    method: 'POST',
    path: '/api/projects/:projectId/query',
    summary: 'Run a query without storing it',
    access: 'query:read',
    body: QUERY,
    response: QUERY_RESULT,
    handler: runQuery,
  }),
  route({
    method: 'GET',
    path: RUN_PATH,
    summary: 'Read the progress of a run, by its client_query_id',
    access: 'query:read',
    orScope: 'endpoint:read',
    response: PROGRESS,
    async handler({ progressOf }, { projectId, params, signal }) {
      const progress = await progressOf(projectId, params.id!, signal)
      if (!progress) throw notInProgress()
      const { status, readRows, totalRows, elapsedMs } = progress
      return {
        body: { status, read_rows: readRows, total_rows: totalRows, elapsed_ms: elapsedMs },
        headers: { 'cache-control': 'no-store' },
      }
    },
  }),
  route({
    method: 'DELETE',
    path: RUN_PATH,
    summary: 'Cancel a run, by its client_query_id',
    access: 'endpoint:read',
    orScope: 'query:read',
    handler({ running }, { projectId, params }) {
      if (!running.cancel(projectId, params.id!)) throw notInProgress()
      return { status: 204 }
    },
  }),
]
