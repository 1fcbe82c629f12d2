import { randomBytes, randomUUID } from 'node:crypto'
import { ApiError } from '../../lib/apiError.ts'
import { checkOrigins } from '../../lib/origins.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { ApiKey, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { createZone, type Zone } from '../insights/zone.ts'
import { checkReach, createEndpointCheck, expiryOf, MAX_TTL_SECONDS, type RunTokenInput, wrong } from './checkInput.ts'
import type { Choices } from './choices.ts'
import type { DateRange } from './days.ts'
import { readRunToken, type RunTokenClaims, signRunToken } from './runToken.ts'

export { MAX_TTL_SECONDS, type RunTokenInput } from './checkInput.ts'

export interface RunTokenView {
  readonly id: string
  readonly token: string
  readonly expires_at: string
  readonly endpoints: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  /** null: all that are not in `variables`. */
  readonly allowed_variables: readonly string[] | null
  readonly allowed_values: Choices
  /** null: none is set by the token. */
  readonly date_range: DateRange | null
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

/** Permissions of a valid token, and the key that issued it. */
export interface RunGrant {
  readonly claims: RunTokenClaims
  readonly key: ApiKey
  /** Time zone of the project, in which the days of a date range begin. */
  readonly zone: Zone
}

/** Tokens that let pages run some endpoints of a project. All functions reject with `ApiError`. */
export interface RunTokens {
  create(projectId: number, key: ApiKey, input: RunTokenInput): Promise<RunTokenView>
  /** Resolves with the token's permissions if it allows this use. */
  check(use: RunTokenUse): Promise<RunGrant>
  revoke(projectId: number, id: string): Promise<void>
  revokeAll(projectId: number): Promise<void>
}

const DEFAULT_RUNS_PER_MINUTE = 60
// Proxies reject requests with more than 8 KB of headers, and the browser needs some of that.
export const MAX_TOKEN_LENGTH = 4_096
/** The scope that a key needs for its tokens. */
const NEEDED_SCOPE = 'endpoint:read'

export interface RunTokensDependencies {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables' | 'keys' | 'runTokens'>
  /** Whether runs of a version of an insight may pass dates. */
  readonly takesDates: (version: EndpointVersion) => boolean
  readonly now?: () => number
}

export const createRunTokens = ({ metadata, takesDates, now = Date.now }: RunTokensDependencies): RunTokens => {
  const checkEndpoint = createEndpointCheck({ metadata, takesDates, now })
  const mayRun = (key: ApiKey, projectId: number) =>
    key.scopes.includes(NEEDED_SCOPE) && (key.projectId === undefined || key.projectId === projectId)

  return {
    async create(projectId, key, input) {
      const { endpoints, variables = {}, allowed_variables, allowed_values, date_range, origins } = input
      const { runs_per_minute = DEFAULT_RUNS_PER_MINUTE } = input
      if (!mayRun(key, projectId))
        throw new ApiError('permission_denied', {
          detail: `A key can only grant scopes that it has. This key lacks the scope ${NEEDED_SCOPE}.`,
        })
      const exp = expiryOf(input, now())
      checkOrigins('origins', origins)
      checkReach(input, now())
      for (const name of endpoints) await checkEndpoint(projectId, name, input)
      const claims: RunTokenClaims = {
        jti: randomUUID(),
        iat: Math.floor(now() / 1_000),
        exp,
        project: projectId,
        key: key.id,
        endpoints,
        variables,
        ...(allowed_variables ? { allowed_variables } : {}),
        ...(allowed_values ? { allowed_values } : {}),
        ...(date_range ? { date_range } : {}),
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
          `The token would have ${token.length} characters, more than the ${MAX_TOKEN_LENGTH} that fit into a header. Use fewer endpoints or pinned variables.`,
        )
      return {
        id: claims.jti,
        token,
        expires_at: new Date(exp * 1_000).toISOString(),
        endpoints,
        variables,
        allowed_variables: allowed_variables ?? null,
        allowed_values: allowed_values ?? {},
        date_range: date_range ?? null,
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
      // A token never allows more than its key currently does.
      const key = await metadata.keys.get(claims.key)
      if (!key || !mayRun(key, projectId))
        throw new ApiError('run_token_revoked', {
          detail: 'The personal API key that issued this run token can no longer run endpoints.',
        })
      if (claims.origins && !(origin !== undefined && claims.origins.includes(origin))) {
        throw new ApiError('origin_not_allowed', {
          detail:
            origin === undefined
              ? 'This run token is restricted to some origins, and the request has no Origin header.'
              : `This run token does not allow the origin ${origin.slice(0, 200)}.`,
        })
      }
      if (!claims.endpoints.includes(endpoint))
        throw new ApiError('not_granted', { detail: `This run token does not allow "${endpoint.slice(0, 130)}".` })
      return { claims, key, zone: createZone((await metadata.projects.byId(projectId))!.timezone) }
    },

    async revoke(projectId, id) {
      if (!isUuid(id)) throw new ApiError('not_found', { detail: 'The id of a run token must be a UUID.' })
      // After this time every token has expired.
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
