import type { RunAnswer } from '../endpoints/run.ts'
import type { Days } from '../endpoints/tokens/days.ts'

/** Result of a tile for a reader. */
export interface TileAnswer {
  /** Kind of the query, which decides the form of `results`. */
  readonly kind: string
  readonly columns: readonly string[]
  readonly results: unknown
  readonly hasMore: boolean
  readonly last_refresh: string
  readonly timezone: string
  /** The days shown. null: those of the tile. */
  readonly days: Days | null
}

/** Fields of the items of insights that repeat their query. */
const OF_QUERY: ReadonlySet<string> = new Set(['action', 'filter', 'properties', 'query', 'hogql'])

const withoutQuery = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutQuery)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !OF_QUERY.has(name)))
}

const SQL = 'HogQLQuery'

/** Returns the part of a run that a reader may see: the result, without the query and the endpoint. */
export const toTileAnswer = (kind: string, answer: RunAnswer, days: Days | undefined): TileAnswer => {
  const { results, columns, hasMore, last_refresh, timezone } = answer
  return {
    kind,
    columns: columns ?? [],
    results: kind === SQL ? results : withoutQuery(results),
    hasMore: Boolean(hasMore),
    last_refresh,
    timezone,
    days: days ?? null,
  }
}
