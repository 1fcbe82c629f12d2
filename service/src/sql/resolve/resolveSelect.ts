import type { Plain } from '../catalog/constant.ts'
import { name as nameSql, type Sql, type SelectSql } from '../catalog/physical.ts'
import { valueOfKind } from '../catalog/properties.ts'
import type { Value } from '../catalog/value.ts'
import type { Expression, Select } from '../parse/ast.ts'
import { defineAliases, lazily } from './resolveAliases.ts'
import type { QueryContext } from './queryContext.ts'
import { checkName, commonScope, noNames } from './resolveCommon.ts'
import { type NamedValue, createItemResolver } from './resolveItems.ts'
import { createSourceResolver } from './resolveSource.ts'
import type { ResolvedQuery } from './resolverContext.ts'
import type { Scope } from './scope.ts'

/** Resolves one SELECT with its clauses. */
export const createSelectResolver = (context: QueryContext) => {
  const { root, reject, newName, expressions, replace } = context
  const from = createSourceResolver(context)
  const nameItems = createItemResolver(context)

  // Returns the column that a number in GROUP BY, ORDER BY or LIMIT BY refers to.
  const atPosition = (each: Expression, what: string, items: () => readonly NamedValue[]): NamedValue | undefined => {
    if (each.kind !== 'number') return undefined
    const found = items()[Number(each.digits) - 1]
    if (!found)
      throw reject(
        'position_invalid',
        `${what} ${each.digits} is out of range: there are ${items().length} columns`,
        each,
      )
    return found
  }

  const arrayJoinOf = (
    node: NonNullable<Select['arrayJoin']>,
    scope: Scope,
    members: Map<string, Value>,
  ): SelectSql['arrayJoin'] => {
    const made = node.items.map(({ value: each, alias }) => {
      checkName(reject, alias)
      const array = expressions.resolve(each, scope)
      const name = newName('a')
      return { alias, name, array, sql: array.read() }
    })
    for (const { alias, name, array } of made)
      members.set(alias.text, valueOfKind(array.members?.[0]?.kind ?? 'unknown', nameSql(name), true))
    return { isLeft: node.isLeft, items: made.map(({ sql, name }) => ({ value: sql, name })) }
  }

  const countIn = (of: Plain) => (/^\d{1,15}$/.test(String(of)) ? Number(of) : undefined)

  // Limits are constants, so that a page can be cut within them.
  const limitOf = (node: Expression, scope: Scope, what: string): Sql => {
    if (node.kind !== 'number' && node.kind !== 'variable')
      throw reject('limit_invalid', `${what} must be an integer or a variable`, node)
    const { constant, kind } = expressions.resolve(node, scope)
    if (!constant && kind === 'unknown') return { kind: 'number', digits: '0' }
    const count = constant?.ask(countIn)
    if (count === undefined) throw reject('limit_invalid', `${what} must be an integer of at least 0`, node)
    return node.kind === 'number'
      ? { kind: 'number', digits: String(count) }
      : { kind: 'parameter', type: 'UInt64', value: count }
  }

  const select = (node: Select, outer: Scope | undefined): ResolvedQuery => {
    const common = commonScope(reject, node.common, outer)
    const joined = node.from && from(node.from, common, false)
    const arrayMembers = new Map<string, Value>()
    const aliases = new Map<string, () => Value | undefined>()
    const scope: Scope = {
      ...common,
      sources: joined?.sources ?? [],
      shared: joined?.shared ?? noNames,
      aliases,
      arrayMembers,
    }
    const arrayJoin = node.arrayJoin && arrayJoinOf(node.arrayJoin, scope, arrayMembers)
    defineAliases(context, node.items, scope, aliases)
    const items = lazily(() => nameItems(node.items, scope, outer === undefined && node === root))

    const position = (each: Expression, what: string) => atPosition(each, what, items)
    const orKey = (each: Expression, what: string): Sql => {
      const own = position(each, what)
      return own ? nameSql(own.name) : expressions.plain(each, scope)
    }
    const keys = node.groupBy.map((each) => {
      const own = position(each, 'GROUP BY')
      const key = own?.of ?? expressions.resolve(each, scope)
      key.pin?.()
      return () => (own ? nameSql(own.name) : expressions.textual(key))
    })
    const groupBy = keys.map((key) => key())
    const where = node.where && expressions.condition(node.where, scope)
    const listed = items()
    const having = node.having && expressions.condition(node.having, scope)
    const orderBy = expressions.ordering(node.orderBy, scope, (each) => orKey(each, 'ORDER BY'))
    const limitBy = node.limitBy && {
      limit: limitOf(node.limitBy.limit, scope, 'LIMIT'),
      offset: node.limitBy.offset && limitOf(node.limitBy.offset, scope, 'OFFSET'),
      by: node.limitBy.by.map((each) => orKey(each, 'LIMIT BY')),
    }
    const sql: SelectSql = {
      kind: 'select',
      isDistinct: node.isDistinct,
      items: listed.map((each) => ({ value: each.sql, name: each.name })),
      arrayJoin,
      where,
      groupBy,
      having,
      orderBy,
      limitBy,
      limit: node.limit && limitOf(node.limit, scope, 'LIMIT'),
      offset: node.offset && limitOf(node.offset, scope, 'OFFSET'),
      from: joined?.toSql(),
    }
    return {
      query: replace(node, sql),
      columns: listed.map(({ of, name }) => ({ name, kind: of.kind, isNullable: of.isNullable })),
    }
  }

  return select
}
