import { isRunToken } from '../endpoints/tokens/runToken.ts'
import { ApiError } from '../lib/apiError.ts'
import type { ApiKey, Project } from '../storage/metadata/metadata.ts'

export const SCOPES = [
  'endpoint:read',
  'endpoint:write',
  'query:read',
  'insight_variable:read',
  'insight_variable:write',
  'feature_flag:read',
  'feature_flag:write',
  'early_access_feature:read',
  'early_access_feature:write',
  'person:read',
  'person:write',
  'session_recording:read',
  'session_recording:write',
  'project:read',
  'project:write',
  'personal_api_key:read',
  'personal_api_key:write',
  'refused_event:read',
  'dashboard:read',
  'dashboard:write',
  'metrics:read',
  'run_token:write',
  'error_tracking:read',
  'error_tracking:write',
  'survey:read',
  'survey:write',
  'share:read',
  'share:write',
  'export:read',
  'mcp:write',
  'mcp:people',
] as const

/** Scopes of personal API keys. */
export type Scope = (typeof SCOPES)[number]

export interface AuthDependencies {
  readonly keyBySecret: (secret: string) => Promise<ApiKey | undefined>
  readonly projectById: (id: number) => Promise<Project | undefined>
}

/** Requirements of a request. */
export interface Requirement {
  /** The project of the path. `undefined`: it does not exist. `'any'`: the path has no project. */
  readonly projectId: number | undefined | 'any'
  readonly scope: Scope
  /** Another scope that suffices. */
  readonly orScope?: Scope | undefined
}

/** Returns the token after `Bearer`. */
export const bearerOf = (header: string | undefined): string | undefined =>
  /^Bearer +(\S{1,4100}) *$/i.exec(header ?? '')?.[1]

/**
 * Returns the key in an `Authorization` header. Throws `ApiError` if there is none.
 * Keys are looked up by their hash, so the duration does not reveal how much of a guess was right.
 */
export const keyInHeader = async (
  { keyBySecret }: Pick<AuthDependencies, 'keyBySecret'>,
  header: string | undefined,
): Promise<ApiKey> => {
  const secret = bearerOf(header)
  if (!secret) throw new ApiError('not_authenticated')
  if (isRunToken(secret))
    throw new ApiError('invalid_api_key', {
      detail: 'Run tokens are only accepted by POST …/endpoints/{name}/run.',
    })
  const key = await keyBySecret(secret)
  if (!key) throw new ApiError('invalid_api_key')
  return key
}

/** Throws `ApiError` unless the key has `scope` and is valid for the project. */
export const authorize = async (
  { projectById }: Pick<AuthDependencies, 'projectById'>,
  key: ApiKey,
  { projectId, scope, orScope }: Requirement,
): Promise<void> => {
  const mayReach = async (id: number | undefined) =>
    id !== undefined && (key.projectId === undefined ? (await projectById(id)) !== undefined : key.projectId === id)
  // A project without access looks like a missing project.
  if (projectId !== 'any' && !(await mayReach(projectId)))
    throw new ApiError('not_found', { detail: 'There is no project with this id.' })
  if (!key.scopes.includes(scope) && !(orScope && key.scopes.includes(orScope)))
    throw new ApiError('permission_denied', {
      detail: `This personal API key lacks the scope ${[scope, ...(orScope ? [orScope] : [])].join(' or ')}.`,
    })
}
