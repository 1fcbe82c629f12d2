import { call, infix, type QuerySql, type SelectSql, type Sql, text } from '../../sql/catalog/physical.ts'

/** A table of stored rows. */
export interface Stored {
  readonly table: string
  /** The table has the events that arrived before this time. UTC, `YYYY-MM-DD hh:mm:ss.mmm`. */
  readonly watermark: string
  /** The rows that a run reads. */
  readonly layers: readonly { readonly id: number }[]
  /** Whether no event has arrived since then. */
  readonly isComplete?: boolean
}

export const DATABASE = 'db'
export const OWNER = 'project_id'

// Columns that the service adds to those of the query.
export const SEEN = '__seen'
export const AT = '__at'
export const STORED = '__stored'
export const COUNT = '__count'
export const LAYER = '__layer'

export const number = (value: number): Sql => ({ kind: 'number', digits: String(value) })
/** Returns a timestamp in UTC. `value`: `YYYY-MM-DD hh:mm:ss.mmm`. */
export const timestamp = (value: string): Sql => ({ kind: 'parameter', type: "DateTime64(3, 'UTC')", value })
export const toTimestamp = (instant: number): Sql =>
  timestamp(new Date(instant).toISOString().replace('T', ' ').replace('Z', ''))

/** Joins conditions with AND. `undefined` if there are none. */
export const all = (terms: readonly (Sql | undefined)[]): Sql | undefined => {
  const [first, ...rest] = terms.filter((each) => each !== undefined)
  return (
    first &&
    (rest.length === 0 ? first : { kind: 'infix', first, rest: rest.map((right) => ({ operator: 'AND', right })) })
  )
}
export const any = ([first, ...rest]: readonly Sql[]): Sql =>
  rest.length === 0 ? first! : { kind: 'infix', first: first!, rest: rest.map((right) => ({ operator: 'OR', right })) }

/** Returns all rows of `first` and `rest`. */
export const unionAll = (first: SelectSql, rest: readonly SelectSql[]): QuerySql =>
  rest.length === 0 ? first : { kind: 'set', first, rest: rest.map((query) => ({ operator: 'union all', query })) }

/** Returns the start of the bucket of length `ms` that contains a time. Not toStartOfHour, which does not support years before 1970. */
export const bucketOf = (at: Sql, ms: Sql): Sql => {
  const instant = call('toUnixTimestamp64Milli', at)
  return call('fromUnixTimestamp64Milli', infix(instant, '-', call('positiveModulo', instant, ms)), text('UTC'))
}
