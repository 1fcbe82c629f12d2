import type { Expression, Name, Query } from '../parse/ast.ts'
import type { Refuse, Span } from '../parse/queryError.ts'
import type { FromSql } from '../catalog/physical.ts'
import { suggest } from './suggest.ts'
import type { Value } from '../catalog/value.ts'

/** Columns that can be read by their names. */
export interface SourceColumns {
  readonly columnNames: readonly string[]
  readonly column: (name: string) => Value | undefined
}

/** A table or subquery in FROM, as the expressions of its select see it. */
export interface SourceScope extends SourceColumns {
  /** What the query calls it; `undefined` for a subquery without a name. */
  readonly alias?: string
  /** The columns that `*` stands for. */
  readonly starNames: readonly string[]
  readonly relatedNames: readonly string[]
  /** The row beside each of its rows, such as an event's `person`; `undefined`: there is none of this name. */
  readonly related: (name: string) => SourceColumns | undefined
  /** Its SQL, with the columns that were asked for. To be called last. */
  readonly toSql: () => FromSql
}

/** What WITH calls a table, and the names that were known where it was written. */
export interface CommonTable {
  readonly query: Query
  readonly scope: Scope
}

/** The names one select knows. `outer` is the select around it, of which only what WITH defined is visible. */
export interface Scope {
  readonly outer?: Scope
  readonly sources: readonly SourceScope[]
  /** Of a USING: columns that stand for both sides. */
  readonly shared: ReadonlyMap<string, Value>
  readonly aliases: ReadonlyMap<string, () => Value | undefined>
  readonly arrayMembers: ReadonlyMap<string, Value>
  readonly lambdaNames: ReadonlyMap<string, Value>
  readonly commonTables: ReadonlyMap<string, CommonTable>
  readonly commonValues: ReadonlyMap<string, Expression>
}

/** What WITH called `name`, here or further out. */
export const findCommonTable = (scope: Scope | undefined, name: string): CommonTable | undefined =>
  scope && (scope.commonTables.get(name) ?? findCommonTable(scope.outer, name))

/** The column called `name` in one of the sources, or `undefined`. */
export const findColumn = (scope: Scope, name: Name, refuse: Refuse): Value | undefined => {
  const shared = scope.shared.get(name.text)
  if (shared) return shared
  const [first, second] = scope.sources.filter((source) => source.columnNames.includes(name.text))
  if (first && second) {
    throw refuse(
      'column_ambiguous',
      `'${name.text}' is a column of more than one table here`,
      name,
      `Write ${first.alias ?? 'alias'}.${name.text}`,
    )
  }
  return first?.column(name.text)
}

/** The row called `name` beside the rows of one of the sources, or `undefined`. */
export const findRelated = (scope: Scope, name: Name, refuse: Refuse): SourceColumns | undefined => {
  const [first, second] = scope.sources.filter((source) => source.related(name.text))
  if (first && second) {
    throw refuse(
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

/** The error for a name that is nothing here. */
export const unknownColumn = (scope: Scope, name: Name, span: Span, refuse: Refuse) => {
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
    return refuse(
      'column_unknown',
      `'${name.text}' belongs to the query outside: a subquery sees only its own tables`,
      span,
      'Join the tables instead',
    )
  const property = scope.sources.some((source) => source.columnNames.includes('properties'))
    ? `For an event property write properties.${name.text}`
    : undefined
  return refuse('column_unknown', `There is no column '${name.text}' here`, span, suggest(name.text, known) ?? property)
}
