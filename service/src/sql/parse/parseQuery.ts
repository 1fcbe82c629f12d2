import type { CommonPart, Query, SetOperator } from './ast.ts'
import { createExpressionParser } from './parseExpression.ts'
import { createSelectParser } from './parseSelect.ts'
import { rejectIn } from './queryError.ts'
import { createCursor, type Cursor } from './tokenCursor.ts'
import { tokenize } from './tokens.ts'

// Far more than people write by hand. Bounds the work of one request.
const MAX_LENGTH = 64 * 1024

const SETS: readonly (readonly [words: readonly string[], operator: SetOperator])[] = [
  [['union', 'all'], 'union all'],
  [['union', 'distinct'], 'union distinct'],
  [['intersect', 'distinct'], 'intersect distinct'],
  [['intersect'], 'intersect'],
  [['except', 'distinct'], 'except distinct'],
  [['except'], 'except'],
]

const createQueryParser = (cursor: Cursor): (() => Query) => {
  const { reject, peek, isSymbol, isWord, acceptWords, expect, expectWord, finish, list } = cursor

  const query = (): Query => {
    cursor.enter()
    const { start } = peek()
    const common = acceptWords('with') ? list(commonPart) : Object.freeze([])
    const first = operand(common)
    const result = isSet() ? set(start, common, first) : first
    cursor.leave()
    return result
  }

  const isSet = () => isWord('union') || isWord('intersect') || isWord('except')

  const set = (start: number, common: readonly CommonPart[], first: Query): Query => {
    const members: { operator: SetOperator; query: Query }[] = []
    let last = first
    while (isSet()) {
      rejectOwnOrder(last)
      const row = SETS.find(([words]) => acceptWords(...words))
      if (!row)
        throw reject(
          'syntax_error',
          'UNION needs ALL or DISTINCT',
          peek(),
          'UNION ALL keeps repeated rows, UNION DISTINCT removes them',
        )
      last = operand(Object.freeze([]))
      members.push(Object.freeze({ operator: row[1], query: last }))
    }
    rejectOwnOrder(last)
    return finish(start, { kind: 'set', common, first, rest: Object.freeze(members) })
  }

  // Standard SQL applies the last ORDER BY and LIMIT to the whole set, ClickHouse to the last query, so the meaning is ambiguous.
  const rejectOwnOrder = (member: Query) => {
    if (member.kind !== 'select' || cursor.previous().value === ')') return
    if (member.orderBy.length > 0 || member.limit || member.limitBy) {
      throw reject(
        'set_order_ambiguous',
        'ORDER BY and LIMIT in a UNION need parentheses',
        member,
        'SELECT * FROM (… UNION ALL …) ORDER BY …, or put the one query in parentheses',
      )
    }
  }

  const operand = (common: readonly CommonPart[]): Query => {
    if (!isSymbol('(')) return select(common)
    const { start } = peek()
    expect('(')
    const inner = query()
    expect(')')
    return common.length > 0 ? finish(start, { kind: 'set', common, first: inner, rest: Object.freeze([]) }) : inner
  }

  const commonPart = (): CommonPart => {
    if (isWord('recursive')) throw reject('not_supported', 'WITH RECURSIVE is not supported', peek())
    if (
      cursor.isName() &&
      isWord('as', 1) &&
      isSymbol('(', 2) &&
      (isWord('select', 3) || isWord('with', 3) || isSymbol('(', 3))
    ) {
      const name = cursor.expectName('a name')
      expectWord('as')
      expect('(')
      const inner = query()
      expect(')')
      return Object.freeze({ kind: 'table', name, query: inner })
    }
    const value = expression()
    expectWord('as')
    return Object.freeze({ kind: 'value', value, name: cursor.expectName('a name') })
  }

  const expressions = createExpressionParser(cursor, query)
  const { expression } = expressions
  const select = createSelectParser(cursor, expressions, query)
  return query
}

/** Parses one query into its syntax tree. Throws `QueryError`. */
export const parse = (text: string): Query => {
  const reject = rejectIn(text)
  if (text.length > MAX_LENGTH)
    throw reject('query_too_long', `The query has ${text.length} characters, more than the maximum of ${MAX_LENGTH}`, {
      start: MAX_LENGTH,
      end: text.length,
    })
  const cursor = createCursor(tokenize(text, reject), reject)
  const query = createQueryParser(cursor)()
  const isClosed = cursor.accept(';')
  const token = cursor.peek()
  if (token.kind === 'end') return query
  if (isClosed) throw reject('several_statements', 'Only one query is allowed. Nothing may follow the semicolon', token)
  throw cursor.unexpected('the end of the query', token)
}
