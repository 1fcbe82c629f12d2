import { type Kind, mayBeNullable } from '../catalog/kinds.ts'
import { call, name as nameSql, type Sql, type QuerySql } from '../catalog/physical.ts'
import { propertyOfColumn, propertyOfText } from '../catalog/properties.ts'
import { value, type Value } from '../catalog/value.ts'
import type { ResolvedQuery } from './resolverContext.ts'
import type { SourceScope } from './scope.ts'

// An outer join may leave this side unmatched, so its columns must be nullable. Otherwise they would be zero or empty.
const nullableIf = (isOptional: boolean, kind: Kind, sql: Sql): Sql =>
  isOptional && mayBeNullable(kind) ? call('toNullable', sql) : sql

/** Returns a subquery as a source of columns. */
export const querySource = (
  newName: (prefix: string) => string,
  { query: inner, columns }: ResolvedQuery,
  alias: string | undefined,
  isOptional: boolean,
): SourceScope => {
  const made = newName('t')
  const byName = new Map(columns.map((each) => [each.name, each]))
  const column = (name: string): Value | undefined => {
    const found = byName.get(name)
    if (!found) return undefined
    const sql = nameSql(made, name)
    if (found.kind === 'property') return propertyOfText(() => sql)
    const of = value(found.kind, sql, found.isNullable || (isOptional && mayBeNullable(found.kind)))
    if (found.kind !== 'json') return of
    return {
      ...of,
      child: (key) =>
        typeof key === 'string'
          ? propertyOfColumn(sql, [key], { demand: (_, sql) => sql, known: new Map() })
          : propertyOfText(() => call('toJSONString', sql), [key]),
    }
  }
  const isWrapped = isOptional && columns.some((each) => mayBeNullable(each.kind) && !each.isNullable)
  const wrapped = (): QuerySql => {
    const within = newName('t')
    return {
      kind: 'select',
      items: columns.map((each) => ({
        value: nullableIf(true, each.kind, nameSql(within, each.name)),
        name: each.name,
      })),
      from: { kind: 'named', query: inner, name: within },
    }
  }
  const columnNames = columns.map((each) => each.name)
  return {
    alias,
    columnNames,
    starNames: columnNames,
    column,
    relatedNames: [],
    related: () => undefined,
    toSql: () => ({ kind: 'named', query: isWrapped ? wrapped() : inner, name: made }),
  }
}
