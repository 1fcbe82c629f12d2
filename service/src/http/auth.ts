import { isRunToken } from '../endpoints/tokens/runToken.ts'
import { ApiError } from '../lib/apiError.ts'
import type { ApiKey, Project } from '../storage/metadata/metadata.ts'

export const SCOPES = [
  'endpoint:read',
  'endpoint:write',
  'insight_variable:read',
  'insight_variable:write',
  'feature_flag:read',
  'feature_flag:write',
  'early_access_feature:read',
  'early_access_feature:write',
  'person:read',
  'person:write',
  'project:read',
  'project:write',
  'personal_api_key:read',
  'personal_api_key:write',
  'refused_event:read',
  'metrics:read',
  'run_token:write',
] as const

/** What a personal API key may be allowed. */
export type Scope = (typeof SCOPES)[number]

export interface AuthDependencies {
  readonly keyBySecret: (secret: string) => Promise<ApiKey | undefined>
  readonly projectById: (id: number) => Promise<Project | undefined>
}

export interface Asked {
  /** The request's `Authorization`. */
  readonly header: string | undefined
  /** The project that is asked for, which is none if `undefined`; `'any'` where an address is of no project. */
  readonly projectId: number | undefined | 'any'
  readonly scope: Scope
}

/** What follows `Bearer`. */
export const bearerOf = (header: string | undefined): string | undefined =>
  /^Bearer +(\S{1,4100}) *$/i.exec(header ?? '')?.[1]

/**
 * The key that `header` carries. Throws `ApiError` unless it has `scope`, and is of the project or of all.
 * Keys are looked up by their hash, so how long it takes says nothing about how much of a guess was right.
 */
export const authorize = async (
  { keyBySecret, projectById }: AuthDependencies,
  { header, projectId, scope }: Asked,
): Promise<ApiKey> => {
  const secret = bearerOf(header)
  if (!secret) throw new ApiError('not_authenticated')
  if (isRunToken(secret))
    throw new ApiError('invalid_api_key', {
      detail: 'This is a run token: it is taken at POST …/endpoints/{name}/run and nowhere else.',
    })
  const key = await keyBySecret(secret)
  if (!key) throw new ApiError('invalid_api_key')
  const mayReach = async (id: number | undefined) =>
    id !== undefined && (key.projectId === undefined ? (await projectById(id)) !== undefined : key.projectId === id)
  // A project of someone else answers like one that is not there.
  if (projectId !== 'any' && !(await mayReach(projectId)))
    throw new ApiError('not_found', { detail: 'There is no such project.' })
  if (!key.scopes.includes(scope))
    throw new ApiError('permission_denied', { detail: `This personal API key lacks the scope ${scope}.` })
  return key
}
