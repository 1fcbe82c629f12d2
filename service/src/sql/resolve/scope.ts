import type { Expression, Name, Query } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import type { FromSql } from '../catalog/physical.ts'
import { suggest } from './suggest.ts'
import type { Value } from '../catalog/value.ts'

/** Columns by name. */
export interface SourceColumns {
  readonly columnNames: readonly string[]
  readonly column: (name: string) => Value | undefined
}

/** A table or subquery in FROM, as seen by the expressions of its select. */
export interface SourceScope extends SourceColumns {
  /** Name of the source in the query. `undefined` for a subquery without a name. */
  readonly alias?: string
  /** The columns that `*` selects. */
  readonly starNames: readonly string[]
  readonly relatedNames: readonly string[]
  /** Returns the row related to each row of the source, such as an event's `person`. `undefined` if there is none with this name. */
  readonly related: (name: string) => SourceColumns | undefined
  /** Returns its SQL, with the columns that were read. Call last. */
  readonly toSql: () => FromSql
}

/** A table that WITH defines, and the scope of its definition. */
export interface CommonTable {
  readonly query: Query
  readonly scope: Scope
}

/** The names visible in one select. `outer` is the select around it, of which only WITH is visible. */
export interface Scope {
  readonly outer?: Scope
  readonly sources: readonly SourceScope[]
  /** For USING: columns that represent both sides. */
  readonly shared: ReadonlyMap<string, Value>
  readonly aliases: ReadonlyMap<string, () => Value | undefined>
  readonly arrayMembers: ReadonlyMap<string, Value>
  readonly lambdaNames: ReadonlyMap<string, Value>
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly commonValues: ReadonlyMap<string, Expression>
}

/** Returns what WITH defines as `name`, in this scope or an outer one. */
export const findCommonTable = (scope: Scope | undefined, name: string): CommonTable | undefined =>
  scope && (scope.commonTables.get(name) ?? findCommonTable(scope.outer, name))

/** Returns the column `name` of one of the sources. */
export const findColumn = (scope: Scope, name: Name, reject: Reject): Value | undefined => {
  const shared = scope.shared.get(name.text)
  if (shared) return shared
  const [first, second] = scope.sources.filter((source) => source.columnNames.includes(name.text))
  if (first && second) {
    throw reject(
      'column_ambiguous',
      `'${name.text}' is a column of more than one table here`,
      name,
      `Write ${first.alias ?? 'alias'}.${name.text}`,
    )
  }
  return first?.column(name.text)
}

/** Returns the related row `name` of one of the sources. */
export const findRelated = (scope: Scope, name: Name, reject: Reject): SourceColumns | undefined => {
  const [first, second] = scope.sources.filter((source) => source.related(name.text))
  if (first && second) {
    throw reject(
      'column_ambiguous',
      `'${name.text}' belongs to more than one table here`,
      name,
      `Write ${first.alias ?? 'alias'}.${name.text}`,
    )
  }
  return first?.related(name.text)
}

const isKnownOutside = (scope: Scope | undefined, name: string): boolean =>
  scope !== undefined &&
  (scope.aliases.has(name) ||
    scope.sources.some((source) => source.alias === name || source.columnNames.includes(name)) ||
    isKnownOutside(scope.outer, name))

/** Returns the error for an unknown name. */
export const unknownColumn = (scope: Scope, name: Name, span: Span, reject: Reject) => {
  const known = [
    ...scope.sources.flatMap((source) => [
      ...source.columnNames,
      ...source.relatedNames,
      ...(source.alias ? [source.alias] : []),
    ]),
    ...scope.aliases.keys(),
    ...scope.arrayMembers.keys(),
    ...scope.commonValues.keys(),
  ]
  if (isKnownOutside(scope.outer, name.text))
    return reject(
      'column_unknown',
      `'${name.text}' belongs to the outer query. A subquery can only use its own tables`,
      span,
      'Join the tables instead',
    )
  const property = scope.sources.some((source) => source.columnNames.includes('properties'))
    ? `For an event property, write properties.${name.text}`
    : undefined
  return reject('column_unknown', `There is no column '${name.text}' here`, span, suggest(name.text, known) ?? property)
}
