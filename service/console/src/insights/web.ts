import type { InsightKind } from './kind.ts'
import { type Figure, figure, type Item, type TileData, toCell, toNumber, toText } from './tileData.ts'

const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const ofOverview = (results: readonly Item[]): TileData => {
  const units: Readonly<Record<string, Figure['unit']>> = { percentage: 'percent', duration_s: 'seconds' }
  const figures = results.map(({ key, value, previous, kind, isIncreaseBad }) =>
    figure(capitalize(toText(key)), toNumber(value), {
      previous: toNumber(previous),
      unit: units[toText(kind)] ?? 'number',
      isIncreaseBad: isIncreaseBad === true,
    }),
  )
  return {
    figures,
    table: {
      head: ['', 'Value', 'Before'],
      rows: figures.map(({ label, value, previous }) => [label, value, previous]),
    },
  }
}

const STATS_TITLES: Readonly<Record<string, string>> = {
  breakdown_value: '',
  visitors: 'Visitors',
  views: 'Views',
  bounce_rate: 'Bounce rate',
  avg_time_on_page: 'Seconds on page',
}

// Each number is a pair: of this period and of the period before. Tiles show the first.
const ofStatsTable = (columns: readonly string[], results: readonly (readonly unknown[])[]): TileData => {
  const shown = columns.flatMap((name, index) => {
    const title = STATS_TITLES[name.replace(/^context\.columns\./, '')]
    return title === undefined ? [] : [{ title, index }]
  })
  const cellOf = (cell: unknown) => (Array.isArray(cell) ? toCell(cell[0]) : toCell(cell || '(none)'))
  return {
    table: {
      head: shown.map(({ title }) => title),
      rows: results.map((row) => shown.map(({ index }) => cellOf(row[index]))),
    },
  }
}

/** The headline of the web overview. */
export const WEB_OVERVIEW: InsightKind = {
  kind: 'WebOverviewQuery',
  displayOf: () => 'number',
  toTileData: ({ results }) => ofOverview(results as readonly Item[]),
}

/** The tables of the web overview. */
export const WEB_STATS: InsightKind = {
  kind: 'WebStatsTableQuery',
  toTileData: ({ results, columns }) => ofStatsTable(columns ?? [], results as readonly (readonly unknown[])[]),
}
