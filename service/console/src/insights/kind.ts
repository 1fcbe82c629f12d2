import type { Display } from '../api/dashboards.ts'
import type { Query, QueryResult } from '../api/query.ts'
import type { TileData } from './tileData.ts'

/** A query parameter of the builder. */
export type Parameter = readonly [name: string, value: string | undefined]

/** Properties of an insight kind that the builder needs. */
export interface BuiltKind {
  readonly name: 'trends' | 'funnel' | 'retention'
  readonly label: string
  /** Reads its query from the URL. */
  readonly toQuery: (search: URLSearchParams) => Query | undefined
  /** Returns the query parameters of the settings that only this kind has. */
  readonly parametersOf: (query: Query) => readonly Parameter[]
  /** Returns a title: the names of its events. */
  readonly titleOf: (query: Query) => string
  /** Whether the period of the page applies. */
  readonly hasPeriod: boolean
}

/** A kind of insight: everything that the console knows of it, apart from how it is drawn. */
export interface InsightKind {
  /** The kind of its queries in the API. */
  readonly kind: string
  /** Returns the display of a query as a tile. Absent: a table. */
  readonly displayOf?: (query: Query) => Display
  /** Converts a result for each display of tiles. */
  readonly toTileData: (result: Pick<QueryResult, 'results' | 'columns'>) => TileData
  /** Absent: the builder does not have this kind. */
  readonly built?: BuiltKind
}
