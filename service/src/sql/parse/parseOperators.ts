import type { Expression, Link, MatchOperator } from './ast.ts'
import { CHAINS, COMPARISONS, LEVEL, MATCHES, WORD_TESTS } from './operators.ts'
import type { ParserContext } from './parserContext.ts'
import { parseTypeName } from './parseTypeName.ts'
import type { Token } from './tokens.ts'
import { own } from '../../lib/own.ts'

/** Parses infix and postfix operators after a left operand. Returns `undefined` when none of at least `level` follows. */
export const createOperatorParser = ({ cursor, expression }: ParserContext) => {
  const { reject, peek, isWord, take, accept, acceptWords, expect, expectWord, finish } = cursor

  const infix = (left: Expression, level: number): Expression | undefined => {
    const token = peek()
    return token.kind === 'symbol'
      ? symbolInfix(left, token, level)
      : token.kind === 'name'
        ? wordInfix(left, level)
        : undefined
  }

  const chain = (left: Expression, level: number): Expression => {
    const rest: Link[] = []
    for (
      let row = own(CHAINS, peek().value);
      row?.level === level && peek().kind === 'symbol';
      row = own(CHAINS, peek().value)
    ) {
      take()
      rest.push(Object.freeze({ operator: row.operator, right: expression(level + 1) }))
    }
    return finish(left.start, { kind: 'chain', first: left, rest: Object.freeze(rest) })
  }

  const symbolInfix = (left: Expression, { value, start, end }: Token, level: number): Expression | undefined => {
    const chained = own(CHAINS, value)
    if (chained) return chained.level >= level ? chain(left, chained.level) : undefined
    if (LEVEL.compare >= level) {
      const operator = own(COMPARISONS, value)
      if (operator) {
        take()
        return finish(left.start, { kind: 'compare', operator, left, right: expression(LEVEL.compare + 1) })
      }
      const match = own(MATCHES, value)
      if (match) {
        take()
        return finish(left.start, { kind: 'match', ...match, left, right: expression(LEVEL.compare + 1) })
      }
    }
    if (value === '??' && LEVEL.orElse >= level) {
      const terms = [left]
      while (accept('??')) terms.push(expression(LEVEL.orElse + 1))
      return finish(left.start, { kind: 'orElse', terms: Object.freeze(terms) })
    }
    if (value === '?' && LEVEL.choice >= level) {
      take()
      const then = expression(LEVEL.choice)
      expect(':')
      return finish(left.start, { kind: 'choice', condition: left, then, otherwise: expression(LEVEL.choice) })
    }
    if (value === '->')
      throw reject('syntax_error', "Only names may precede '->'", { start, end }, 'Write x -> … or (x, y) -> …')
    return value === '::' || value === '[' || value === '.' || value === '?.' ? postfix(left, value) : undefined
  }

  const postfix = (left: Expression, symbol: string): Expression => {
    take()
    if (symbol === '::') return finish(left.start, { kind: 'cast', of: left, type: parseTypeName(cursor) })
    if (symbol === '[') {
      const at = expression()
      expect(']')
      return finish(left.start, { kind: 'index', of: left, at })
    }
    const member = take()
    if (member.kind === 'number' && /^\d+$/.test(member.value))
      return finish(left.start, { kind: 'tupleMember', of: left, position: Number(member.value) })
    if (member.kind === 'name' || member.kind === 'quoted') {
      if (left.kind === 'field')
        return finish(left.start, { kind: 'field', path: Object.freeze([...left.path, cursor.toName(member)]) })
      return finish(left.start, { kind: 'member', of: left, name: member.value })
    }
    throw cursor.unexpected("a name or a position after '.'", member)
  }

  const wordInfix = (left: Expression, level: number): Expression | undefined => {
    if ((isWord('and') || isWord('or')) && LEVEL[isWord('and') ? 'and' : 'or'] >= level) {
      const operator = isWord('and') ? 'and' : 'or'
      const terms = [left]
      while (acceptWords(operator)) terms.push(expression(LEVEL[operator] + 1))
      return finish(left.start, { kind: 'logic', operator, terms: Object.freeze(terms) })
    }
    if (LEVEL.compare < level) return undefined
    if (acceptWords('is')) {
      const isNot = acceptWords('not')
      if (!acceptWords('null')) throw cursor.unexpected('NULL')
      return finish(left.start, { kind: 'isNull', isNot, of: left })
    }
    const isNot = isWord('not') && WORD_TESTS.some((word) => isWord(word, 1))
    if (isNot) take()
    if (acceptWords('in')) {
      if (isWord('cohort')) throw reject('not_supported', 'IN COHORT is not supported', peek())
      return finish(left.start, { kind: 'in', isNot, left, right: expression(LEVEL.compare + 1) })
    }
    if (isWord('like') || isWord('ilike')) {
      const operator = take().value.toLowerCase() as MatchOperator
      return finish(left.start, { kind: 'match', operator, isNot, left, right: expression(LEVEL.compare + 1) })
    }
    if (acceptWords('between')) {
      const low = expression(LEVEL.sum)
      expectWord('and')
      return finish(left.start, { kind: 'between', isNot, of: left, low, high: expression(LEVEL.sum) })
    }
    return undefined
  }

  return infix
}
