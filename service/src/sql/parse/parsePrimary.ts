import type { Expression, Name } from './ast.ts'
import { createBracketParser } from './parseBrackets.ts'
import { createKeywordParser } from './parseKeywords.ts'
import type { ParserContext } from './parserContext.ts'
import type { Cursor } from './tokenCursor.ts'
import type { Token } from './tokens.ts'

// Returns the error for a `{…}` that is not `{variables.name}`.
const unknownPlaceholder = ({ reject, peek, isSymbol }: Cursor) => {
  const span = { start: peek().start, end: peek(1).end }
  if (isSymbol(':', 2))
    return reject(
      'placeholder_native',
      'ClickHouse placeholders ({name:Type}) are not supported',
      { ...span, end: peek(3).end },
      'Write {variables.name}',
    )
  const inner = peek(1)
  return reject(
    'placeholder_unknown',
    `{${inner.value}…} is not a placeholder`,
    span,
    'Write {variables.name}, with letters, digits and _ in the name',
  )
}

/** Parses the operands of an expression: literals, names, calls, brackets and keyword constructs. */
export const createPrimaryParser = (context: ParserContext, call: (name: Name) => Expression) => {
  const { cursor } = context
  const { reject, peek, isSymbol, isWord, take, expect, finish, list } = cursor
  const { lambda, parenthesized, bracketed } = createBracketParser(context)
  const { caseOf, castCall, interval } = createKeywordParser(context)

  const primary = (): Expression => {
    const token = peek()
    const { start } = token
    switch (token.kind) {
      case 'string':
        take()
        return finish(start, { kind: 'text', value: token.value })
      case 'number':
        take()
        return finish(start, { kind: 'number', digits: token.value })
      case 'variable':
        take()
        return finish(start, { kind: 'variable', name: token.value })
      case 'name':
        return word(token)
      case 'quoted':
        take()
        if (isSymbol('->')) return lambda([cursor.toName(token)], start)
        return isSymbol('(')
          ? call(cursor.toName(token))
          : finish(start, { kind: 'field', path: Object.freeze([cursor.toName(token)]) })
      case 'symbol':
        if (token.value === '(') return parenthesized()
        if (token.value === '[') return bracketed()
        if (token.value === '*') {
          take()
          return finish(start, { kind: 'star', except: starExceptions() })
        }
        if (token.value === '{') throw unknownPlaceholder(cursor)
    }
    throw cursor.unexpected('a value')
  }

  const word = (token: Token): Expression => {
    const { start } = token
    const lower = token.value.toLowerCase()
    if (lower === 'case') return caseOf()
    if (lower === 'interval' && !isSymbol('(', 1) && !isSymbol('.', 1)) return interval()
    if (isSymbol('(', 1)) {
      if (lower === 'cast') return castCall()
      if (lower === 'exists') throw reject('not_supported', 'EXISTS is not supported', token, 'Use value IN (SELECT …)')
      if (cursor.mayBeCalled(token)) return call(cursor.toName(take()))
    }
    if (lower === 'select' || lower === 'with')
      throw reject('syntax_error', 'A query inside an expression needs parentheses', token, `(${token.value} …)`)
    if (cursor.isReserved(token)) throw cursor.unexpected('a value')
    take()
    if (peek().kind === 'string' && ['date', 'timestamp', 'datetime'].includes(lower)) {
      throw reject(
        'not_supported',
        `${token.value} '…' literals are not supported`,
        { start, end: peek().end },
        lower === 'date' ? "toDate('2026-01-31')" : "toDateTime('2026-01-31 12:00:00')",
      )
    }
    if (lower === 'null') return finish(start, { kind: 'null' })
    if ((lower === 'true' || lower === 'false') && !isSymbol('.'))
      return finish(start, { kind: 'boolean', value: lower === 'true' })
    if (isSymbol('->')) return lambda([cursor.toName(token)], start)
    if (isSymbol('.') && isSymbol('*', 1)) {
      take()
      take()
      return finish(start, { kind: 'star', table: cursor.toName(token), except: starExceptions() })
    }
    return finish(start, { kind: 'field', path: Object.freeze([cursor.toName(token)]) })
  }

  const starExceptions = (): readonly Name[] => {
    if (!(isWord('except') || isWord('exclude')) || !isSymbol('(', 1) || isWord('select', 2) || isWord('with', 2))
      return Object.freeze([])
    take()
    take()
    const names = list(() => cursor.expectName('a column'))
    expect(')')
    return names
  }

  return primary
}
