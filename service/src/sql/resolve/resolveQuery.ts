import type { Query } from '../parse/ast.ts'
import { rejectIn } from '../parse/queryError.ts'
import type { QueryContext, ResolveOptions } from './queryContext.ts'
import { OWN_PREFIX } from './resolveCommon.ts'
import { createExpressionResolver } from './resolveExpression.ts'
import { createSelectResolver } from './resolveSelect.ts'
import { createSetResolver } from './resolveSet.ts'
import type { ResolvedQuery } from './resolverContext.ts'
import type { Scope } from './scope.ts'

// The engine rejects queries more than 100 levels of subqueries deep. The guard of a table is one level.
const MAX_SUBQUERIES = 60

/** Resolves a parsed query to ClickHouse SQL as data. Throws `QueryError`. */
export const resolveQuery = (
  root: Query,
  { text, variable, replace = (_node, sql) => sql, isUnmerged, isPlain }: ResolveOptions,
): ResolvedQuery => {
  const reject = rejectIn(text)
  const counts = new Map<string, number>()
  const newName = (prefix: string): string => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${OWN_PREFIX}${prefix}${count}`
  }

  let depth = 0
  const query = (node: Query, outer: Scope | undefined): ResolvedQuery => {
    if (++depth > MAX_SUBQUERIES)
      throw reject('query_too_deep', `Subqueries nest more than ${MAX_SUBQUERIES} deep`, node)
    const resolved = node.kind === 'select' ? select(node, outer) : set(node, outer)
    depth--
    return resolved
  }

  const expressions = createExpressionResolver({ reject, variable, newName, subquery: query })
  const context: QueryContext = { text, root, reject, newName, query, expressions, replace, isUnmerged, isPlain }
  const select = createSelectResolver(context)
  const set = createSetResolver(context)

  return query(root, undefined)
}
