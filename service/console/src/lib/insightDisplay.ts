import type { Display } from '../api/dashboards.ts'
import type { Query } from '../api/query.ts'

/** How the builder's displays of trends look as tiles, by their names in the API. */
const OF_TRENDS = new Map<unknown, Display>([
  ['ActionsUnstackedBar', 'bar'],
  ['BoldNumber', 'number'],
  ['ActionsTable', 'table'],
])

const DISPLAYS = new Map<string, (query: Query) => Display>([
  [
    'TrendsQuery',
    ({ trendsFilter }) => OF_TRENDS.get((trendsFilter as { display?: unknown } | undefined)?.display) ?? 'line',
  ],
  ['FunnelsQuery', () => 'funnel'],
  ['RetentionQuery', () => 'retention'],
  ['WebOverviewQuery', () => 'number'],
])

/** The kinds of insights that the builder has. */
const BUILT: readonly string[] = ['TrendsQuery', 'FunnelsQuery', 'RetentionQuery']

/** Whether a query is of a kind that the builder has. */
export const isBuilt = ({ kind }: Pick<Query, 'kind'>): boolean => BUILT.includes(kind)

/** Returns the display of a query as a tile: for insights the chart of their kind, for other queries a table. */
export const displayOf = (query: Query): Display => DISPLAYS.get(query.kind)?.(query) ?? 'table'
