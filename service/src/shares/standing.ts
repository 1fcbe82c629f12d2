import { createZone } from '../endpoints/insights/zone.ts'
import { ApiError } from '../lib/apiError.ts'
import type { ApiKey, Metadata } from '../storage/metadata/metadata.ts'
import { type Content, contentOf, type ContentParts } from './content.ts'
import { type ShareDays, shareDays } from './days.ts'
import type { Share, ShareDefinition, ShareKind } from './definition.ts'
import { faultsOf, type Moment } from './fit.ts'
import { type FitParts, type PieceQuery, queryOf } from './pieceQuery.ts'

export type ShareState = 'active' | 'expired' | 'revoked' | 'suspended'

/** Current content of a share. */
export interface Shown {
  readonly content: Content
  readonly queries: readonly PieceQuery[]
  readonly days: ShareDays | undefined
  readonly moment: Moment
}

/** Current state of a share, and the reason if readers cannot open it. */
export interface Standing {
  readonly state: ShareState
  /** Reason for the suspension, and the remedy. */
  readonly reasons: readonly string[]
  /** Set if it is active. */
  readonly shown?: Shown
}

export interface StandingParts extends ContentParts, FitParts {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables' | 'keys'>
  readonly now?: () => number
}

/** Scopes that a key needs for its shares, because they show data that requires these scopes. */
export const NEEDED_SCOPES: Readonly<Record<ShareKind, readonly string[]>> = {
  dashboard: ['share:write', 'dashboard:read', 'endpoint:read', 'query:read'],
  endpoint: ['share:write', 'endpoint:read'],
}

/** Returns the scopes for this kind of share that a key lacks in a project. */
const lackedScopes = (key: ApiKey, projectId: number, kind: ShareKind): readonly string[] =>
  key.projectId === undefined || key.projectId === projectId
    ? NEEDED_SCOPES[kind].filter((scope) => !key.scopes.includes(scope))
    : NEEDED_SCOPES[kind]

/** Throws `ApiError` unless a key may have shares of a kind in a project. */
export const assertMayShare = (key: ApiKey, projectId: number, kind: ShareKind): void => {
  const lacked = lackedScopes(key, projectId, kind)
  if (lacked.length)
    throw new ApiError('permission_denied', {
      detail: `A share shows what its key may read. This key lacks the scope ${lacked.join(', ')}.`,
    })
}

const suspended = (...reasons: readonly string[]): Standing => ({ state: 'suspended', reasons })

/** Checks that determine whether shares can be read. */
export interface Standings {
  /** Checks the current content of a share. `isThorough`: with all values that readers may choose. */
  ofDefinition(projectId: number, definition: ShareDefinition, isThorough: boolean): Promise<Standing>
  of(share: Share): Promise<Standing>
  /** Returns the final state of a share, which cannot change anymore. */
  endOf(share: Share): 'expired' | 'revoked' | undefined
}

/** Creates the checks of shares. They run at each request, so an edit of a dashboard or an endpoint takes effect at once. */
export const createStandings = (parts: StandingParts): Standings => {
  const { metadata, now = Date.now } = parts

  const ofDefinition = async (projectId: number, definition: ShareDefinition, isThorough: boolean) => {
    const content = await contentOf(parts, projectId, definition)
    if (!content) return suspended(`The ${definition.kind} was deleted. Revoke this share.`)
    if (!content.pieces.length)
      return suspended('The dashboard has none of the shared tiles any more. Revoke this share, and share other tiles.')
    const { timezone } = (await metadata.projects.byId(projectId))!
    const moment: Moment = { projectId, zone: createZone(timezone), now: now() }
    const days = definition.dates && shareDays(definition.dates, moment.zone, moment.now)
    if (definition.dates && !days) return suspended('The date range of this share has no day now. Share it again.')
    const found = await Promise.all(content.pieces.map((piece) => queryOf(parts, projectId, piece)))
    const queries = found.filter((each): each is PieceQuery => 'query' in each)
    const options = { days: days?.initial, moment, isThorough }
    const faults = [
      ...found.flatMap((each) => ('query' in each ? [] : [each])),
      ...(await Promise.all(queries.map((each) => faultsOf(parts, definition, each, options)))).flat(),
    ]
    const unused = Object.keys(definition.choices).find((name) => !queries.some(({ names }) => names.includes(name)))
    if (isThorough && unused !== undefined)
      return suspended(
        ...faults.map(({ message }) => message),
        `No tile uses the variable "${unused}", so readers need no values of it.`,
      )
    if (faults.length) return suspended(...faults.map(({ message }) => message))
    return { state: 'active' as const, reasons: [], shown: { content, queries, days, moment } }
  }

  const endOf = ({ revokedAt, expiresAt }: Share) =>
    revokedAt !== undefined ? 'revoked' : now() >= Date.parse(expiresAt) ? 'expired' : undefined

  return {
    ofDefinition,
    endOf,
    async of(share) {
      const end = endOf(share)
      if (end) return { state: end, reasons: [] }
      const { definition, projectId } = share
      const owner = await metadata.keys.get(share.ownerKey)
      if (!owner || lackedScopes(owner, projectId, definition.kind).length)
        return suspended(
          'The key that this share belongs to was revoked or lost a scope. Take the share over with another key, or revoke it.',
        )
      return ofDefinition(projectId, definition, false)
    },
  }
}
