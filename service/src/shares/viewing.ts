import { randomBytes } from 'node:crypto'
import type { RunEndpoint } from '../endpoints/run.ts'
import { ApiError, type ApiErrorCode } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { type TileAnswer, toTileAnswer } from './answer.ts'
import { chooseTile } from './choose.ts'
import type { Share, ShareDefinition } from './definition.ts'
import { valuesOf } from './fit.ts'
import { createPasswordCheck, createTries } from './password.ts'
import type { Shown, Standing, Standings } from './standing.ts'
import type { ShareStore } from './store.ts'
import { type ReaderView, toReaderView } from './view.ts'
import { isSigned, parseView, signView, type View, type ViewKey } from './viewToken.ts'

/** The exchange of a share's token for a view. */
export interface Opening {
  readonly token: string
  readonly password?: string
  /** The view that ends. It stands for the password. */
  readonly view?: string
}

export interface OpenedShare {
  /** Token that reads the share. The page keeps it in memory. */
  readonly view: string
  readonly expires_at: string
  readonly share: ReaderView
}

/** Inputs of a tile's run, besides the tile. */
export interface TileRun {
  /** Identifies the share in the cache and in the limits. */
  readonly scope: string
  readonly keyLabel: string
  readonly definition: ShareDefinition
  readonly shown: Shown
  readonly asked: unknown
  readonly signal: AbortSignal
}

/** Reads shares, without a key. All functions reject with `ApiError`. */
export interface Viewing {
  open(opening: Opening): Promise<OpenedShare>
  /** Runs a tile of the share of a view. */
  show(view: string | undefined, asked: unknown, signal: AbortSignal): Promise<TileAnswer>
  /** Runs a tile like `show`, also for previews. */
  runTile(run: TileRun): Promise<TileAnswer>
  /** Returns the origins that may embed the share with this id. */
  originsOf(id: string): Promise<readonly string[]>
}

/** A view lasts this long. Its page renews it. */
export const VIEW_MS = 10 * 60_000
/** Period in which a view can be renewed without the password. */
const UNLOCKED_MS = 24 * 3_600_000
/** Maximum tile runs per share and minute, by all readers together. */
export const SHARE_RUNS_PER_MINUTE = 600

const nothing = () => new ApiError('not_found', { detail: 'There is nothing to show here.' })
const ended = (reason: string) => new ApiError('share_ended', { extra: { reason } })

/** Errors of a run that its reader may see. The others would show the query. */
const SHOWN_ERRORS: readonly ApiErrorCode[] = [
  'query_timeout',
  'query_memory_limit',
  'query_too_large',
  'query_capacity',
  'query_cancelled',
  'rate_limited',
  'too_many_at_once',
  'engine_unavailable',
  'definitions_unavailable',
]

const toReaderError = (error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  const { code, details } = error
  if (!SHOWN_ERRORS.includes(code)) return new ApiError('query_failed', { detail: 'This tile cannot be shown now.' })
  const { retryAfterSeconds } = details
  return new ApiError(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}

export interface ViewingDependencies {
  readonly store: Pick<ShareStore, 'byToken' | 'byId'>
  readonly standings: Standings
  readonly metadata: Pick<Metadata, 'runTokens' | 'keys'>
  readonly run: RunEndpoint
  readonly now?: () => number
}

/** Creates the functions for readers of shares. */
export const createViewing = ({ store, standings, metadata, run, now = Date.now }: ViewingDependencies): Viewing => {
  const isPassword = createPasswordCheck()
  const countTry = createTries(now)

  const keyOf = async ({ projectId, generation }: Share): Promise<ViewKey> => {
    const { runTokens } = metadata
    const secret =
      (await runTokens.secret(projectId)) ?? (await runTokens.secret(projectId, randomBytes(32).toString('base64url')))
    return { secret, generation }
  }

  const assertShown = ({ state, shown }: Standing): Shown => {
    if (!shown) throw ended(state)
    return shown
  }

  /** Returns the view if it was signed for the share. It may have ended. */
  const viewOf = async (share: Share, token: string | undefined): Promise<View | undefined> => {
    const view = token === undefined ? undefined : parseView(token)
    return view && view.share === share.id && isSigned(view, await keyOf(share)) ? view : undefined
  }

  /** Returns the time at which the reader opened the share. Requires the right password if the share has one. */
  const unlock = async (share: Share, { password, view: token }: Opening): Promise<number> => {
    if (share.password === undefined) return now()
    const view = await viewOf(share, token)
    if (view && now() < view.openedAt + UNLOCKED_MS) return view.openedAt
    if (password === undefined) throw new ApiError('share_password', { attr: 'password' })
    const uncount = countTry(share.id)
    if (!(await isPassword(password, share.password)))
      throw new ApiError('share_password', { attr: 'password', detail: 'This is not the password of this link.' })
    uncount()
    return now()
  }

  const runTile = async ({ scope, keyLabel, definition, shown, asked, signal }: TileRun): Promise<TileAnswer> => {
    const tile = chooseTile(definition, shown, asked)
    if (!tile) throw nothing()
    const { query: of, chosen } = tile
    const { source } = of.piece
    const variables = valuesOf(of, definition, chosen)
    const runner = {
      projectId: shown.moment.projectId,
      key: { id: `share ${scope}`, label: keyLabel },
      runsPerMinute: SHARE_RUNS_PER_MINUTE,
      cacheScope: scope,
      variables,
      signal,
    }
    try {
      const answer = await run(
        'query' in source
          ? { ...runner, query: source.query }
          : { ...runner, endpoint: source.endpoint, version: source.version },
      )
      return toTileAnswer(of.query.kind, answer, chosen.days)
    } catch (error) {
      throw toReaderError(error)
    }
  }

  return {
    runTile,
    async open(opening) {
      const share = /^tms_[0-9a-f]{64}$/.test(opening.token) ? await store.byToken(opening.token) : undefined
      if (!share) throw nothing()
      const end = standings.endOf(share)
      if (end) throw ended(end)
      const openedAt = await unlock(share, opening)
      const shown = assertShown(await standings.of(share))
      const until = Math.min(now() + VIEW_MS, Date.parse(share.expiresAt))
      const view = signView({ share: share.id, openedAt, until }, await keyOf(share))
      return { view, expires_at: new Date(until).toISOString(), share: toReaderView(share.definition, shown) }
    },
    async show(token, asked, signal) {
      const parsed = token === undefined ? undefined : parseView(token)
      const share = parsed && (await store.byId(parsed.share))
      const view = share && (await viewOf(share, token))
      if (!view) throw new ApiError('share_view_expired')
      const end = standings.endOf(share)
      if (end) throw ended(end)
      if (now() >= view.until) throw new ApiError('share_view_expired')
      const [standing, owner] = await Promise.all([standings.of(share), metadata.keys.get(share.ownerKey)])
      const shown = assertShown(standing)
      const { definition, id: scope } = share
      return runTile({ scope, keyLabel: owner?.label ?? '', definition, shown, asked, signal })
    },
    async originsOf(id) {
      const share = await store.byId(id)
      return share && !standings.endOf(share) ? share.origins : []
    },
  }
}
