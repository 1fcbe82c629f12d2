import { filtersOf, toApiFilter } from '../../lib/filters.ts'
import { type Period, periodOf, toDateRange } from '../../lib/period.ts'
import type { Tile } from '../../api/dashboards.ts'
import type { DashboardDraft } from './dashboard.ts'
import { type Shared, type TileEndpoint, variablesOf } from './tileRequest.ts'

const PREFIX = 'v.'
const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)

/** Period in the URL. `undefined`: the period of the dashboard. */
export const chosenPeriod = (search: URLSearchParams): Period | undefined =>
  search.has('period') || (search.has('from') && search.has('to')) ? periodOf(search) : undefined

/** Returns what the URL and the dashboard set for all tiles. The URL comes first. */
export const sharedOf = (search: URLSearchParams, { variables }: DashboardDraft): Shared => {
  const period = chosenPeriod(search)
  const { date_from: dateFrom, date_to: dateTo, ...others } = variables
  const from = text(dateFrom)
  const to = text(dateTo)
  const saved = from ? { date_from: from, ...(to ? { date_to: to } : {}) } : undefined
  return {
    dateRange: period ? toDateRange(period) : saved,
    filters: filtersOf(search).map(toApiFilter),
    variables: { ...others, ...chosenVariables(search) },
  }
}

/** Values of variables in the URL, by code name. They are JSON, or text. */
export const chosenVariables = (search: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...search].flatMap(([name, value]) =>
      name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), parse(value)]] : [],
    ),
  )

const parse = (value: string): unknown => {
  try {
    const parsed = JSON.parse(value) as unknown
    return typeof parsed === 'object' ? value : parsed
  } catch {
    return value
  }
}

/** Returns the query parameter that sets a variable. Text that reads as JSON gets quotes. */
export const variableParameter = (name: string, value: unknown): Readonly<Record<string, string | undefined>> => {
  const isPlain = typeof value === 'string' && parse(value) === value
  return { [PREFIX + name]: value === undefined || value === '' ? undefined : isPlain ? value : JSON.stringify(value) }
}

/** Returns the variables that the SQL of any tile takes. */
export const variablesOfTiles = (
  tiles: readonly Tile[],
  endpoints: ReadonlyMap<string, TileEndpoint> | undefined,
): readonly string[] => [
  ...new Set(
    tiles.flatMap((tile) => {
      const query = tile.query ?? (tile.endpoint === undefined ? undefined : endpoints?.get(tile.endpoint)?.query)
      return query ? variablesOf(query) : []
    }),
  ),
]
