import { createHash } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata, Variable } from '../storage/metadata/metadata.ts'
import type { Runner } from './admission.ts'
import { checkQueryInput, parse, type SqlQuery } from './definitions/check.ts'
import { findEndpoint, findVersion } from './definitions/find.ts'
import type { Plan } from './insights/insight.ts'
import { type InsightQuery, type InsightRun, isInsight, planInsight } from './insights/insights.ts'
import { LIVE } from './insights/source.ts'
import { createZone } from './insights/zone.ts'
import type { Materializations } from './materialization/materializations.ts'
import type { BoundValue, ParsedQuery } from '../sql/compile.ts'
import type { IsPlain } from '../sql/structured.ts'
import { bindVariables } from './variables/bind.ts'

interface RunOptions extends Runner {
  readonly variables: Readonly<Record<string, unknown>>
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** `*` for the first page, then the cursor of the previous response. */
  readonly cursor?: string | undefined
  readonly refresh?: 'cache' | 'force' | 'direct' | undefined
  /** Separates the cached results of a share from those of other callers. */
  readonly cacheScope?: string
  /** Whether the response includes the SQL, the cache key and timings. */
  readonly isDebug?: boolean
}

/** A run of a stored endpoint. */
export interface EndpointRunRequest extends RunOptions {
  readonly endpoint: string
  /** Default: the current version. */
  readonly version?: number | undefined
  /** Whether dates are accepted even if the insight is materialized without them. */
  readonly takesDates?: boolean
}

/** A run of a query that is not stored. */
export interface QueryRunRequest extends RunOptions {
  /** A query as endpoints store it, unchecked. */
  readonly query: Readonly<Record<string, unknown>>
  /** Maximum age of a cached result that is accepted even if events have arrived since. Absent: accepted only if none has. */
  readonly maxAgeSeconds?: number | undefined
}

export type RunRequest = EndpointRunRequest | QueryRunRequest

/** A run whose request has been checked. */
export interface PreparedRun {
  /** Identifies the query: the id of a version, or a hash of a query that is not stored. */
  readonly queryId: string
  /** The endpoint and the version that run. Absent for a query that is not stored. */
  readonly stored?: StoredQuery
  readonly work: SqlWork | InsightWork
  /** Maximum age of a cached result. */
  readonly maxAgeSeconds: number
  /** Whether a cached result is returned although events have arrived since. */
  readonly toleratesNewEvents: boolean
}

export interface StoredQuery {
  readonly endpoint: Endpoint
  readonly version: EndpointVersion
}

export interface SqlWork {
  readonly kind: 'sql'
  readonly parsed: ParsedQuery
  readonly values: Readonly<Record<string, BoundValue>>
  /** Assumptions of the live statement. */
  readonly assumed: Assumed
}

/** Assumptions of live statements and insight statements about a project's events. */
export interface Assumed {
  /** Whether each id is its own person, so that no person is looked up. Default: false. */
  readonly isUnmerged?: boolean
  /** Whether a property of an event has never been an object or an array. Default: false for each. */
  readonly isPlain?: IsPlain
}

export interface InsightWork {
  readonly kind: 'insight'
  readonly query: InsightQuery
  readonly run: InsightRun
  readonly plan: Plan
  readonly assumed: Assumed
  /** The project's time zone, which determines the days of the result. */
  readonly timezone: string
  /** The request's variables, sorted by name. */
  readonly variables: readonly (readonly [string, unknown])[]
}

const findNeeded = (parsed: ParsedQuery, definitions: readonly Variable[]) =>
  parsed.variables.map((name) => {
    const definition = definitions.find(({ codeName }) => codeName === name)
    if (!definition)
      throw new ApiError('undefined_variables', {
        detail: `Query references undefined variable(s): ${name}`,
        attr: 'query',
      })
    return definition
  })

// A version's query never changes, and remains the same object while the version is cached.
const parsedQueries = new WeakMap<SqlQuery, ParsedQuery>()

const parsedOf = (query: SqlQuery): ParsedQuery => {
  const parsed = parsedQueries.get(query) ?? parse(query.query)
  parsedQueries.set(query, parsed)
  return parsed
}

const sqlWork = async (
  metadata: Pick<Metadata, 'variables'>,
  query: SqlQuery,
  { projectId, variables }: RunOptions,
  assumed: Assumed,
): Promise<SqlWork> => {
  const parsed = parsedOf(query)
  return {
    kind: 'sql',
    parsed,
    assumed,
    values: bindVariables(findNeeded(parsed, await metadata.variables.list(projectId)), variables),
  }
}

const insightWork = async (
  { projects }: Pick<Metadata, 'projects'>,
  query: InsightQuery,
  request: RunOptions,
  takesDates: boolean,
  assumed: Assumed,
): Promise<InsightWork> => {
  const { projectId, variables } = request
  const paging = (['limit', 'offset', 'cursor'] as const).find((field) => request[field] !== undefined)
  if (paging)
    throw new ApiError('invalid_input', { detail: `An insight has no pages. Omit "${paging}".`, attr: paging })
  const { timezone } = (await projects.byId(projectId))!
  const run = { projectId, variables, zone: createZone(timezone), now: Date.now(), takesDates }
  return {
    kind: 'insight',
    query,
    run,
    assumed,
    plan: planInsight(query, { ...run, reading: { ...LIVE, ...assumed } }),
    timezone,
    variables: Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

export interface PrepareDependencies {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly materializations: Pick<Materializations, 'takesDates'>
  /** Default: nothing. */
  readonly assumed?: Assumed
}

// Equals the shortest freshness of an endpoint.
const UNSTORED_MAX_AGE_SECONDS = 900

const prepareUnstored = async (
  { metadata, assumed = {} }: PrepareDependencies,
  request: QueryRunRequest,
): Promise<PreparedRun> => {
  const query = checkQueryInput(request.query, await metadata.variables.list(request.projectId))
  return {
    queryId: createHash('sha256').update(JSON.stringify(query)).digest('hex'),
    work: isInsight(query)
      ? await insightWork(metadata, query, request, true, assumed)
      : await sqlWork(metadata, query, request, assumed),
    maxAgeSeconds: request.maxAgeSeconds ?? UNSTORED_MAX_AGE_SECONDS,
    toleratesNewEvents: request.maxAgeSeconds !== undefined,
  }
}

const prepareStored = async (
  { metadata, materializations, assumed = {} }: PrepareDependencies,
  request: EndpointRunRequest,
): Promise<PreparedRun> => {
  const endpoint = await findEndpoint(metadata, request.projectId, request.endpoint)
  if (!endpoint.isActive) throw new ApiError('not_found', { detail: 'This endpoint is not active.' })
  const version = await findVersion(metadata, endpoint, request.version)
  const { query } = version
  const work = isInsight(query)
    ? await insightWork(metadata, query, request, request.takesDates || materializations.takesDates(version), assumed)
    : await sqlWork(metadata, query as SqlQuery, request, assumed)
  if (!version.isActive)
    throw new ApiError('version_inactive', {
      detail: `Version ${version.version} of this endpoint is not active.`,
      attr: 'version',
    })
  return {
    queryId: version.id,
    stored: { endpoint, version },
    work,
    maxAgeSeconds: version.dataFreshnessSeconds,
    toleratesNewEvents: false,
  }
}

/** Finds or checks the query, binds the variables and checks the request. Executes nothing. Rejects with `ApiError`. */
export const prepareRun = async (dependencies: PrepareDependencies, request: RunRequest): Promise<PreparedRun> => {
  const prepared =
    'query' in request ? await prepareUnstored(dependencies, request) : await prepareStored(dependencies, request)
  if (request.offset !== undefined && request.limit === undefined)
    throw new ApiError('invalid_input', { detail: '"offset" requires "limit".', attr: 'offset' })
  if (request.offset !== undefined && request.cursor !== undefined)
    throw new ApiError('invalid_input', {
      detail: '"cursor" determines where a page begins. Omit "offset".',
      attr: 'offset',
    })
  return prepared
}
