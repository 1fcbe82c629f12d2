import type { CommonPart, Expression, LimitBy, Query, Select, SelectItem } from './ast.ts'
import type { ExpressionParser } from './parseExpression.ts'
import { createSourceParser, optionalAlias } from './parseSource.ts'
import { notASelect, rejectClause, rejectGrouping } from './rejectedClauses.ts'
import type { Cursor } from './tokenCursor.ts'

/** Parses one SELECT with its clauses. */
export const createSelectParser = (cursor: Cursor, { expression, ordering }: ExpressionParser, query: () => Query) => {
  const { reject, peek, isSymbol, isWord, accept, acceptWords, finish, list } = cursor
  const source = createSourceParser(cursor, expression, query)

  const select = (common: readonly CommonPart[]): Select => {
    const { start } = peek()
    if (!acceptWords('select')) throw notASelect(cursor)
    const isDistinct = acceptWords('distinct')
    if (isWord('on') && isDistinct)
      throw reject('not_supported', 'DISTINCT ON is not supported', peek(), 'Use LIMIT 1 BY …')
    const items = list(item)
    const from = acceptWords('from') ? source() : undefined
    const arrayJoin = arrayJoinClause()
    rejectClause(cursor)
    const where = acceptWords('where') ? expression() : undefined
    const groupBy = acceptWords('group', 'by') ? list(expression) : Object.freeze([])
    rejectGrouping(cursor)
    const having = acceptWords('having') ? expression() : undefined
    rejectClause(cursor)
    const orderBy = acceptWords('order', 'by') ? list(ordering) : Object.freeze([])
    if (isWord('with') && isWord('fill', 1)) throw reject('clause_not_allowed', 'WITH FILL is not supported', peek())
    const limits = limitClauses()
    rejectClause(cursor)
    return finish(start, {
      kind: 'select',
      common,
      isDistinct,
      items,
      from,
      arrayJoin,
      where,
      groupBy,
      having,
      orderBy,
      ...limits,
    })
  }

  const item = (): SelectItem => {
    if (!isSymbol('(', 1)) rejectClause(cursor)
    const value = expression()
    const alias = optionalAlias(cursor)
    return Object.freeze({ value, alias })
  }

  const arrayJoinClause = (): Select['arrayJoin'] => {
    const isLeft = acceptWords('left', 'array', 'join')
    if (!isLeft && !acceptWords('array', 'join')) return undefined
    const items = list(() => {
      const value = expression()
      const alias = optionalAlias(cursor)
      if (!alias) throw reject('syntax_error', 'ARRAY JOIN needs a name for its members', value, 'ARRAY JOIN … AS name')
      return Object.freeze({ value, alias })
    })
    return Object.freeze({ isLeft, items })
  }

  const limitClauses = (): { limitBy?: LimitBy; limit?: Expression; offset?: Expression } => {
    let limitBy: LimitBy | undefined
    let limit: Expression | undefined
    let offset: Expression | undefined
    while (acceptWords('limit')) {
      if (limit) throw cursor.unexpected('the end of the query', cursor.previous())
      const first = expression()
      // ClickHouse also reads `LIMIT offset, count`.
      const [count, skip] = accept(',')
        ? [expression(), first]
        : [first, acceptWords('offset') ? expression() : undefined]
      if (isWord('with') && isWord('ties', 1)) throw reject('clause_not_allowed', 'WITH TIES is not supported', peek())
      if (acceptWords('by')) {
        if (limitBy) throw reject('syntax_error', 'A query has one LIMIT … BY', cursor.previous())
        limitBy = Object.freeze({ limit: count, offset: skip, by: list(expression) })
      } else {
        limit = count
        offset = skip
      }
    }
    if (!offset && acceptWords('offset')) offset = expression()
    return { limitBy, limit, offset }
  }

  return select
}
