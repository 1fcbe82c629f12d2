import { ApiError } from '../../lib/apiError.ts'
import type { EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { parse, type SqlQuery } from '../definitions/check.ts'
import { findEndpoint, findVersion } from '../definitions/find.ts'
import { isInsight, planInsight, UTC } from '../insights/insights.ts'
import { bindVariables } from '../variables/bind.ts'
import type { Choices } from './choices.ts'
import { DAY_FORMS, dayNames, type DateRange, daysOf } from './days.ts'

/** The request for a run token. */
export interface RunTokenInput {
  readonly endpoints: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly allowed_variables?: readonly string[]
  readonly allowed_values?: Choices
  readonly date_range?: DateRange
  readonly ttl_seconds?: number
  readonly expires_at?: string
  readonly runs_per_minute?: number
  readonly origins?: readonly string[]
}

const DEFAULT_TTL_SECONDS = 3_600
/** 30 days. A token in a page is public, so a forgotten one should expire soon. */
export const MAX_TTL_SECONDS = 30 * 24 * 3_600

export const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

/** Returns when a token expires, in seconds since the epoch. `now`: ms since the epoch. Throws `ApiError`. */
export const expiryOf = ({ ttl_seconds: ttl, expires_at: given }: RunTokenInput, now: number): number => {
  if (ttl !== undefined && given !== undefined)
    throw wrong('expires_at', 'Set "ttl_seconds" or "expires_at", not both.')
  if (given === undefined) return Math.floor(now / 1_000) + (ttl ?? DEFAULT_TTL_SECONDS)
  const end = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Math.floor(Date.parse(given) / 1_000) : NaN
  const seconds = end - now / 1_000
  if (!(seconds > 0 && seconds <= MAX_TTL_SECONDS))
    throw wrong(
      'expires_at',
      '"expires_at" must be in the future, at most 30 days from now, such as 2026-12-24T18:00:00Z.',
    )
  return end
}

export interface CheckOptions {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  /** Whether runs of a version of an insight may pass dates. */
  readonly takesDates: (version: EndpointVersion) => boolean
  readonly now: () => number
}

/** Returns values that a run may have: the pinned ones, the first choices and the days. */
const sampleOf = ({ variables = {}, allowed_values: choices = {}, date_range: range }: RunTokenInput, now: number) => {
  const days = range && daysOf(range, UTC, now)
  const names = dayNames(range ?? {})
  return {
    ...variables,
    ...Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first])),
    ...(days ? { [names.from]: days.from, [names.to]: days.to } : {}),
  }
}

/** Throws `ApiError` unless a token could have these variables, whatever its endpoints are. */
export const checkReach = (input: RunTokenInput, now: number): void => {
  const { variables: pinned = {}, allowed_variables: allowed = [], allowed_values: choices = {}, date_range } = input
  const days = date_range ? Object.values(dayNames(date_range)) : []
  const uses = [
    { attr: 'variables', names: Object.keys(pinned) },
    { attr: 'allowed_variables', names: allowed },
    { attr: 'allowed_values', names: Object.keys(choices) },
    { attr: 'date_range', names: days },
  ]
  const owners = new Map<string, string>()
  for (const { attr, names } of uses)
    for (const name of names) {
      const other = owners.get(name)
      if (other)
        throw wrong(
          attr,
          other === 'variables' && attr === 'allowed_variables'
            ? `Pinned variables cannot be allowed. Remove "${name}" from "variables" or from "allowed_variables".`
            : `"${name}" is in "${other}" and in "${attr}". Remove it from one of them.`,
        )
      owners.set(name, attr)
    }
  if (date_range && !daysOf(date_range, UTC, now))
    throw wrong(
      'date_range',
      `"from" and "to" must each be ${DAY_FORMS}, and "from" must not be after "to" (default: today).`,
    )
}

/** Checks that a token could run an endpoint. Rejects with `ApiError`. */
export const createEndpointCheck = ({ metadata, takesDates, now }: CheckOptions) => {
  // The endpoint must accept the variables of the token, and runs must be able to pass all others that it needs.
  const checkVariables = async (projectId: number, name: string, input: RunTokenInput) => {
    const version = await findVersion(metadata, await findEndpoint(metadata, projectId, name), undefined)
    const { query } = version
    const { allowed_values: choices = {}, allowed_variables: allowed } = input
    const set = sampleOf(input, now())
    const samples = [
      set,
      ...Object.entries(choices).flatMap(([name, values]) =>
        values.slice(1).map((value) => ({ ...set, [name]: value })),
      ),
    ]
    if (isInsight(query)) {
      for (const variables of samples)
        planInsight(query, { projectId, variables, zone: UTC, now: now(), takesDates: takesDates(version) })
      return
    }
    const { variables: needed } = parse((query as SqlQuery).query)
    const definitions = (await metadata.variables.list(projectId)).filter(
      ({ codeName }) => needed.includes(codeName) && Object.hasOwn(set, codeName),
    )
    for (const variables of samples) bindVariables(definitions, variables)
    const missing = needed.filter((each) => !Object.hasOwn(set, each) && allowed && !allowed.includes(each))
    if (missing.length)
      throw wrong(
        'allowed_variables',
        `Every run would lack ${missing.map((each) => `"${each}"`).join(', ')}. Pin it in "variables", or allow it.`,
      )
  }

  return async (projectId: number, name: string, input: RunTokenInput) => {
    try {
      await checkVariables(projectId, name, input)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'not_found')
        throw wrong('endpoints', `There is no endpoint "${name.slice(0, 130)}" in this project.`)
      throw new ApiError(error.code, { ...error.details, detail: `Endpoint "${name}": ${error.message}` })
    }
  }
}
