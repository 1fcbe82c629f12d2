import { ApiError } from '../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata, Variable } from '../storage/metadata/metadata.ts'
import { StorageError, type StorageErrorKind, storageApiError } from '../storage/storage.ts'
import type { Runner } from './admission.ts'
import { parse, type SqlQuery, toApiError } from './definitions/check.ts'
import { findEndpoint, findVersion } from './definitions/endpoint.ts'
import { engineApiError } from './definitions/engineApiError.ts'
import type { Plan } from './insights/insight.ts'
import { type InsightQuery, type InsightRun, isInsight, planInsight } from './insights/insights.ts'
import { createZone } from './insights/zone.ts'
import type { RunAllowance } from './limits.ts'
import type { Materializations } from './materialization/materializations.ts'
import { type BoundValue, type Compiled, type CompileOptions, compileQuery, type ParsedQuery } from '../sql/compile.ts'
import { bindVariables } from './variables/bind.ts'

export interface RunRequest extends Runner {
  readonly endpoint: string
  readonly variables: Readonly<Record<string, unknown>>
  /** Absent: the current version. */
  readonly version?: number | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** `*` for the first page, then what the page before has answered. */
  readonly cursor?: string | undefined
  readonly refresh?: 'cache' | 'force' | 'direct' | undefined
  /** Takes dates although the insight is materialized without them. */
  readonly takesDates?: boolean
  /** Also tells how the answer came about. */
  readonly isDebug?: boolean
}

/** A run that nothing speaks against. */
export interface PreparedRun {
  readonly endpoint: Endpoint
  readonly version: EndpointVersion
  readonly work: SqlWork | InsightWork
}

export interface SqlWork {
  readonly kind: 'sql'
  readonly parsed: ParsedQuery
  readonly values: Readonly<Record<string, BoundValue>>
}

export interface InsightWork {
  readonly kind: 'insight'
  readonly query: InsightQuery
  readonly run: InsightRun
  readonly plan: Plan
  /** The project's: its days are those of the answer. */
  readonly timezone: string
  /** As they were given, in the order of their names. */
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

// A version's query never changes, and is one object as long as it is remembered.
const parsedQueries = new WeakMap<SqlQuery, ParsedQuery>()

const parsedOf = (query: SqlQuery): ParsedQuery => {
  const parsed = parsedQueries.get(query) ?? parse(query.query)
  parsedQueries.set(query, parsed)
  return parsed
}

const sqlWork = async (
  metadata: Pick<Metadata, 'variables'>,
  query: SqlQuery,
  { projectId, variables }: RunRequest,
): Promise<SqlWork> => {
  const parsed = parsedOf(query)
  return {
    kind: 'sql',
    parsed,
    values: bindVariables(findNeeded(parsed, await metadata.variables.list(projectId)), variables),
  }
}

const insightWork = async (
  { projects }: Pick<Metadata, 'projects'>,
  query: InsightQuery,
  request: RunRequest,
  takesDates: boolean,
): Promise<InsightWork> => {
  const { projectId, variables } = request
  const paging = (['limit', 'offset', 'cursor'] as const).find((field) => request[field] !== undefined)
  if (paging)
    throw new ApiError('invalid_input', { detail: `An insight has no pages: leave out "${paging}".`, attr: paging })
  const { timezone } = (await projects.byId(projectId))!
  const run = { projectId, variables, zone: createZone(timezone), now: Date.now(), takesDates }
  return {
    kind: 'insight',
    query,
    run,
    plan: planInsight(query, run),
    timezone,
    variables: Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

export interface PrepareRooms {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly materializations: Pick<Materializations, 'takesDates'>
}

/** Find → bind → check: before anything is executed, whatever would serve the run. Throws `ApiError`. */
export const prepareRun = async (
  { metadata, materializations }: PrepareRooms,
  request: RunRequest,
): Promise<PreparedRun> => {
  const endpoint = await findEndpoint(metadata, request.projectId, request.endpoint)
  if (!endpoint.isActive) throw new ApiError('not_found', { detail: 'This endpoint is not active.' })
  const version = await findVersion(metadata, endpoint, request.version)
  const { query } = version
  const work = isInsight(query)
    ? await insightWork(metadata, query, request, request.takesDates || materializations.takesDates(version))
    : await sqlWork(metadata, query as SqlQuery, request)
  if (!version.isActive)
    throw new ApiError('version_inactive', {
      detail: `Version ${version.version} of this endpoint is not active.`,
      attr: 'version',
    })
  if (request.offset !== undefined && request.limit === undefined)
    throw new ApiError('invalid_input', { detail: '"offset" needs "limit".', attr: 'offset' })
  if (request.offset !== undefined && request.cursor !== undefined)
    throw new ApiError('invalid_input', {
      detail: '"cursor" says where a page begins: leave out "offset".',
      attr: 'offset',
    })
  return { endpoint, version, work }
}

/** `compileQuery`, with its errors as refusals. */
export const compileRun = (parsed: ParsedQuery, options: CompileOptions): Compiled => {
  try {
    return compileQuery(parsed, options)
  } catch (error) {
    throw toApiError(error)
  }
}

// Too slow, too large or too heavy is the query's fault and stays so: 4xx, because asking again would not help.
const REFUSALS: Readonly<
  Record<
    Exclude<StorageErrorKind, 'unavailable' | 'full' | 'capacity'>,
    (error: StorageError, parsed: ParsedQuery | undefined, allowance: RunAllowance) => ApiError
  >
> = {
  timeout: (_error, _parsed, { seconds }) =>
    new ApiError('query_timeout', {
      detail: `The query took longer than ${seconds} s: look at fewer events, for example at a shorter time.`,
    }),
  memory: (_error, _parsed, { memoryBytes }) =>
    new ApiError('query_memory_limit', {
      detail: `The query needed more than ${Math.floor(memoryBytes / 1_000_000)} MB of memory: group by fewer values, or look at fewer events.`,
    }),
  size: (_error, parsed) =>
    new ApiError(
      'query_too_large',
      parsed
        ? {}
        : {
            detail:
              'The answer has too many rows: choose a smaller "breakdown_limit", longer intervals or a shorter range.',
          },
    ),
  query: (error, parsed) => engineApiError(error, parsed),
  data: () => new ApiError('query_failed'),
}

/** An error of the engine as the refusal that a run answers. `parsed`: the query that somebody wrote, if it was SQL. */
export const toRunError = (error: unknown, parsed: ParsedQuery | undefined, allowance: RunAllowance): unknown =>
  error instanceof StorageError
    ? (storageApiError(error) ?? REFUSALS[error.kind as keyof typeof REFUSALS](error, parsed, allowance))
    : error
