import { type ValidationIssue, ApiError, type ApiErrorCode } from '../../lib/apiError.ts'
import type { RunRequest } from '../prepare.ts'
import type { RunTokenClaims } from './runToken.ts'

/** What a run by token leaves to whoever wrote the query: a field, what its value is then, and why. */
const NOT_BY_TOKEN = [
  { field: 'debug', isAsked: ({ isDebug }: RunRequest) => isDebug === true, why: 'it shows the query' },
  { field: 'version', isAsked: ({ version }: RunRequest) => version !== undefined, why: 'the current version answers' },
  {
    field: 'refresh',
    isAsked: ({ refresh = 'cache' }: RunRequest) => refresh !== 'cache',
    why: 'answers may come from the cache',
  },
  {
    field: 'client_query_id',
    isAsked: ({ clientQueryId }: RunRequest) => clientQueryId !== undefined,
    why: 'hanging up cancels the run',
  },
] as const

const DATES = ['date_from', 'date_to']

/** The run that the token allows, its values among the variables. Throws `ApiError` if more is asked for. */
export const narrowRun = (
  request: RunRequest,
  { jti, variables, allowed_variables: allowed, runs_per_minute: runsPerMinute }: RunTokenClaims,
): RunRequest => {
  const excess = NOT_BY_TOKEN.find(({ isAsked }) => isAsked(request))
  if (excess)
    throw new ApiError('not_granted', {
      detail: `A run token runs without "${excess.field}": ${excess.why}.`,
      attr: excess.field,
    })
  const faults = Object.keys(request.variables).flatMap((path): ValidationIssue[] => {
    if (Object.hasOwn(variables, path))
      return [{ path, code: 'pinned', message: `"${path}" is set by the run token: leave it out` }]
    return allowed && !allowed.includes(path)
      ? [{ path, code: 'not_allowed', message: `"${path}" may not be given with this run token` }]
      : []
  })
  if (faults.length)
    throw new ApiError('invalid_variables', {
      detail: `${faults.map(({ message }) => message).join('; ')}.`,
      attr: 'variables',
      errors: faults,
    })
  // Such a token was made when the endpoint took them.
  const takesDates = DATES.some((name) => Object.hasOwn(variables, name))
  return {
    ...request,
    variables: { ...request.variables, ...variables },
    takesDates,
    key: { ...request.key, id: jti },
    runsPerMinute,
  }
}

const ABOUT_THE_QUERY: readonly ApiErrorCode[] = ['query_invalid', 'query_failed', 'undefined_variables']

/** A run's error as whoever has only a token may see it: nothing of the query's text. */
export const withoutQuery = (error: unknown): unknown =>
  error instanceof ApiError && ABOUT_THE_QUERY.includes(error.code) ? new ApiError('query_failed') : error
