import type { Display } from '../api/dashboards.ts'
import type { Query, QueryResult } from '../api/query.ts'
import { cutText } from '../lib/propertyText.ts'
import { FUNNEL } from './funnel/funnel.ts'
import type { BuiltKind, InsightKind } from './kind.ts'
import { RETENTION } from './retention/retention.ts'
import { rowsToTileData, type TileData } from './tileData.ts'
import { TRENDS } from './trends/trends.ts'
import { WEB_OVERVIEW, WEB_STATS } from './web.ts'

/** All kinds of insights that the console knows. Those of the builder are in the order of its tabs. */
const KINDS: readonly InsightKind[] = [TRENDS, FUNNEL, RETENTION, WEB_OVERVIEW, WEB_STATS]

const MAX_TITLE = 100

const kindOf = ({ kind }: Pick<Query, 'kind'>): InsightKind | undefined => KINDS.find((each) => each.kind === kind)

/** The kinds that the builder has. */
export const BUILT_KINDS: readonly BuiltKind[] = KINDS.flatMap(({ built }) => built ?? [])

/** Returns what the builder knows of a query's kind. `undefined`: it does not have this kind. */
export const builtKindOf = (query: Pick<Query, 'kind'>): BuiltKind | undefined => kindOf(query)?.built

/** Whether a query is of a kind that the builder has. */
export const isBuilt = (query: Pick<Query, 'kind'>): boolean => builtKindOf(query) !== undefined

/** Returns the display of a query as a tile: for insights the chart of their kind, for other queries a table. */
export const displayOf = (query: Query): Display => kindOf(query)?.displayOf?.(query) ?? 'table'

/** Returns a title for an insight of the builder: the names of its events. */
export const titleOf = (query: Query): string => cutText(builtKindOf(query)?.titleOf(query) ?? query.kind, MAX_TITLE)

/** Converts the result of a query of `kind` for each display of tiles. */
export const toTileData = (kind: string, result: Pick<QueryResult, 'results' | 'columns'>): TileData =>
  (kindOf({ kind })?.toTileData ?? rowsToTileData)(result)
