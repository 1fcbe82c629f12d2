import type { Expression, Ordering, Query } from './ast.ts'
import { LEVEL } from './operators.ts'
import { createCallParser } from './parseCall.ts'
import { createOperatorParser } from './parseOperators.ts'
import { createPrimaryParser } from './parsePrimary.ts'
import type { ParserContext } from './parserContext.ts'
import type { Cursor } from './tokenCursor.ts'

export interface ExpressionParser {
  readonly expression: () => Expression
  readonly ordering: () => Ordering
}

/** Parses expressions by operator precedence. `parseQuery` parses the queries nested in them. */
export const createExpressionParser = (cursor: Cursor, parseQuery: () => Query): ExpressionParser => {
  const { peek, isSymbol, isWord, take, accept, acceptWords, expect, finish } = cursor

  const expression = (level = 0): Expression => {
    cursor.enter()
    let left = prefix()
    for (let lean = 0; ; lean++) {
      const next = infix(left, level)
      if (!next) break
      cursor.checkLean(lean)
      left = next
    }
    cursor.leave()
    return left
  }

  const prefix = (): Expression => {
    const { start } = peek()
    if (isWord('not') && !isSymbol('(', 1)) {
      take()
      return finish(start, { kind: 'not', of: expression(LEVEL.not) })
    }
    if (acceptWords('not')) return finish(start, { kind: 'not', of: expression(LEVEL.not) })
    if (accept('-')) return finish(start, { kind: 'minus', of: expression(LEVEL.minus) })
    if (accept('+')) return expression(LEVEL.minus)
    return primary()
  }

  const subquery = (start: number): Expression => {
    const query = parseQuery()
    expect(')')
    return finish(start, { kind: 'subquery', query })
  }

  const context: ParserContext = { cursor, expression, subquery }
  const { call, ordering } = createCallParser(context)
  const primary = createPrimaryParser(context, call)
  const infix = createOperatorParser(context)

  return { expression: () => expression(), ordering }
}
