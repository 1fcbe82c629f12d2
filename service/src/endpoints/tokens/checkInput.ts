import { ApiError } from '../../lib/apiError.ts'
import type { EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { parse, type SqlQuery } from '../definitions/check.ts'
import { findEndpoint, findVersion } from '../definitions/find.ts'
import { isInsight, planInsight, UTC } from '../insights/insights.ts'
import { bindVariables } from '../variables/bind.ts'

/** The request for a run token. */
export interface RunTokenInput {
  readonly endpoints: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly allowed_variables?: readonly string[]
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

/** Checks that a token could run an endpoint. Rejects with `ApiError`. */
export const createEndpointCheck = ({ metadata, takesDates, now }: CheckOptions) => {
  // The endpoint must accept the pinned variables, and runs must be able to pass all others that it needs.
  const checkVariables = async (
    projectId: number,
    name: string,
    { variables: pinned = {}, allowed_variables: allowed }: RunTokenInput,
  ) => {
    const version = await findVersion(metadata, await findEndpoint(metadata, projectId, name), undefined)
    const { query } = version
    if (isInsight(query))
      return void planInsight(query, {
        projectId,
        variables: pinned,
        zone: UTC,
        now: now(),
        takesDates: takesDates(version),
      })
    const { variables: needed } = parse((query as SqlQuery).query)
    const definitions = await metadata.variables.list(projectId)
    bindVariables(
      definitions.filter(({ codeName }) => needed.includes(codeName) && Object.hasOwn(pinned, codeName)),
      pinned,
    )
    const missing = needed.filter((each) => !Object.hasOwn(pinned, each) && allowed && !allowed.includes(each))
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
