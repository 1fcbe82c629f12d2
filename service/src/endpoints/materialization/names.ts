import type { SelectSql, Sql } from '../../sql/catalog/physical.ts'
import type { Base, Joined, NamedSql } from './eventRows.ts'
import { mapChildren, some } from './tree.ts'

/** Resolves names in the expressions of a select. */
export interface Names {
  /** Name of the events in the select. */
  readonly source: string
  /** Returns an expression's identity, by which its stored column is found. */
  readonly keyOf: (sql: Sql) => string
  /** Replaces column aliases by their expressions. */
  readonly expand: (sql: Sql) => Sql
  /** Whether an expression reads a person or a group. */
  readonly readsJoined: (sql: Sql) => boolean
}

export const namesOf = (sql: SelectSql, { name: source }: NamedSql, guard: Base, joined: Joined): Names => {
  const stored = new Map([...guard.items.map((item) => [item.name, item.value] as const), ...joined.columns])
  const named = new Map(sql.items.map((item) => [item.name, item.value]))
  const columnOf = (of: Sql): string | undefined =>
    of.kind === 'name' && of.path.length === 2 && of.path[0] === source ? of.path[1] : undefined
  const expand = (of: Sql): Sql => {
    if (of.kind !== 'name') return mapChildren(of, expand)
    if (of.standsFor) return expand(of.standsFor)
    return of.path.length === 1 && named.has(of.path[0]!) ? expand(named.get(of.path[0]!)!) : of
  }
  const inline = (of: Sql): Sql => {
    const column = columnOf(of)
    return column === undefined ? mapChildren(of, inline) : (stored.get(column) ?? of)
  }
  return {
    source,
    expand,
    keyOf: (of) => JSON.stringify(inline(of)),
    readsJoined: (of) => some(of, (node) => joined.columns.has(columnOf(node) ?? '')),
  }
}
