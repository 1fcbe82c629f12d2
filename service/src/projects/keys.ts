import { ApiError } from '../lib/apiError.ts'
import type { ApiKey, Metadata } from '../storage/metadata/metadata.ts'
import { graceEnd } from './grace.ts'
import type { KeyFile } from './keyFile.ts'
import { generateSecret } from './secret.ts'

/** The caller: its project and scopes, which are the most it may grant. */
export interface Actor {
  /** Absent: all projects. */
  readonly projectId: number | undefined
  readonly scopes: readonly string[]
}

export interface KeyView {
  readonly id: string
  readonly label: string
  readonly scopes: readonly string[]
  /** Id of its project, in a list. null: all projects. */
  readonly scoped_teams: readonly number[] | null
  readonly mask_value: string
  readonly created_at: string
  readonly last_rolled_at: string | null
  readonly last_used_at: string | null
  /** Time until which the previous secret stays valid. */
  readonly previous_value_until: string | null
}

/** A key with its secret, which is shown only once. */
export type NewKeyView = KeyView & { readonly value: string }

export interface KeyInput {
  readonly label: string
  /** `['*']`: all scopes of the caller. */
  readonly scopes: readonly string[]
  /** Absent: the caller's own. */
  readonly scoped_teams?: readonly number[] | null
}

export interface Keys {
  /** Finds a key by its secret, and records its use. */
  bySecret(secret: string): Promise<ApiKey | undefined>
  list(actor: Actor): Promise<KeyView[]>
  get(actor: Actor, id: string): Promise<KeyView>
  create(actor: Actor, input: KeyInput): Promise<NewKeyView>
  /** Replaces the secret. The previous one stays valid for `graceSeconds`. */
  rotate(actor: Actor, id: string, graceSeconds: number): Promise<NewKeyView>
  revoke(actor: Actor, id: string): Promise<void>
}

export interface KeysDependencies {
  readonly metadata: Pick<Metadata, 'keys' | 'projects'>
  /** All existing scopes. */
  readonly scopes: readonly string[]
  /** File with the secret of the first key. */
  readonly keyFile: Pick<KeyFile, 'write'>
  readonly now?: () => number
}

/** Labels of the keys that the service creates at startup (`firstKey` in `service.ts`). */
export const START_KEYS = { generated: 'first key', given: 'environment' } as const

const MAX_LABEL = 200
// The time of last use is updated at most this often, not with each request.
const TOUCH_MS = 3_600_000

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

const toView = (key: ApiKey): KeyView => ({
  id: key.id,
  label: key.label,
  scopes: key.scopes,
  scoped_teams: key.projectId === undefined ? null : [key.projectId],
  mask_value: key.mask,
  created_at: key.createdAt,
  last_rolled_at: key.rotatedAt ?? null,
  last_used_at: key.lastUsedAt ?? null,
  previous_value_until: key.previousUntil ?? null,
})

/**
 * Creates the operations on personal API keys, for the API and the command line. All of them reject with `ApiError`.
 */
export const createKeys = ({
  metadata: { keys, projects },
  scopes: known,
  keyFile,
  now = Date.now,
}: KeysDependencies): Keys => {
  // A key of a project without access looks like a missing key.
  const find = async (actor: Actor, id: string): Promise<ApiKey> => {
    const key = await keys.get(id)
    if (!key || (actor.projectId !== undefined && key.projectId !== actor.projectId))
      throw new ApiError('not_found', { detail: 'There is no personal API key with this id.' })
    return key
  }

  // Rejects keys with more scopes than the caller's, whose secret would grant them.
  const findManageable = async (actor: Actor, id: string): Promise<ApiKey> => {
    const key = await find(actor, id)
    const more = key.scopes.filter((scope) => !actor.scopes.includes(scope))
    if (more.length)
      throw new ApiError('permission_denied', { detail: `That key has scopes that yours lacks: ${more.join(', ')}.` })
    return key
  }

  const checkedLabel = (label: string): string => {
    const text = label.trim()
    if (!text || text.length > MAX_LABEL)
      throw wrong('label', `"label" must have 1 to ${MAX_LABEL} characters and must not be blank.`)
    if (Object.values<string>(START_KEYS).includes(text))
      throw wrong('label', `The label "${text}" is reserved for the service. Choose another.`)
    return text
  }

  const checkedScopes = (actor: Actor, scopes: readonly string[]): string[] => {
    if (scopes.length === 1 && scopes[0] === '*') return [...actor.scopes]
    const unknown = scopes.filter((scope) => !known.includes(scope))
    if (!scopes.length || unknown.length)
      throw wrong(
        'scopes',
        `${unknown.length ? `There is no scope ${unknown.map((scope) => `"${scope.slice(0, 60)}"`).join(', ')}` : 'A key needs at least one scope'}. Valid scopes: ${known.join(', ')}.`,
      )
    const more = scopes.filter((scope) => !actor.scopes.includes(scope))
    if (more.length)
      throw new ApiError('permission_denied', {
        attr: 'scopes',
        detail: `A key can only grant scopes it has itself. Yours lacks ${more.join(', ')}.`,
      })
    return known.filter((scope) => scopes.includes(scope))
  }

  const checkedProject = async (actor: Actor, teams: KeyInput['scoped_teams']): Promise<number | undefined> => {
    if (teams === undefined && actor.projectId !== undefined) return actor.projectId
    if (teams === undefined || (teams && teams.length !== 1))
      throw wrong('scoped_teams', '"scoped_teams" must be a list with one project id, or null for all projects.')
    const id = teams?.[0]
    if (actor.projectId !== undefined && id !== actor.projectId)
      throw new ApiError('permission_denied', {
        attr: 'scoped_teams',
        detail: `This key belongs to project ${actor.projectId} and can only create keys for that project.`,
      })
    if (id !== undefined && !(await projects.byId(id))) throw wrong('scoped_teams', `There is no project ${id}.`)
    return id
  }

  return {
    async bySecret(secret) {
      const key = await keys.bySecret(secret)
      // Keys stay valid when the store is read-only, such as with a full disk.
      if (key && !(key.lastUsedAt && now() - Date.parse(key.lastUsedAt) < TOUCH_MS))
        keys.touch(key.id, new Date(now()).toISOString()).catch(() => {})
      return key
    },
    list: async (actor) =>
      (await keys.list())
        .filter((key) => actor.projectId === undefined || key.projectId === actor.projectId)
        .map(toView),
    get: async (actor, id) => toView(await find(actor, id)),
    async create(actor, { label: given, scopes, scoped_teams: teams }) {
      const label = checkedLabel(given)
      const value = generateSecret('tmk')
      const key = await keys.create({
        label,
        scopes: checkedScopes(actor, scopes),
        projectId: await checkedProject(actor, teams),
        secret: value,
      })
      if (!key)
        throw new ApiError('name_taken', {
          attr: 'label',
          detail: `There already is a key with the label "${label}". Choose another label, or rotate that key.`,
        })
      return { ...toView(key), value }
    },
    async rotate(actor, id, graceSeconds) {
      const { label } = await findManageable(actor, id)
      if (label === START_KEYS.given)
        throw wrong('id', 'This key is set by TRAILMARK_PERSONAL_API_KEY. Change it there and restart the service.')
      const value = generateSecret('tmk')
      await keys.rotate(id, { secret: value, previousUntil: graceEnd(graceSeconds, now()) })
      if (label === START_KEYS.generated) keyFile.write(value)
      return { ...toView(await find(actor, id)), value }
    },
    async revoke(actor, id) {
      const { label } = await findManageable(actor, id)
      if (label === START_KEYS.given)
        throw wrong('id', 'This key is set by TRAILMARK_PERSONAL_API_KEY. Remove it there and restart the service.')
      await keys.remove(id)
      if (label === START_KEYS.generated) keyFile.write(undefined)
    },
  }
}
