import { type ValidationIssue, ApiError, type ApiErrorCode } from '../../lib/apiError.ts'
import type { EndpointRunRequest } from '../prepareRun.ts'
import type { RunTokenClaims } from './runToken.ts'

/** The fields of a run request that a run token does not allow, and why. */
const NOT_BY_TOKEN = [
  { field: 'debug', isAsked: ({ isDebug }: EndpointRunRequest) => isDebug === true, why: 'it shows the query' },
  {
    field: 'version',
    isAsked: ({ version }: EndpointRunRequest) => version !== undefined,
    why: 'it always uses the current version',
  },
  {
    field: 'refresh',
    isAsked: ({ refresh = 'cache' }: EndpointRunRequest) => refresh !== 'cache',
    why: 'results may be cached',
  },
  {
    field: 'client_query_id',
    isAsked: ({ clientQueryId }: EndpointRunRequest) => clientQueryId !== undefined,
    why: 'disconnecting cancels the run',
  },
] as const

const DATES = ['date_from', 'date_to']

/** Returns the request with the token's variables and limits. Throws `ApiError` if it exceeds what the token allows. */
export const narrowRun = (
  request: EndpointRunRequest,
  { jti, variables, allowed_variables: allowed, runs_per_minute: runsPerMinute }: RunTokenClaims,
): EndpointRunRequest => {
  const excess = NOT_BY_TOKEN.find(({ isAsked }) => isAsked(request))
  if (excess)
    throw new ApiError('not_granted', {
      detail: `A run token runs without "${excess.field}": ${excess.why}.`,
      attr: excess.field,
    })
  const faults = Object.keys(request.variables).flatMap((path): ValidationIssue[] => {
    if (Object.hasOwn(variables, path))
      return [{ path, code: 'pinned', message: `"${path}" is set by the run token: omit it` }]
    return allowed && !allowed.includes(path)
      ? [{ path, code: 'not_allowed', message: `"${path}" cannot be set with this run token` }]
      : []
  })
  if (faults.length)
    throw new ApiError('invalid_variables', {
      detail: `${faults.map(({ message }) => message).join('; ')}.`,
      attr: 'variables',
      errors: faults,
    })
  // The endpoint accepted dates when the token was created.
  const takesDates = DATES.some((name) => Object.hasOwn(variables, name))
  return {
    ...request,
    variables: { ...request.variables, ...variables },
    takesDates,
    key: { ...request.key, id: jti },
    runsPerMinute,
    runTokenId: jti,
  }
}

const SHOWS_QUERY: readonly ApiErrorCode[] = ['query_invalid', 'query_failed', 'undefined_variables']

/** Returns a run's error without anything that shows the query, for callers with a run token. */
export const withoutQuery = (error: unknown): unknown =>
  error instanceof ApiError && SHOWS_QUERY.includes(error.code) ? new ApiError('query_failed') : error
