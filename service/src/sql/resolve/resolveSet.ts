import type { QuerySql } from '../catalog/physical.ts'
import type { SetQuery } from '../parse/ast.ts'
import type { QueryContext } from './queryContext.ts'
import { commonScope } from './resolveCommon.ts'
import type { ResolvedQuery } from './resolverContext.ts'
import type { Scope } from './scope.ts'

type Column = ResolvedQuery['columns'][number]

// INTERSECT binds tighter than the others, which are left-associative. Nesting makes that independent of the engine's default.
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

/** Resolves UNION, INTERSECT and EXCEPT. */
export const createSetResolver = ({ reject, query }: QueryContext) => {
  const set = (node: SetQuery, outer: Scope | undefined): ResolvedQuery => {
    const scope = commonScope(reject, node.common, outer)
    const first = query(node.first, scope)
    const rest = node.rest.map(({ operator, query: each }) => {
      const resolved = query(each, scope)
      if (resolved.columns.length !== first.columns.length) {
        throw reject(
          'set_columns_differ',
          `All queries of a set must have the same number of columns: this one has ${resolved.columns.length}, the first ${first.columns.length}`,
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

  return set
}
