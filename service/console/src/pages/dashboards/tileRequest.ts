import type { Query } from '../../api/query.ts'
import type { ApiFilter } from '../../lib/filters.ts'
import type { ApiDateRange } from '../../lib/period.ts'
import type { Tile } from '../../api/dashboards.ts'

/** Settings of a dashboard for all its tiles. */
export interface Shared {
  /** Replaces the dates of each tile. Absent: each tile keeps its own. */
  readonly dateRange?: ApiDateRange | undefined
  readonly filters: readonly ApiFilter[]
  /** Values of variables by their code name. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** The fields of an endpoint that decide which variables its runs accept. */
export interface TileEndpoint {
  readonly query: Query
  readonly isMaterialized: boolean
  /** Whether runs of a materialized insight may pass dates. */
  readonly takesDates: boolean
}

/** The request of a tile: a query, or a run of an endpoint. */
export type TileRequest =
  | { readonly kind: string; readonly query: Query; readonly variables?: Readonly<Record<string, unknown>> | undefined }
  | { readonly kind: string; readonly endpoint: string; readonly variables: Readonly<Record<string, unknown>> }

const SQL = 'HogQLQuery'

/** Returns the code names of the variables in an SQL query. */
export const variablesOf = ({ kind, query }: Query): readonly string[] =>
  kind === SQL && typeof query === 'string'
    ? [...new Set([...query.matchAll(/\{\s*variables\.([A-Za-z_]\w*)/g)].map(([, name]) => name!))]
    : []

const pick = (values: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(values, name) && values[name] !== undefined ? [[name, values[name]]] : [])),
  )

const breakdownsOf = (query: Query): readonly string[] => {
  const { breakdown, breakdowns } = (query.breakdownFilter ?? {}) as {
    breakdown?: unknown
    breakdowns?: readonly { readonly property?: unknown }[]
  }
  return [breakdown, ...(breakdowns ?? []).map(({ property }) => property)]
    .flat()
    .filter((each) => typeof each === 'string')
}

const insightVariables = (
  { query, isMaterialized, takesDates }: TileEndpoint,
  { dateRange, filters }: Shared,
): Readonly<Record<string, unknown>> => {
  const breakdowns = breakdownsOf(query)
  const chosen = filters.filter(({ key, operator }) => operator === 'exact' && breakdowns.includes(key))
  return {
    ...(isMaterialized && !takesDates ? {} : dateRange),
    ...Object.fromEntries(chosen.map(({ key, value }) => [key, [value].flat()[0]])),
  }
}

/**
 * Returns what a tile runs. Its query takes the dashboard's dates and filters. Its endpoint takes those that it has
 * variables for: dates and breakdown values of an insight, variables of SQL. `undefined` while the endpoint is not known.
 */
export const toRequest = (tile: Tile, shared: Shared, endpoint: TileEndpoint | undefined): TileRequest | undefined => {
  const variables = { ...shared.variables, ...tile.variables }
  if (tile.query) {
    const query = tile.query as Query
    if (query.kind === SQL) return { kind: SQL, query, variables: pick(variables, variablesOf(query)) }
    const own = Array.isArray(query.properties) ? (query.properties as readonly unknown[]) : []
    return {
      kind: query.kind,
      query: {
        ...query,
        ...(shared.dateRange ? { dateRange: shared.dateRange } : {}),
        ...(shared.filters.length ? { properties: [...own, ...shared.filters] } : {}),
      },
    }
  }
  if (!endpoint || tile.endpoint === undefined) return undefined
  const { kind } = endpoint.query
  return {
    kind,
    endpoint: tile.endpoint,
    variables:
      kind === SQL
        ? pick(variables, variablesOf(endpoint.query))
        : { ...insightVariables(endpoint, shared), ...tile.variables },
  }
}
