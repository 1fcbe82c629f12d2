import type { ChartData, ChartType } from '../model'
import { listOf, toNumber, toText, toTime } from './cells'
import { type Mark, toSeries } from './pivot'

type Row = readonly unknown[]

/** Kind of a column. */
type Kind = 'number' | 'time' | 'text'

const NUMBER_TYPE = /^(?:(?:Nullable|LowCardinality)\()*(?:U?Int\d|Float|Decimal)/
const TIME_TYPE = /^(?:(?:Nullable|LowCardinality)\()*Date/

const isEvery = (values: Row, is: (value: unknown) => boolean) => {
  const known = values.filter((value) => value !== null && value !== undefined)
  return known.length > 0 && known.every(is)
}

/** Returns the kind of a column, from its type in the engine or else from its values. */
const kindOf = (type: unknown, values: Row): Kind => {
  if (typeof type === 'string' && NUMBER_TYPE.test(type)) return 'number'
  if (typeof type === 'string' && TIME_TYPE.test(type)) return 'time'
  if (isEvery(values, (value) => typeof value === 'number')) return 'number'
  return isEvery(values, (value) => toTime(value) !== null) ? 'time' : 'text'
}

/** Indexes of the columns with a role. */
interface Roles {
  readonly x: number
  readonly series: number
  readonly values: readonly number[]
}

/** Decides what each column is (docs/guides/chart.md#which-column-is-what). -1: no column has the role. */
export const rolesOf = (names: readonly string[], kinds: readonly Kind[], rows: number): Roles => {
  const all = names.map((_, index) => index)
  const named = (name: string) => names.findIndex((each) => each.toLowerCase() === name)
  const numbers = all.filter((index) => kinds[index] === 'number')
  const isOneRow = rows < 2 && numbers.length === names.length
  const firstOf = (...kind: Kind[]) => kinds.findIndex((each) => kind.includes(each))
  const candidates = [named('x'), firstOf('time'), firstOf('text'), numbers.length > 1 && !isOneRow ? numbers[0]! : -1]
  const x = candidates.find((index) => index >= 0) ?? -1
  const others = all.filter((index) => index !== x && kinds[index] !== 'number')
  const series = named('series') >= 0 ? named('series') : (others[0] ?? -1)
  const value = named('value')
  const values = value >= 0 ? [value] : numbers.filter((index) => index !== x && index !== series)
  return { x, series: series === x ? -1 : series, values }
}

// Rows of `WebStatsTableQuery` have pairs of the current and the previous value.
const currentOf = (cell: unknown, isPaired: boolean) => (isPaired && Array.isArray(cell) ? (cell as Row)[0] : cell)

/** Returns each different x, in order, and the place of each row's x among them. -1: the row has no time. */
const placesOf = (xs: Row, isTime: boolean) => {
  const keys: readonly (string | number | null)[] = xs.map((x) => (isTime ? toTime(x) : toText(x)))
  const distinct = [...new Set(keys)].filter((key) => key !== null)
  if (isTime) distinct.sort((a, b) => Number(a) - Number(b))
  const places = new Map(distinct.map((key, index) => [key, index]))
  return { distinct, places: keys.map((key) => (key === null ? -1 : places.get(key)!)) }
}

const suitedType = (roles: Roles, rows: number, isTime: boolean): ChartType => {
  if (!roles.values.length) return 'table'
  if (roles.x < 0 && rows < 2 && roles.values.length === 1) return 'number'
  return isTime ? 'line' : 'bar'
}

/** A single row of numbers: each column is a bar. */
const columnsAsBars = (row: Row, { values }: Roles) =>
  values.map((index, x): Mark => ({ series: '', x, value: toNumber(row[index]) }))

/** Reads rows of SQL, or of another result with columns. */
export const readSql = (columns: Row, types: unknown, results: unknown): ChartData => {
  const names = columns.map(String)
  const isPaired = !Array.isArray(types)
  const rows = listOf(results).map((row) => names.map((_, index) => currentOf(listOf(row)[index], isPaired)))
  const table = { columns: names, rows }
  const kinds = names.map((_, index) =>
    kindOf(
      listOf(listOf(types)[index])[1],
      rows.map((row) => row[index]),
    ),
  )
  const roles = rolesOf(names, kinds, rows.length)
  const { x, values } = roles
  const isTime = kinds[x] === 'time'
  const suits = suitedType(roles, rows.length, isTime)
  const totalRow = isTime ? rows[rows.length - 1] : rows[0]
  const total = totalRow?.[values[0] ?? 0]
  if (x < 0 && rows.length === 1) {
    const marks = columnsAsBars(rows[0]!, roles)
    return { labels: values.map((index) => names[index]), ...toSeries(marks, values.length), table, total, suits }
  }
  const { distinct, places } = placesOf(
    rows.map((row, index) => (x < 0 ? index + 1 : row[x])),
    isTime,
  )
  const seriesOf = (row: Row, value: number) => {
    const name = roles.series < 0 ? '' : toText(row[roles.series])
    return roles.series < 0 ? names[value]! : values.length > 1 ? `${name} · ${names[value]!}` : name
  }
  const marks = rows.flatMap((row, index) =>
    places[index]! < 0
      ? []
      : values.map((value) => ({ series: seriesOf(row, value), x: places[index]!, value: toNumber(row[value]) })),
  )
  return {
    labels: distinct,
    ...(isTime ? { times: distinct.map(Number) } : {}),
    ...toSeries(marks, distinct.length),
    table,
    total,
    suits,
  }
}
