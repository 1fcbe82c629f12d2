import { Refusal } from '../lib/refusal.ts'
import type { ApiKey } from '../storage/records.ts'

export const SCOPES = ['endpoint:read', 'endpoint:write', 'insight_variable:read', 'insight_variable:write', 'feature_flag:read', 'feature_flag:write', 'project:read', 'project:write'] as const

/** What a personal API key may be allowed. */
export type Scope = (typeof SCOPES)[number]

export interface AuthRooms {
  readonly keyBySecret: (secret: string) => Promise<ApiKey | undefined>
}

/**
 * The key that `header` carries. Throws `Refusal` unless it is one of the project `projectId` that has `scope`; `'any'` where an address is
 * of no project.
 * Keys are looked up by their hash, so how long it takes says nothing about how much of a guess was right.
 */
export const authorize = async ({ keyBySecret }: AuthRooms, { header, projectId, scope }: { header: string | undefined; projectId: number | undefined | 'any'; scope: Scope }): Promise<ApiKey> => {
  const [, secret] = /^Bearer +(\S{1,500}) *$/i.exec(header ?? '') ?? []
  if (!secret) throw new Refusal('not_authenticated')
  const key = await keyBySecret(secret)
  if (!key) throw new Refusal('invalid_api_key')
  // A project of someone else answers like one that is not there.
  if (projectId !== 'any' && key.projectId !== projectId) throw new Refusal('not_found', { detail: 'There is no such project.' })
  if (!key.scopes.includes(scope)) throw new Refusal('permission_denied', { detail: `This personal API key lacks the scope ${scope}.` })
  return key
}
