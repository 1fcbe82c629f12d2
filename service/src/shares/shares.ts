import { randomBytes } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import { checkOrigins } from '../lib/origins.ts'
import { isUuid } from '../lib/uuid.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import { createDefine, type Define, type ShareInput } from './define.ts'
import type { Share, ShareDefinition } from './definition.ts'
import { hashPassword } from './password.ts'
import { assertMayShare, type Standings, type StandingParts } from './standing.ts'
import type { ShareStore } from './store.ts'
import { type ShareView, toShareView } from './view.ts'

/** The fields of a share that can be changed later. */
export interface ShareSettings {
  readonly origins?: readonly string[]
  readonly expires_at?: string
  /** null: no password. */
  readonly password?: string | null
  readonly note?: string
}

/** A share with its token, which is shown only once. */
export interface NewShareView extends ShareView {
  readonly token: string
  /** Path and fragment of its page. */
  readonly path: string
  /** Path and fragment of its page for frames of the listed origins. */
  readonly embed_path: string
}

/** Shares of a project. All functions reject with `ApiError`. */
export interface Shares {
  list(projectId: number, of: { dashboard?: string; endpoint?: string }): Promise<ShareView[]>
  get(projectId: number, id: string): Promise<ShareView>
  create(projectId: number, key: ApiKey, input: ShareInput & ShareSettings): Promise<NewShareView>
  change(projectId: number, id: string, settings: ShareSettings): Promise<ShareView>
  /** Replaces the token, so that the old link ends. */
  rotate(projectId: number, id: string): Promise<NewShareView>
  /** Makes the share belong to `key`. */
  takeOver(projectId: number, id: string, key: ApiKey): Promise<ShareView>
  revoke(projectId: number, id: string): Promise<void>
  readonly define: Define
}

export const MAX_SHARES = 500
/** Maximum characters of the JSON of a project's shares. Those of a fixed version have the tiles of their dashboard. */
export const MAX_SHARE_CHARS = 5_000_000
export const DEFAULT_DAYS = 30
export const MAX_DAYS = 366
/** Ended shares are listed for this long. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })
const notFound = () => new ApiError('not_found', { detail: 'This project has no share with this id.' })

// Logs redact this format (`lib/log.ts`).
const newToken = () => `tms_${randomBytes(32).toString('hex')}`

const expiryOf = (given: string | undefined, now: number): string => {
  if (given === undefined) return new Date(now + DEFAULT_DAYS * DAY_MS).toISOString()
  const end = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) : NaN
  if (!(end > now && end <= now + MAX_DAYS * DAY_MS))
    throw wrong(
      'expires_at',
      `"expires_at" must be in the future, at most ${MAX_DAYS} days from now, such as 2026-12-24T18:00:00Z.`,
    )
  return new Date(end).toISOString()
}

export interface SharesDependencies extends StandingParts {
  readonly store: ShareStore
  readonly standings: Standings
}

/** Creates the operations on shares. */
export const createShares = (parts: SharesDependencies): Shares => {
  const { store, standings, metadata, now = Date.now } = parts
  const define = createDefine(parts)

  const find = async (projectId: number, id: string): Promise<Share> => {
    const found = isUuid(id) ? await store.get(projectId, id.toLowerCase()) : undefined
    if (!found) throw notFound()
    return found
  }

  const assertOpen = (share: Share) => {
    if (share.revokedAt !== undefined)
      throw new ApiError('share_ended', { detail: 'This share was revoked. Create a new one.' })
  }

  const view = async (share: Share): Promise<ShareView> => {
    const [standing, owner] = await Promise.all([standings.of(share), metadata.keys.get(share.ownerKey)])
    return toShareView(share, standing, owner)
  }

  const withToken = async (share: Share, token: string): Promise<NewShareView> => ({
    ...(await view(share)),
    token,
    path: `/shared#${token}`,
    embed_path: `/embed/${share.id}#${token}`,
  })

  const change = async (share: Share, changes: Parameters<ShareStore['update']>[2]): Promise<Share> => {
    assertOpen(share)
    const updated = await store.update(share.projectId, share.id, changes)
    if (!updated) throw notFound()
    return updated
  }

  const assertShareable = async (projectId: number, definition: ShareDefinition) => {
    const { state, reasons } = await standings.ofDefinition(projectId, definition, true)
    if (state === 'active') return
    throw new ApiError('not_shareable', {
      detail: reasons.join(' '),
      errors: reasons.map((message, index) => ({ path: String(index), code: 'not_shareable', message })),
    })
  }

  return {
    define,
    async list(projectId, { dashboard, endpoint }) {
      const shares = (await store.list(projectId)).filter(
        ({ definition }) =>
          (dashboard === undefined || (definition.kind === 'dashboard' && definition.target === dashboard)) &&
          (endpoint === undefined || definition.endpoint === endpoint),
      )
      const views: ShareView[] = []
      for (const share of shares) views.push(await view(share))
      return views
    },
    get: async (projectId, id) => view(await find(projectId, id)),
    async create(projectId, key, { origins = [], expires_at, password, note = '', ...input }) {
      checkOrigins('origins', origins)
      const expiresAt = expiryOf(expires_at, now())
      const definition = await define(projectId, key, input)
      await assertShareable(projectId, definition)
      const token = newToken()
      const share = {
        projectId,
        definition,
        origins,
        note,
        password: password ? await hashPassword(password) : undefined,
        ownerKey: key.id,
        expiresAt,
      }
      const endedBefore = new Date(now() - KEPT_DAYS * DAY_MS).toISOString()
      const created = await store.create(share, token, { max: MAX_SHARES, maxChars: MAX_SHARE_CHARS, endedBefore })
      if (!created)
        throw wrong(
          'dashboard',
          `A project may have at most ${MAX_SHARES} shares, with ${MAX_SHARE_CHARS} characters of tiles. Revoke some, or share "latest" instead of a version.`,
        )
      return withToken(created, token)
    },
    async change(projectId, id, { origins, expires_at, password, note }) {
      checkOrigins('origins', origins)
      const share = await find(projectId, id)
      return view(
        await change(share, {
          ...(origins === undefined ? {} : { origins }),
          ...(expires_at === undefined ? {} : { expiresAt: expiryOf(expires_at, now()) }),
          ...(password === undefined ? {} : { password: password === null ? null : await hashPassword(password) }),
          ...(note === undefined ? {} : { note }),
        }),
      )
    },
    async rotate(projectId, id) {
      const token = newToken()
      return withToken(await change(await find(projectId, id), { token }), token)
    },
    async takeOver(projectId, id, key) {
      const share = await find(projectId, id)
      assertMayShare(key, projectId, share.definition.kind)
      return view(await change(share, { ownerKey: key.id }))
    },
    async revoke(projectId, id) {
      if (!isUuid(id) || !(await store.revoke(projectId, id.toLowerCase()))) throw notFound()
    },
  }
}
