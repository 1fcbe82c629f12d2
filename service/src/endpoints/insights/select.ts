import { call, type FromSql, type QuerySql, type Sql } from '../../sql/catalog/physical.ts'

/** Returns a column of a select, named `as`. */
export const column = (value: Sql, as: string) => ({ value, name: as })
export const from = (query: QuerySql, as: string): FromSql => ({ kind: 'named', query, name: as })
export const number = (value: number): Sql => ({ kind: 'number', digits: String(value) })
export const lambda = (names: readonly string[], body: Sql): Sql => ({ kind: 'lambda', names, body })
/** Returns an element of a tuple, or of each tuple in a list. The first is 1. */
export const part = (of: Sql, position: number): Sql => call('tupleElement', of, number(position))
/** Returns an element of a list. The first is 1. */
export const element = (of: Sql, position: number): Sql => call('arrayElement', of, number(position))
