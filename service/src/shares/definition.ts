import type { Tile } from '../dashboards/tiles.ts'
import type { Choices } from '../endpoints/tokens/choices.ts'
import type { DateRange } from '../endpoints/tokens/days.ts'

export type ShareKind = 'dashboard' | 'endpoint'

/** Days that a share shows, and the range from which a reader may choose others. */
export interface ShareDates extends DateRange {
  /** First day that a reader may choose. Without `min` and `max`, a reader cannot change the days. */
  readonly min?: string
  /** Last day that a reader may choose. */
  readonly max?: string
}

/** Content at the time of sharing. Only shares of a fixed version have it. */
export interface Snapshot {
  readonly name: string
  readonly description: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly tiles: readonly Tile[]
  /** Versions of the endpoints of the tiles, by their id. */
  readonly versions: Readonly<Record<string, number>>
}

/** Content of a share, and the choices of its readers. */
export interface ShareDefinition {
  readonly kind: ShareKind
  /** Id of the dashboard, or of the endpoint. */
  readonly target: string
  /** Name of the endpoint. A dashboard is found by its id. */
  readonly endpoint?: string
  readonly version: number | 'latest'
  /** Ids of the tiles of a dashboard. */
  readonly tiles: readonly string[]
  /** Values that readers cannot change. */
  readonly pins: Readonly<Record<string, unknown>>
  /** Values that readers may choose. The first is the initial one. */
  readonly choices: Choices
  readonly dates?: ShareDates
  /** Display of an endpoint. */
  readonly display?: Tile['display']
  /** Title for readers. Default: the name of what is shared. */
  readonly title?: string
  readonly snapshot?: Snapshot
}

/** A share as stored. */
export interface Share {
  readonly id: string
  readonly projectId: number
  readonly definition: ShareDefinition
  /** Origins of the pages that may embed it. */
  readonly origins: readonly string[]
  readonly note: string
  /** Hash of its password. Absent: it has no password. */
  readonly password: string | undefined
  /** Changes with the token and the password. */
  readonly generation: string
  /** Id of the key from which it gets its rights. */
  readonly ownerKey: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly revokedAt: string | undefined
}

/** One result that a share shows. Readers name it by `id`. */
export interface Piece {
  readonly id: string
  readonly title: string
  readonly display: Tile['display']
  readonly place: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly source: PieceSource
  /** Values of SQL variables that neither the share nor its reader sets, and the dates of the dashboard. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** Values that the tile itself sets. Insights take no others. */
  readonly ofTile: Readonly<Record<string, unknown>>
}

export type PieceSource =
  | { readonly endpoint: string; readonly version: number | undefined; readonly endpointId: string | undefined }
  | { readonly query: Readonly<Record<string, unknown>> }

/** Reason why a tile cannot be shared, and the remedy. */
export interface Fault {
  readonly tile: string
  readonly code: 'not_pinned' | 'no_dates' | 'no_value' | 'wrong_value' | 'missing' | 'personal' | 'raw_query'
  readonly message: string
}
