import { call, type FromSql, name, type QuerySql, type Sql } from './physical.ts'
import type { Value } from './value.ts'

/** Rows derived from stored rows, under a name. Only the columns that are read are computed. */
export interface DerivedRows {
  readonly column: (column: string) => Value | undefined
  /** The key: a person's main id, a session's id or a group's key. */
  readonly key: () => Sql
  /** Call last, after all columns were read. */
  readonly toSql: () => FromSql
}

export interface DerivedOptions {
  /** The name of the rows in the query around them. */
  readonly as: string
  /** Whether the rows are joined to rows that may have no match. Missing columns are NULL in this case. */
  readonly isJoined?: boolean
  /** Index of the group type, from 0. Only for groups. */
  readonly groupIndex?: number
  /** Select of main ids to which persons are restricted. Only for persons. */
  readonly among?: QuerySql
}

/** Returns a column of a select, named `as`. */
export const item = (sql: Sql, as: string) => ({ value: sql, name: as })

/** Collects the columns that a query reads of rows called `as`, each expression once. A select without any has one constant column. */
export const createItems = (as: string) => {
  const items = new Map<string, { value: Sql; name: string }>()
  return {
    /** Adds an expression to the select, unless it has one with this id. Returns its column. */
    select: (id: string, sql: Sql): Sql => {
      if (!items.has(id)) items.set(id, item(sql, `__c${items.size + 1}`))
      return name(as, items.get(id)!.name)
    },
    all: () => (items.size ? [...items.values()] : [item({ kind: 'number', digits: '1' }, '__row')]),
  }
}

/** Returns a column of joined rows, which is NULL where there is no row. */
export const nullable = (isJoined: boolean | undefined, sql: Sql): Sql => (isJoined ? call('toNullable', sql) : sql)
