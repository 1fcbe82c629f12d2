import { call, infix, type Sql, type FromSql } from '../catalog/physical.ts'
import { TABLES, type TableName } from '../catalog/tables.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression, Name, Source } from '../parse/ast.ts'
import { comparison } from './compare.ts'
import type { QueryContext } from './queryContext.ts'
import { querySource } from './querySource.ts'
import { checkName, noNames } from './resolveCommon.ts'
import { findColumn, findCommonTable, type Scope, type SourceScope } from './scope.ts'
import { suggest } from './suggest.ts'
import { tableSource } from './tableSource.ts'

/** A FROM clause: its sources, the columns that USING shares, and its SQL. */
export interface Joined {
  readonly sources: readonly SourceScope[]
  readonly shared: ReadonlyMap<string, Value>
  readonly toSql: () => FromSql
}

const single = (source: SourceScope): Joined => ({ sources: [source], shared: noNames, toSql: source.toSql })

const allOf = ([first, ...rest]: readonly Sql[]): Sql =>
  rest.length === 0 ? first! : { kind: 'infix', first: first!, rest: rest.map((right) => ({ operator: 'AND', right })) }

const commonNames = (scope: Scope | undefined): readonly string[] =>
  scope ? [...scope.commonTables.keys(), ...commonNames(scope.outer)] : []

/** Resolves FROM: tables, subqueries and joins. */
export const createSourceResolver = ({ reject, newName, query, expressions, isUnmerged, isPlain }: QueryContext) => {
  const from = (node: Source, scope: Scope, isOptional: boolean): Joined => {
    if (node.kind === 'join') return join(node, scope, isOptional)
    if (node.alias) checkName(reject, node.alias)
    if (node.kind === 'derived')
      return single(querySource(newName, query(node.query, scope), node.alias?.text, isOptional))
    const alias = (node.alias ?? node.name).text
    const common = findCommonTable(scope, node.name.text)
    if (common) return single(querySource(newName, query(common.query, common.scope), alias, isOptional))
    if (Object.hasOwn(TABLES, node.name.text))
      return single(tableSource(node.name.text as TableName, { alias, isOptional, newName, isUnmerged, isPlain }))
    const known = [...Object.keys(TABLES), ...commonNames(scope)]
    throw reject(
      'table_unknown',
      `There is no table '${node.name.text}'`,
      node.name,
      suggest(node.name.text, known) ?? `Tables: ${Object.keys(TABLES).join(', ')}`,
    )
  }

  const join = (node: Extract<Source, { kind: 'join' }>, scope: Scope, isOptional: boolean): Joined => {
    const left = from(node.left, scope, isOptional || node.join === 'right' || node.join === 'full')
    const right = from(node.right, scope, isOptional || node.join === 'left' || node.join === 'full')
    const sources = [...left.sources, ...right.sources]
    const taken = right.sources.find(
      (each) => each.alias !== undefined && left.sources.some((other) => other.alias === each.alias),
    )
    if (taken)
      throw reject(
        'name_duplicate',
        `Two tables are called '${taken.alias}' here`,
        node.right,
        'Give each its own name: FROM events AS a JOIN events AS b',
      )
    const within: Scope = { ...scope, sources }
    const using = node.using?.map((name) => sharedColumn(node.join, name, left, right, scope))
    const on = using ? allOf(using.map((each) => each.test)) : node.on && joinCondition(node.on, within)
    const shared = new Map([
      ...left.shared,
      ...right.shared,
      ...(using ?? []).map((each) => [each.name, each.of] as const),
    ])
    return {
      sources,
      shared,
      toSql: () => ({ kind: 'join', join: node.join, left: left.toSql(), right: right.toSql(), on }),
    }
  }

  // The engine recognizes the keys of a join by a plain `=`. Two missing values do not match, as usual in SQL.
  const joinCondition = (node: Expression, scope: Scope): Sql => {
    if (node.kind === 'logic' && node.operator === 'and')
      return allOf(node.terms.map((each) => joinCondition(each, scope)))
    if (node.kind !== 'compare') return expressions.condition(node, scope)
    const [left, right] = expressions.comparable(
      expressions.resolve(node.left, scope),
      expressions.resolve(node.right, scope),
      [node.left, node.right],
    )
    return node.operator === '=' ? infix(left.read(), '=', right.read()) : comparison(node.operator, left, right, true)
  }

  const sharedColumn = (
    kind: string,
    name: Name,
    left: Joined,
    right: Joined,
    scope: Scope,
  ): { name: string; test: Sql; of: Value } => {
    const side = ({ sources, shared }: Joined): Value => {
      const found = findColumn({ ...scope, sources, shared }, name, reject)
      if (!found)
        throw reject(
          'column_unknown',
          `USING needs '${name.text}' on both sides`,
          name,
          suggest(
            name.text,
            sources.flatMap((source) => source.columnNames),
          ),
        )
      return found
    }
    const [a, b] = expressions.comparable(side(left), side(right), [name, name])
    const either =
      kind === 'full' ? value(a.kind, call('coalesce', a.read(), b.read()), true) : kind === 'right' ? b : a
    return { name: name.text, test: infix(a.read(), '=', b.read()), of: either }
  }

  return from
}
