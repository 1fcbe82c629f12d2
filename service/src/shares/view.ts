import type { ApiKey } from '../storage/metadata/metadata.ts'
import type { Share, ShareDates, ShareKind } from './definition.ts'
import type { ShareState, Shown, Standing } from './standing.ts'
import type { Choices } from '../endpoints/tokens/choices.ts'

/** A share as the API returns it. */
export interface ShareView {
  readonly id: string
  readonly kind: ShareKind
  readonly dashboard: string | null
  readonly endpoint: string | null
  readonly version: number | 'latest'
  readonly tiles: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  readonly allowed_values: Choices
  readonly date_range: ShareDates | null
  readonly display: string | null
  readonly title: string | null
  readonly origins: readonly string[]
  readonly expires_at: string
  readonly has_password: boolean
  readonly note: string
  readonly owner: { readonly key_id: string; readonly label: string | null }
  readonly created_at: string
  readonly updated_at: string
  readonly revoked_at: string | null
  readonly state: ShareState
  readonly reasons: readonly string[]
}

export const toShareView = (share: Share, { state, reasons }: Standing, owner: ApiKey | undefined): ShareView => {
  const { kind, target, endpoint, version, tiles, pins, choices, dates, display, title } = share.definition
  return {
    id: share.id,
    kind,
    dashboard: kind === 'dashboard' ? target : null,
    endpoint: endpoint ?? null,
    version,
    tiles,
    variables: pins,
    allowed_values: choices,
    date_range: dates ?? null,
    display: display ?? null,
    title: title ?? null,
    origins: share.origins,
    expires_at: share.expiresAt,
    has_password: share.password !== undefined,
    note: share.note,
    owner: { key_id: share.ownerKey, label: owner?.label ?? null },
    created_at: share.createdAt,
    updated_at: share.updatedAt,
    revoked_at: share.revokedAt ?? null,
    state,
    reasons,
  }
}

/** A share for its readers: without queries, names of endpoints and pinned values. */
export interface ReaderView {
  readonly title: string
  readonly description: string
  readonly tiles: readonly {
    readonly id: string
    readonly title: string
    readonly display: string
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }[]
  readonly variables: readonly { readonly name: string; readonly values: readonly (string | number | boolean)[] }[]
  readonly dates: {
    readonly from: string
    readonly to: string
    readonly min: string
    readonly max: string
    readonly is_movable: boolean
  } | null
  readonly timezone: string
}

export const toReaderView = (
  { title, choices }: Share['definition'],
  { content, days, moment }: Shown,
): ReaderView => ({
  title: title ?? content.name,
  description: content.description,
  tiles: content.pieces.map(({ id, title, display, place }) => ({ id, title, display, ...place })),
  variables: Object.entries(choices).map(([name, values]) => ({ name, values })),
  dates: days ? { ...days.initial, min: days.limits.from, max: days.limits.to, is_movable: days.isMovable } : null,
  timezone: moment.zone.name,
})
