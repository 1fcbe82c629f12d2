import { randomBytes } from 'node:crypto'
import type { Tile } from '../dashboards/tiles.ts'
import { findEndpoint, findVersion } from '../endpoints/definitions/find.ts'
import type { Choices } from '../endpoints/tokens/choices.ts'
import { DAY_FORMS, dayNames } from '../endpoints/tokens/days.ts'
import { createZone } from '../endpoints/insights/zone.ts'
import { ApiError } from '../lib/apiError.ts'
import { checkOrigins } from '../lib/origins.ts'
import { isUuid } from '../lib/uuid.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import { snapshotOf } from './content.ts'
import { shareDays } from './days.ts'
import type { Share, ShareDates, ShareDefinition } from './definition.ts'
import { hashPassword } from './password.ts'
import { lackedScopes, type Standings, type StandingParts } from './standing.ts'
import type { ShareStore } from './store.ts'
import { type ShareView, toShareView } from './view.ts'

/** What to share, and what its readers may change. */
export interface ShareInput {
  readonly dashboard?: string
  readonly endpoint?: string
  readonly version?: number | 'latest'
  readonly tiles?: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly allowed_values?: Choices
  readonly date_range?: ShareDates
  readonly display?: Tile['display']
  readonly title?: string
}

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
  /** Returns the definition that a share of the input would have. */
  define(projectId: number, key: ApiKey, input: ShareInput): Promise<ShareDefinition>
}

export const MAX_SHARES = 500
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

const checkNames = ({ variables = {}, allowed_values: choices = {}, date_range: dates }: ShareInput): void => {
  const both = Object.keys(choices).find((name) => Object.hasOwn(variables, name))
  if (both)
    throw wrong('allowed_values', `"${both}" is in "variables" and in "allowed_values". Remove it from one of them.`)
  const days = dates ? Object.values(dayNames(dates)) : []
  const day = days.find((name) => Object.hasOwn(variables, name) || Object.hasOwn(choices, name))
  if (day) throw wrong('date_range', `"${day}" takes dates. Remove it from "variables" and "allowed_values".`)
}

export interface SharesDependencies extends StandingParts {
  readonly store: ShareStore
  readonly standings: Standings
}

/** Creates the operations on shares. */
export const createShares = (parts: SharesDependencies): Shares => {
  const { store, standings, metadata, dashboards, now = Date.now } = parts

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

  const checkDates = async (projectId: number, dates: ShareDates | undefined) => {
    if (!dates) return
    const { timezone } = (await metadata.projects.byId(projectId))!
    if (!shareDays(dates, createZone(timezone), now()))
      throw wrong(
        'date_range',
        `"from", "to", "min" and "max" must each be ${DAY_FORMS}, and the ends must not be before the starts (default: today).`,
      )
  }

  const ofDashboard = async (projectId: number, input: ShareInput): Promise<Partial<ShareDefinition>> => {
    const dashboard = await dashboards.get(projectId, input.dashboard!)
    const { version = 'latest', tiles = dashboard.tiles.map(({ id }) => id) } = input
    const unknown = tiles.find((id) => !dashboard.tiles.some((tile) => tile.id === id))
    if (unknown !== undefined)
      throw wrong('tiles', `The dashboard has no tile "${unknown.slice(0, 100)}". Send the ids of its tiles.`)
    if (!tiles.length) throw wrong('tiles', 'The dashboard has no tiles to share. Add a tile first.')
    if (version !== 'latest' && version !== dashboard.version)
      throw new ApiError('version_conflict', {
        attr: 'version',
        detail: `The current version of this dashboard is ${dashboard.version}. Share that, or "latest".`,
        extra: { current_version: dashboard.version },
      })
    const snapshot = version === 'latest' ? undefined : await snapshotOf(parts, projectId, dashboard, tiles)
    return { kind: 'dashboard', target: dashboard.id, version, tiles, ...(snapshot ? { snapshot } : {}) }
  }

  const ofEndpoint = async (projectId: number, input: ShareInput): Promise<Partial<ShareDefinition>> => {
    if (input.tiles) throw wrong('tiles', 'An endpoint has no tiles. Omit "tiles".')
    const endpoint = await findEndpoint(metadata, projectId, input.endpoint!)
    const { version = 'latest' } = input
    if (version !== 'latest') await findVersion(metadata, endpoint, version)
    return { kind: 'endpoint', target: endpoint.id, endpoint: endpoint.name, version, tiles: [] }
  }

  const define: Shares['define'] = async (projectId, key, input) => {
    const { dashboard, endpoint, variables = {}, allowed_values = {}, date_range, display, title } = input
    if ((dashboard === undefined) === (endpoint === undefined))
      throw wrong('dashboard', 'Share either "dashboard", by its id, or "endpoint", by its name.')
    const lacked = lackedScopes(key, projectId, dashboard === undefined ? 'endpoint' : 'dashboard')
    if (lacked.length)
      throw new ApiError('permission_denied', {
        detail: `A share shows what its key may read. This key lacks the scope ${lacked.join(', ')}.`,
      })
    checkNames(input)
    await checkDates(projectId, date_range)
    const target = await (dashboard === undefined ? ofEndpoint : ofDashboard)(projectId, input)
    return {
      ...(target as ShareDefinition),
      pins: variables,
      choices: allowed_values,
      ...(date_range ? { dates: date_range } : {}),
      ...(display ? { display } : {}),
      ...(title ? { title } : {}),
    }
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
      const created = await store.create(share, token, { max: MAX_SHARES, endedBefore })
      if (!created)
        throw wrong(
          'dashboard',
          `A project may have at most ${MAX_SHARES} shares. Ended ones count for ${KEPT_DAYS} days.`,
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
      const lacked = lackedScopes(key, projectId, share.definition.kind)
      if (lacked.length)
        throw new ApiError('permission_denied', {
          detail: `A share shows what its key may read. This key lacks the scope ${lacked.join(', ')}.`,
        })
      return view(await change(share, { ownerKey: key.id }))
    },
    async revoke(projectId, id) {
      if (!isUuid(id) || !(await store.revoke(projectId, id.toLowerCase()))) throw notFound()
    },
  }
}
