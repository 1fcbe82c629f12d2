import type { CommonPart, Expression, Name, Query, Select, SelectItem, SetQuery, Source } from './ast.ts'
import { type Kind, mayBeNullable } from './kinds.ts'
import { call, infix, name as nameSql, type FromSql, type QuerySql, type SelectSql, type Sql } from './physical.ts'
import { propertyOfColumn, propertyOfText } from './properties.ts'
import { type Refuse, refuseIn, type Span } from './queryError.ts'
import { createExpressionResolver, type ResolvedQuery } from './resolveExpression.ts'
import { findColumn, findCommonTable, type Scope, type SourceScope } from './scope.ts'
import { suggest } from './suggest.ts'
import { RESERVED_COLUMNS, type TableName, TABLES } from './tables.ts'
import { tableSource } from './tableSource.ts'
import { comparison } from './coerce.ts'
import { value, type Value } from './value.ts'

// The compiler's own names begin like this, so a query's names must not.
const OWN = '__'

// Long expressions make poor column names; the place in the list is then as good.
const MAX_NAME = 120

// The engine refuses queries more than 100 levels of subqueries deep; a guard is one level.
const MAX_SUBQUERIES = 60

/** What resolving needs besides the query. */
export interface ResolveOptions {
  readonly text: string
  readonly variable: (name: string, span: Span) => Value
  /** Gives what stands in the place of a select that has been resolved; it must have the same columns. */
  readonly replace?: ((node: Select, sql: SelectSql) => SelectSql) | undefined
}

type Column = ResolvedQuery['columns'][number]
type NamedValue = { readonly of: Value; readonly sql: Sql; readonly name: string }

const noNames = new Map<string, never>()

/** Turns a parsed query into ClickHouse SQL as data. Throws `QueryError`. */
export const resolveQuery = (
  root: Query,
  { text, variable, replace = (_node, sql) => sql }: ResolveOptions,
): ResolvedQuery => {
  const refuse: Refuse = refuseIn(text)
  const counts = new Map<string, number>()
  const newName = (prefix: string): string => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${OWN}${prefix}${count}`
  }

  let depth = 0
  const query = (node: Query, outer: Scope | undefined): ResolvedQuery => {
    if (++depth > MAX_SUBQUERIES)
      throw refuse('query_too_deep', `Subqueries nest more than ${MAX_SUBQUERIES} deep`, node)
    const resolved = node.kind === 'select' ? select(node, outer) : set(node, outer)
    depth--
    return resolved
  }

  const expressions = createExpressionResolver({ refuse, variable, newName, subquery: query })

  const checkName = ({ text: written, start, end }: Name) => {
    if (written.startsWith(OWN))
      throw refuse('name_reserved', `Names that begin with ${OWN} are the compiler's own`, { start, end })
    if (RESERVED_COLUMNS.has(written.toLowerCase()))
      throw refuse('column_reserved', `'${written}' is not for queries: they always see their own project only`, {
        start,
        end,
      })
  }

  const commonScope = (parts: readonly CommonPart[], outer: Scope | undefined): Scope => {
    const scope: Scope = {
      sources: [],
      shared: noNames,
      aliases: noNames,
      arrayMembers: noNames,
      lambdaNames: noNames,
      commonTables: noNames,
      commonValues: noNames,
      outer,
    }
    // Each part sees the ones before it, so that none can come to contain itself.
    return parts.reduce<Scope>((before, part) => {
      checkName(part.name)
      if (before !== scope && (before.commonTables.has(part.name.text) || before.commonValues.has(part.name.text)))
        throw refuse('name_duplicate', `WITH names '${part.name.text}' twice`, part.name)
      return part.kind === 'table'
        ? {
            ...scope,
            commonTables: new Map([...before.commonTables, [part.name.text, { query: part.query, scope: before }]]),
            commonValues: before.commonValues,
          }
        : {
            ...scope,
            commonTables: before.commonTables,
            commonValues: new Map([...before.commonValues, [part.name.text, part.value]]),
          }
    }, scope)
  }

  // Sources

  // Columns of a side that a join may leave empty are NULL there, and not the zero or empty text of their type.
  const nullableIf = (isOptional: boolean, kind: Kind, sql: Sql): Sql =>
    isOptional && mayBeNullable(kind) ? call('toNullable', sql) : sql

  const querySource = (
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
            ? propertyOfColumn(sql, [key], (_, asked) => asked)
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

  interface Joined {
    readonly sources: readonly SourceScope[]
    readonly shared: ReadonlyMap<string, Value>
    readonly toSql: () => FromSql
  }

  const single = (source: SourceScope): Joined => ({ sources: [source], shared: noNames, toSql: source.toSql })

  const from = (node: Source, scope: Scope, isOptional: boolean): Joined => {
    if (node.kind === 'join') return join(node, scope, isOptional)
    if (node.alias) checkName(node.alias)
    if (node.kind === 'derived') return single(querySource(query(node.query, scope), node.alias?.text, isOptional))
    const alias = (node.alias ?? node.name).text
    const common = findCommonTable(scope, node.name.text)
    if (common) return single(querySource(query(common.query, common.scope), alias, isOptional))
    if (Object.hasOwn(TABLES, node.name.text))
      return single(tableSource(node.name.text as TableName, { alias, isOptional, newName }))
    const known = [...Object.keys(TABLES), ...commonNames(scope)]
    throw refuse(
      'table_unknown',
      `There is no table '${node.name.text}'`,
      node.name,
      suggest(node.name.text, known) ?? `Tables: ${Object.keys(TABLES).join(', ')}`,
    )
  }

  const commonNames = (scope: Scope | undefined): readonly string[] =>
    scope ? [...scope.commonTables.keys(), ...commonNames(scope.outer)] : []

  const join = (node: Extract<Source, { kind: 'join' }>, scope: Scope, isOptional: boolean): Joined => {
    const left = from(node.left, scope, isOptional || node.join === 'right' || node.join === 'full')
    const right = from(node.right, scope, isOptional || node.join === 'left' || node.join === 'full')
    const sources = [...left.sources, ...right.sources]
    const taken = right.sources.find(
      (each) => each.alias !== undefined && left.sources.some((other) => other.alias === each.alias),
    )
    if (taken)
      throw refuse(
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

  const allOf = ([first, ...rest]: readonly Sql[]): Sql =>
    rest.length === 0
      ? first!
      : { kind: 'infix', first: first!, rest: rest.map((right) => ({ operator: 'AND', right })) }

  // The engine finds the keys of a join by their plain `=`; two missing values do not meet there, as anywhere in SQL.
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
      const found = findColumn({ ...scope, sources, shared }, name, refuse)
      if (!found)
        throw refuse(
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

  // Selects

  const select = (node: Select, outer: Scope | undefined): ResolvedQuery => {
    const common = commonScope(node.common, outer)
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
    defineAliases(node.items, scope, aliases)
    const items = lazily(() => nameItems(node.items, scope, outer === undefined && node === root))

    const position = (each: Expression, what: string): NamedValue | undefined => {
      if (each.kind !== 'number') return undefined
      const found = items()[Number(each.digits) - 1]
      if (!found) throw refuse('position_invalid', `${what} ${each.digits}: there are ${items().length} columns`, each)
      return found
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
    const orderBy = expressions.ordering(node.orderBy, scope, (each) => {
      const own = position(each, 'ORDER BY')
      return own ? nameSql(own.name) : expressions.plain(each, scope)
    })
    const limitBy = node.limitBy && {
      limit: limitOf(node.limitBy.limit, scope, 'LIMIT'),
      offset: node.limitBy.offset && limitOf(node.limitBy.offset, scope, 'OFFSET'),
      by: node.limitBy.by.map((each) => {
        const own = position(each, 'LIMIT BY')
        return own ? nameSql(own.name) : expressions.plain(each, scope)
      }),
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

  const lazily = <T>(make: () => T): (() => T) => {
    let made: { readonly it: T } | undefined
    return () => (made ??= { it: make() }).it
  }

  const arrayJoinOf = (
    node: NonNullable<Select['arrayJoin']>,
    scope: Scope,
    members: Map<string, Value>,
  ): SelectSql['arrayJoin'] => {
    const made = node.items.map(({ value: each, alias }) => {
      checkName(alias)
      const array = expressions.resolve(each, scope)
      const name = newName('a')
      return { alias, name, array, sql: array.read() }
    })
    for (const { alias, name, array } of made)
      members.set(alias.text, expressions.ofKind(array.members?.[0]?.kind ?? 'unknown', nameSql(name), true))
    return { isLeft: node.isLeft, items: made.map(({ sql, name }) => ({ value: sql, name })) }
  }

  // A name given in SELECT may stand in every clause and in the other items. Inside its own expression it means the column it hides.
  const defineAliases = (items: readonly SelectItem[], scope: Scope, aliases: Map<string, () => Value | undefined>) => {
    const underWay = new Set<string>()
    for (const { value: node, alias } of items) {
      if (!alias) continue
      checkName(alias)
      if (aliases.has(alias.text)) throw refuse('name_duplicate', `Two columns are called '${alias.text}'`, alias)
      const resolved = lazily(() => expressions.resolve(node, { ...scope, lambdaNames: noNames }))
      aliases.set(alias.text, () => {
        if (underWay.has(alias.text)) return undefined
        underWay.add(alias.text)
        try {
          return named(resolved(), alias.text)
        } finally {
          underWay.delete(alias.text)
        }
      })
    }
  }

  // Through its name a value is read as the select gives it; how it can be read otherwise follows from that.
  const named = (of: Value, name: string): Value => {
    const sql: Sql = { kind: 'name', path: [name], standsFor: of.read() }
    if (of.kind === 'property') return { ...propertyOfText(() => sql), pin: of.pin }
    return { ...of, read: () => sql }
  }

  const nameItems = (items: readonly SelectItem[], scope: Scope, isRoot: boolean): readonly NamedValue[] => {
    const taken = new Set(items.flatMap(({ alias }) => (alias ? [alias.text] : [])))
    const used = new Map<string, number>()
    const free = (wanted: string): string => {
      for (let count = used.get(wanted) ?? 0; ; count++) {
        const name = count === 0 ? wanted : `${wanted}_${count}`
        if (taken.has(name)) continue
        taken.add(name)
        used.set(wanted, count + 1)
        return name
      }
    }
    // The caller gets JSON as text, whatever its output format makes of the engine's type.
    const output = (of: Value, name: string): NamedValue =>
      isRoot && of.kind === 'json'
        ? { of: value('text', call('toJSONString', of.read())), sql: call('toJSONString', of.read()), name }
        : { of, sql: of.read(), name }
    return items.flatMap(({ value: node, alias }) => {
      if (node.kind === 'star') return star(node, scope).map(({ of, name }) => output(of, free(name)))
      const of = alias ? ownValue(node, alias.text, scope) : expressions.resolve(node, scope)
      return [output(of, alias?.text ?? free(impliedName(node)))]
    })
  }

  const ownValue = (node: Expression, alias: string, scope: Scope): Value =>
    expressions.resolve(node, { ...scope, aliases: new Map([...scope.aliases].filter(([each]) => each !== alias)) })

  const impliedName = (node: Expression): string => {
    if (node.kind === 'field') return node.path.at(-1)!.text
    if (node.kind === 'index' && node.at.kind === 'text') return node.at.value
    const written = text.slice(node.start, node.end).replace(/\s+/g, ' ')
    return written.length > MAX_NAME ? `${written.slice(0, MAX_NAME - 1)}…` : written
  }

  const star = (node: Extract<Expression, { kind: 'star' }>, scope: Scope): readonly { of: Value; name: string }[] => {
    const sources = node.table ? scope.sources.filter((each) => each.alias === node.table!.text) : scope.sources
    if (sources.length === 0)
      throw refuse(
        node.table ? 'table_unknown' : 'syntax_error',
        node.table ? `There is no table '${node.table.text}' here` : '* needs a FROM',
        node,
      )
    const columns = sources.flatMap((source) => source.starNames.map((name) => ({ name, of: source.column(name)! })))
    const isUsed = new Set<string>()
    const kept = columns.flatMap(({ name, of }) => {
      const shared = node.table ? undefined : scope.shared.get(name)
      if (shared && isUsed.has(name)) return []
      isUsed.add(name)
      return [{ name, of: shared ?? of }]
    })
    const missing = node.except.find((each) => !kept.some(({ name }) => name === each.text))
    if (missing)
      throw refuse(
        'column_unknown',
        `There is no column '${missing.text}' to leave out`,
        missing,
        suggest(
          missing.text,
          kept.map(({ name }) => name),
        ),
      )
    return kept.filter(({ name }) => !node.except.some((each) => each.text === name))
  }

  // A limit is known before the query runs, so that a page can be cut out of what it leaves.
  const limitOf = (node: Expression, scope: Scope, what: string): Sql => {
    if (node.kind !== 'number' && node.kind !== 'variable')
      throw refuse('limit_invalid', `${what} takes a whole number or a variable`, node)
    const { constant, kind } = expressions.resolve(node, scope)
    if (constant === undefined && kind === 'unknown') return { kind: 'number', digits: '0' }
    const count = /^\d{1,15}$/.test(String(constant)) ? Number(constant) : undefined
    if (count === undefined) throw refuse('limit_invalid', `${what} takes a whole number from 0 up`, node)
    return node.kind === 'number'
      ? { kind: 'number', digits: String(count) }
      : { kind: 'parameter', type: 'UInt64', value: count }
  }

  // Sets

  const set = (node: SetQuery, outer: Scope | undefined): ResolvedQuery => {
    const scope = commonScope(node.common, outer)
    const first = query(node.first, scope)
    const rest = node.rest.map(({ operator, query: each }) => {
      const resolved = query(each, scope)
      if (resolved.columns.length !== first.columns.length) {
        throw refuse(
          'set_columns_differ',
          `The queries of a set have the same number of columns; this one has ${resolved.columns.length}, the first ${first.columns.length}`,
          each,
        )
      }
      return { operator, resolved }
    })
    const members = [first, ...rest.map(({ resolved }) => resolved)]
    const columns = first.columns.map((column, at) =>
      unite(
        members.map((each) => each.columns[at]!),
        column.name,
      ),
    )
    return {
      query: nested(
        first.query,
        rest.map(({ operator, resolved }) => ({ operator, query: resolved.query })),
      ),
      columns,
    }
  }

  // INTERSECT binds tighter than the others, which go from left to right; the tree says so, whatever the engine's default.
  const nested = (first: QuerySql, rest: readonly { operator: string; query: QuerySql }[]): QuerySql => {
    const terms: { operator: string; query: QuerySql }[] = [{ operator: '', query: first }]
    for (const { operator, query: each } of rest) {
      const last = terms.at(-1)!
      if (operator.startsWith('intersect'))
        last.query = { kind: 'set', first: last.query, rest: [{ operator, query: each }] }
      else terms.push({ operator, query: each })
    }
    return terms.slice(1).reduce<QuerySql>((left, { operator, query: each }) => {
      if (left.kind === 'set' && left.rest.every((link) => link.operator === operator) && operator.startsWith('union'))
        return { ...left, rest: [...left.rest, { operator, query: each }] }
      return { kind: 'set', first: left, rest: [{ operator, query: each }] }
    }, terms[0]!.query)
  }

  const unite = (columns: readonly Column[], name: string): Column => {
    const kinds = new Set(columns.map((each) => each.kind).filter((kind) => kind !== 'null'))
    const [only = 'null'] = kinds
    const isTextual = [...kinds].every((kind) => kind === 'text' || kind === 'property')
    return {
      name,
      kind: kinds.size <= 1 ? only : isTextual ? 'property' : 'unknown',
      isNullable: columns.some((each) => each.isNullable),
    }
  }

  return query(root, undefined)
}
