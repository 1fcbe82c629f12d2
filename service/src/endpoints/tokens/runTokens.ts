import { randomBytes, randomUUID } from 'node:crypto'
import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { ApiKey, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { parse, type SqlQuery } from '../definitions/check.ts'
import { findEndpoint, findVersion } from '../definitions/endpoint.ts'
import { isInsight, planInsight, UTC } from '../insights/insights.ts'
import { bindVariables } from '../variables/bind.ts'
import { readRunToken, type RunTokenClaims, signRunToken } from './runToken.ts'

export interface RunTokenInput {
  readonly endpoints: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly allowed_variables?: readonly string[]
  readonly ttl_seconds?: number
  readonly expires_at?: string
  readonly runs_per_minute?: number
  readonly origins?: readonly string[]
}

export interface RunTokenView {
  readonly id: string
  readonly token: string
  readonly expires_at: string
  readonly endpoints: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  /** null: all that are not in `variables`. */
  readonly allowed_variables: readonly string[] | null
  readonly runs_per_minute: number
  /** null: all. */
  readonly origins: readonly string[] | null
}

export interface RunTokenUse {
  readonly projectId: number
  readonly token: string
  readonly endpoint: string
  /** The request's `Origin`. */
  readonly origin: string | undefined
}

/** What a valid token allows, and the key that it does it for. */
export interface RunGrant {
  readonly claims: RunTokenClaims
  readonly key: ApiKey
}

/** Tokens that let somebody else run some endpoints of a project. Everything throws `ApiError`. */
export interface RunTokens {
  create(projectId: number, key: ApiKey, input: RunTokenInput): Promise<RunTokenView>
  /** What the token allows, if it may be used for this. */
  check(use: RunTokenUse): Promise<RunGrant>
  revoke(projectId: number, id: string): Promise<void>
  revokeAll(projectId: number): Promise<void>
}

const DEFAULT_TTL_SECONDS = 3_600
// A month: what is in a page lies open, and who forgets about it should not forget about it for long.
export const MAX_TTL_SECONDS = 30 * 24 * 3_600
const DEFAULT_RUNS_PER_MINUTE = 60
// Proxies refuse requests whose headers have more than 8 KB; some of that is the browser's.
export const MAX_TOKEN_LENGTH = 4_096
/** What a key needs for its tokens to run anything. */
const NEEDED_SCOPE = 'endpoint:read'

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

const endOf = ({ ttl_seconds: ttl, expires_at: given }: RunTokenInput, now: number): number => {
  if (ttl !== undefined && given !== undefined)
    throw wrong('expires_at', 'Give "ttl_seconds" or "expires_at", not both.')
  if (given === undefined) return Math.floor(now / 1_000) + (ttl ?? DEFAULT_TTL_SECONDS)
  const end = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Math.floor(Date.parse(given) / 1_000) : NaN
  const seconds = end - now / 1_000
  if (!(seconds > 0 && seconds <= MAX_TTL_SECONDS))
    throw wrong('expires_at', '"expires_at" is a time to come, at most 30 days away, such as 2026-12-24T18:00:00Z.')
  return end
}

const checkOrigins = (origins: readonly string[] = []) => {
  for (const given of origins) {
    const origin = URL.canParse(given) ? new URL(given).origin : 'null'
    if (origin === given && /^https?:/.test(given)) continue
    throw wrong(
      'origins',
      `"${given.slice(0, 100)}" is no origin: give scheme, host and port as a browser sends them, such as ${/^https?:/.test(origin) ? origin : 'https://app.example.com'}.`,
    )
  }
}

export interface RunTokensRooms {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables' | 'keys' | 'runTokens'>
  /** Whether runs of a version of an insight may pass dates. */
  readonly takesDates: (version: EndpointVersion) => boolean
  readonly now?: () => number
}

export const createRunTokens = ({ metadata, takesDates, now = Date.now }: RunTokensRooms): RunTokens => {
  const mayRun = (key: ApiKey, projectId: number) =>
    key.scopes.includes(NEEDED_SCOPE) && (key.projectId === undefined || key.projectId === projectId)

  /** Throws unless runs of the endpoint take what is pinned, and can be given whatever else they need. */
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
        `Every run would lack ${missing.map((each) => `"${each}"`).join(', ')}: pin it in "variables", or allow it.`,
      )
  }

  const checkEndpoint = async (projectId: number, name: string, input: RunTokenInput) => {
    try {
      await checkVariables(projectId, name, input)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'not_found')
        throw wrong('endpoints', `There is no endpoint "${name.slice(0, 130)}" in this project.`)
      throw new ApiError(error.code, { ...error.details, detail: `Endpoint "${name}": ${error.message}` })
    }
  }

  return {
    async create(projectId, key, input) {
      const { endpoints, variables = {}, allowed_variables, runs_per_minute = DEFAULT_RUNS_PER_MINUTE, origins } = input
      if (!mayRun(key, projectId))
        throw new ApiError('permission_denied', {
          detail: `A key can hand on only what it has itself: this one lacks the scope ${NEEDED_SCOPE}.`,
        })
      const exp = endOf(input, now())
      checkOrigins(origins)
      const both = allowed_variables?.filter((name) => Object.hasOwn(variables, name))
      if (both?.length)
        throw wrong(
          'allowed_variables',
          `What is pinned cannot be given: take ${both.map((name) => `"${name}"`).join(', ')} out of "variables" or out of "allowed_variables".`,
        )
      for (const name of endpoints) await checkEndpoint(projectId, name, input)
      const claims: RunTokenClaims = {
        jti: randomUUID(),
        iat: Math.floor(now() / 1_000),
        exp,
        key: key.id,
        endpoints,
        variables,
        ...(allowed_variables ? { allowed_variables } : {}),
        runs_per_minute,
        ...(origins ? { origins } : {}),
      }
      const token = signRunToken(
        claims,
        await metadata.runTokens.secret(projectId, randomBytes(32).toString('base64url')),
      )
      if (token.length > MAX_TOKEN_LENGTH)
        throw wrong(
          'variables',
          `The token would have ${token.length} characters, and a header can carry ${MAX_TOKEN_LENGTH}: name fewer endpoints, or pin less.`,
        )
      return {
        id: claims.jti,
        token,
        expires_at: new Date(exp * 1_000).toISOString(),
        endpoints,
        variables,
        allowed_variables: allowed_variables ?? null,
        runs_per_minute,
        origins: origins ?? null,
      }
    },

    async check({ projectId, token, endpoint, origin }) {
      const secret = await metadata.runTokens.secret(projectId)
      const claims = secret === undefined ? undefined : readRunToken(token, secret)
      if (!claims) throw new ApiError('invalid_run_token')
      if (now() >= claims.exp * 1_000) throw new ApiError('run_token_expired')
      if (await metadata.runTokens.isRevoked(projectId, claims.jti)) throw new ApiError('run_token_revoked')
      // It can do no more than whoever made it can do today.
      const key = await metadata.keys.get(claims.key)
      if (!key || !mayRun(key, projectId))
        throw new ApiError('run_token_revoked', {
          detail: 'The personal API key that made this run token may no longer run endpoints.',
        })
      if (claims.origins && !(origin !== undefined && claims.origins.includes(origin))) {
        throw new ApiError('origin_not_allowed', {
          detail:
            origin === undefined
              ? 'This run token is for pages of some sites, and the request has no Origin.'
              : `This run token is not for pages of ${origin.slice(0, 200)}.`,
        })
      }
      if (!claims.endpoints.includes(endpoint))
        throw new ApiError('not_granted', { detail: `This run token does not run "${endpoint.slice(0, 130)}".` })
      return { claims, key }
    },

    async revoke(projectId, id) {
      if (!isUuid(id)) throw new ApiError('not_found', { detail: 'The id of a run token is a UUID.' })
      // Longer than any token can still be taken.
      await metadata.runTokens.revoke(
        projectId,
        id.toLowerCase(),
        new Date(now() + MAX_TTL_SECONDS * 1_000).toISOString(),
      )
    },

    async revokeAll(projectId) {
      await metadata.runTokens.setSecret(projectId, randomBytes(32).toString('base64url'))
    },
  }
}
