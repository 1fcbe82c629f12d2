import { type ValidationIssue, ApiError, type ApiErrorCode } from '../../lib/apiError.ts'
import type { Zone } from '../insights/zone.ts'
import type { EndpointRunRequest } from '../prepareRun.ts'
import { faultsOfChoices } from './choices.ts'
import { dayNames, type Days, daysOf, moveDays } from './days.ts'
import type { RunTokenClaims } from './runToken.ts'
import type { RunGrant } from './runTokens.ts'

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

const rejected = (faults: readonly ValidationIssue[]) =>
  new ApiError('invalid_variables', {
    detail: `${faults.map(({ message }) => message).join('; ')}.`,
    attr: 'variables',
    errors: faults,
  })

const faultsOf = (given: Readonly<Record<string, unknown>>, claims: RunTokenClaims): readonly ValidationIssue[] => {
  const { variables, allowed_variables: allowed, allowed_values: choices = {}, date_range: range } = claims
  const settable = allowed && [...allowed, ...Object.keys(choices), ...(range ? Object.values(dayNames(range)) : [])]
  const faults = Object.keys(given).flatMap((path): ValidationIssue[] => {
    if (Object.hasOwn(variables, path))
      return [{ path, code: 'pinned', message: `"${path}" is set by the run token: omit it` }]
    return settable && !settable.includes(path)
      ? [{ path, code: 'not_allowed', message: `"${path}" cannot be set with this run token` }]
      : []
  })
  return [...faults, ...faultsOfChoices(given, choices)]
}

/** Returns the days of a run. `undefined`: the token has no date range. Throws `ApiError`. */
const narrowDays = (
  given: Readonly<Record<string, unknown>>,
  { date_range: range }: RunTokenClaims,
  { zone, now }: { readonly zone: Zone; readonly now: number },
): RunDays | undefined => {
  if (!range) return undefined
  const limits = daysOf(range, zone, now)
  if (!limits)
    throw new ApiError('run_token_expired', { detail: 'The date range of this run token has no day yet or any more.' })
  const moved = moveDays(given, { limits, names: dayNames(range), zone, now })
  if ('faults' in moved) throw rejected(moved.faults)
  return { ...moved.days, min: limits.from, max: limits.to }
}

/** The days of a run, both included, and those that the token allows. */
export interface RunDays extends Days {
  readonly min: string
  readonly max: string
}

/** A run within what a token allows. */
export interface NarrowedRun {
  readonly request: EndpointRunRequest
  readonly days: RunDays | undefined
}

/** Returns the request with the token's variables, days and limits. Throws `ApiError` if it exceeds what the token allows. */
export const narrowRun = (request: EndpointRunRequest, { claims, zone }: RunGrant, now = Date.now()): NarrowedRun => {
  const excess = NOT_BY_TOKEN.find(({ isAsked }) => isAsked(request))
  if (excess)
    throw new ApiError('not_granted', {
      detail: `A run token runs without "${excess.field}": ${excess.why}.`,
      attr: excess.field,
    })
  const { jti, variables, date_range: range, runs_per_minute: runsPerMinute } = claims
  const faults = faultsOf(request.variables, claims)
  if (faults.length) throw rejected(faults)
  const days = narrowDays(request.variables, claims, { zone, now })
  const names = dayNames(range ?? {})
  return {
    days,
    request: {
      ...request,
      variables: {
        ...request.variables,
        ...variables,
        ...(days ? { [names.from]: days.from, [names.to]: days.to } : {}),
      },
      // The endpoint accepted dates when the token was created.
      takesDates: range !== undefined || DATES.some((name) => Object.hasOwn(variables, name)),
      key: { ...request.key, id: jti },
      runsPerMinute,
      runTokenId: jti,
    },
  }
}

const SHOWS_QUERY: readonly ApiErrorCode[] = ['query_invalid', 'query_failed', 'undefined_variables']

/** Returns a run's error without anything that shows the query, for callers with a run token. */
export const withoutQuery = (error: unknown): unknown =>
  error instanceof ApiError && SHOWS_QUERY.includes(error.code) ? new ApiError('query_failed') : error
