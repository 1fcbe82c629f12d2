import type { QueryResult } from '../api/query.ts'
import type { Series } from '../ui/lineChart.tsx'
import type { CellValue } from '../ui/simpleTable.tsx'

/** A number of a tile, with its value in the previous period. */
export interface Figure {
  readonly label: string
  readonly value: number | null
  readonly previous: number | null
  readonly unit: 'number' | 'percent' | 'seconds'
  readonly isIncreaseBad: boolean
}

export interface Chart {
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

export interface TableData {
  readonly head: readonly string[]
  readonly rows: readonly (readonly CellValue[])[]
}

/** A result, converted for each display of tiles. Absent: the result does not support that display. */
export interface TileData {
  readonly figures?: readonly Figure[]
  readonly chart?: Chart
  readonly table: TableData
}

export type Item = Readonly<Record<string, unknown>>

export const MAX_SERIES = 10

export const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)
export const toCell = (value: unknown): CellValue =>
  value === undefined || value === null
    ? null
    : typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
      ? value
      : JSON.stringify(value)
export const toText = (value: unknown): string => String(toCell(value) ?? '–')
export const figure = (label: string, value: number | null, more: Partial<Figure> = {}): Figure => ({
  label,
  value,
  previous: null,
  unit: 'number',
  isIncreaseBad: false,
  ...more,
})

/** Converts rows, such as the rows of SQL. */
export const rowsToTileData = ({ columns = [], results: rows }: Pick<QueryResult, 'results' | 'columns'>): TileData => {
  const results = rows as readonly (readonly unknown[])[]
  const isNumber = columns.map(
    (_, index) => results.length > 0 && results.every((row) => row[index] === null || typeof row[index] === 'number'),
  )
  const numbers = columns.flatMap((name, index) => (isNumber[index] && index > 0 ? [{ name, index }] : []))
  const first = results[0]
  const table = { head: columns, rows: results.map((row) => row.map(toCell)) }
  const figures =
    first && columns.flatMap((name, index) => (isNumber[index] ? [figure(name, toNumber(first[index]))] : []))
  const chart = {
    labels: results.map((row) => toText(row[0])),
    series: numbers.slice(0, MAX_SERIES).map(({ name, index }, at) => ({
      label: name,
      values: results.map((row) => toNumber(row[index])),
      color: at + 1,
      isComparison: false,
    })),
  }
  return {
    ...(figures?.length ? { figures } : {}),
    ...(chart.series.length ? { chart } : {}),
    table,
  }
}
