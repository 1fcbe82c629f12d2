import type { Expression } from './ast.ts'
import { LEVEL } from './operators.ts'
import type { ParserContext } from './parserContext.ts'
import { parseTypeName } from './parseTypeName.ts'
import type { Token } from './tokens.ts'

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const

/** Parses CASE, CAST and INTERVAL. */
export const createKeywordParser = ({ cursor, expression }: ParserContext) => {
  const { peek, isWord, take, accept, acceptWords, expect, expectWord, finish } = cursor

  const caseOf = (): Expression => {
    const { start } = take()
    const of = isWord('when') ? undefined : expression()
    const branches: { when: Expression; then: Expression }[] = []
    while (acceptWords('when')) {
      const when = expression()
      expectWord('then')
      branches.push(Object.freeze({ when, then: expression() }))
    }
    if (branches.length === 0) throw cursor.unexpected('WHEN')
    const otherwise = acceptWords('else') ? expression() : undefined
    expectWord('end')
    return finish(start, { kind: 'case', of, branches: Object.freeze(branches), otherwise })
  }

  const castCall = (): Expression => {
    const { start } = take()
    expect('(')
    const of = expression()
    if (accept(',')) {
      const token = take()
      if (token.kind !== 'string') throw cursor.unexpected('a type in quotes', token)
      expect(')')
      return finish(start, { kind: 'cast', of, type: cursor.toName(token) })
    }
    expectWord('as')
    const type = parseTypeName(cursor)
    expect(')')
    return finish(start, { kind: 'cast', of, type })
  }

  const interval = (): Expression => {
    const { start } = take()
    const token = peek()
    const inText = token.kind === 'string' ? /^\s*(\d+)\s+([a-z]+)\s*$/i.exec(token.value) : null
    if (inText) {
      take()
      const amount = finish(token.start, { kind: 'number' as const, digits: inText[1]! })
      return finish(start, { kind: 'interval', amount, unit: unitOf(inText[2]!, token) })
    }
    const amount = expression(LEVEL.minus)
    return finish(start, { kind: 'interval', amount, unit: unitOf(peek().value, take()) })
  }

  const unitOf = (written: string, token: Token): string => {
    const unit = UNITS.find((each) => each === written.toLowerCase().replace(/s$/, ''))
    if (!unit) throw cursor.unexpected(`a unit of time (${UNITS.join(', ')})`, token)
    return unit
  }

  return { caseOf, castCall, interval }
}
