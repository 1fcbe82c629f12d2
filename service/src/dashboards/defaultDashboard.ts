import type { Tile } from './tiles.ts'

const LAST_7_DAYS = { date_from: '-7d' }

const topTile = (id: string, title: string, breakdownBy: string, x: number, y: number): Tile => ({
  id,
  title,
  display: 'table',
  query: {
    kind: 'WebStatsTableQuery',
    breakdownBy,
    dateRange: LAST_7_DAYS,
    properties: [],
    limit: 10,
  } as Tile['query'],
  x,
  y,
  w: 6,
  h: 4,
})

/** The dashboard that every project starts with. */
export const DEFAULT_DASHBOARD = {
  name: 'Web overview',
  description: 'Visitors, pages and sources of the last 7 days.',
  variables: {},
  tiles: [
    {
      id: 'overview',
      title: 'Overview',
      display: 'number',
      query: {
        kind: 'WebOverviewQuery',
        dateRange: LAST_7_DAYS,
        properties: [],
        compareFilter: { compare: true },
      } as Tile['query'],
      x: 0,
      y: 0,
      w: 12,
      h: 2,
    },
    {
      id: 'visitors',
      title: 'Visitors',
      display: 'line',
      query: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
        interval: 'day',
        dateRange: LAST_7_DAYS,
      } as Tile['query'],
      x: 0,
      y: 2,
      w: 12,
      h: 4,
    },
    topTile('pages', 'Pages', 'Page', 0, 6),
    topTile('sources', 'Sources', 'InitialChannelType', 6, 6),
    topTile('devices', 'Devices', 'DeviceType', 0, 10),
    topTile('countries', 'Countries', 'Country', 6, 10),
  ] satisfies readonly Tile[],
}
