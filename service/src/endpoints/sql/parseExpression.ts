import type {
  ChainOperator,
  CompareOperator,
  Expression,
  FrameBound,
  Link,
  MatchOperator,
  Name,
  Ordering,
  Query,
  Window,
} from './ast.ts'
import type { Cursor } from './cursor.ts'
import type { Token } from './tokens.ts'

// How tightly operators bind, loosest first. `??` is looser than a comparison, as in HogQL.
const LEVEL = {
  choice: 1,
  or: 2,
  and: 3,
  not: 4,
  orElse: 5,
  compare: 6,
  sum: 7,
  product: 8,
  minus: 9,
  postfix: 10,
} as const

const COMPARISONS: Readonly<Record<string, CompareOperator>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

const MATCHES: Readonly<Record<string, { operator: MatchOperator; isNot: boolean }>> = {
  '=~': { operator: 'regexp', isNot: false },
  '!~': { operator: 'regexp', isNot: true },
  '=~*': { operator: 'iregexp', isNot: false },
  '!~*': { operator: 'iregexp', isNot: true },
}

const CHAINS: Readonly<Record<string, { operator: ChainOperator; level: number }>> = {
  '+': { operator: '+', level: LEVEL.sum },
  '-': { operator: '-', level: LEVEL.sum },
  '||': { operator: '||', level: LEVEL.sum },
  '*': { operator: '*', level: LEVEL.product },
  '/': { operator: '/', level: LEVEL.product },
  '%': { operator: '%', level: LEVEL.product },
}

// What may follow NOT in the middle of an expression.
const WORD_TESTS = ['in', 'like', 'ilike', 'between'] as const

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const

export interface ExpressionParser {
  readonly expression: () => Expression
  readonly ordering: () => Ordering
}

/** Parses expressions by operator precedence; `parseQuery` reads the queries that stand inside them. */
export const createExpressionParser = (cursor: Cursor, parseQuery: () => Query): ExpressionParser => {
  const { refuse, peek, isSymbol, isWord, take, accept, acceptWords, expect, expectWord, finish, list } = cursor

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
    for (let row = CHAINS[peek().value]; row?.level === level && peek().kind === 'symbol'; row = CHAINS[peek().value]) {
      take()
      rest.push(Object.freeze({ operator: row.operator, right: expression(level + 1) }))
    }
    return finish(left.start, { kind: 'chain', first: left, rest: Object.freeze(rest) })
  }

  const symbolInfix = (left: Expression, { value, start, end }: Token, level: number): Expression | undefined => {
    const chained = CHAINS[value]
    if (chained) return chained.level >= level ? chain(left, chained.level) : undefined
    if (LEVEL.compare >= level) {
      const operator = COMPARISONS[value]
      if (operator) {
        take()
        return finish(left.start, { kind: 'compare', operator, left, right: expression(LEVEL.compare + 1) })
      }
      const match = MATCHES[value]
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
      throw refuse('syntax_error', "Only names may stand before '->'", { start, end }, 'Write x -> … or (x, y) -> …')
    return value === '::' || value === '[' || value === '.' || value === '?.' ? postfix(left, value) : undefined
  }

  const postfix = (left: Expression, symbol: string): Expression => {
    take()
    if (symbol === '::') return finish(left.start, { kind: 'cast', of: left, type: typeName() })
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

  // The text from the first word to the matching parenthesis: `Array(Nullable(String))`, `Decimal(10, 2)`.
  const typeName = (): Name => {
    const first = take()
    if (first.kind !== 'name') throw cursor.unexpected('a type', first)
    const parts = [first.value]
    let open = 0
    while (isSymbol('(') || open > 0) {
      const token = take()
      if (token.kind === 'end') throw cursor.unexpected("')'", token)
      if (token.value === '(') open++
      if (token.value === ')') open--
      parts.push(token.kind === 'string' ? `'${token.value}'` : token.value)
      if (open === 0) break
    }
    return Object.freeze({ text: parts.join(''), start: first.start, end: cursor.previous().end })
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
      if (isWord('cohort')) throw refuse('not_supported', 'IN COHORT is not supported', peek())
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
        if (token.value === '(') return parenthesised()
        if (token.value === '[') return bracketed()
        if (token.value === '*') {
          take()
          return finish(start, { kind: 'star', except: starExceptions() })
        }
        if (token.value === '{') throw placeholder()
    }
    throw cursor.unexpected('a value')
  }

  const placeholder = () => {
    const span = { start: peek().start, end: peek(1).end }
    if (isSymbol(':', 2))
      return refuse(
        'placeholder_native',
        'ClickHouse placeholders ({name:Type}) are not supported',
        { ...span, end: peek(3).end },
        'Write {variables.name}',
      )
    const inner = peek(1)
    return refuse(
      'placeholder_unknown',
      `{${inner.value}…} is no placeholder`,
      span,
      'Placeholders read {variables.name}; a variable has letters, digits and _ in its name',
    )
  }

  const word = (token: Token): Expression => {
    const { start } = token
    const lower = token.value.toLowerCase()
    if (lower === 'case') return caseOf()
    if (lower === 'interval' && !isSymbol('(', 1) && !isSymbol('.', 1)) return interval()
    if (isSymbol('(', 1)) {
      if (lower === 'cast') return castCall()
      if (lower === 'exists') throw refuse('not_supported', 'EXISTS is not supported', token, 'Use value IN (SELECT …)')
      if (cursor.mayBeCalled(token)) return call(cursor.toName(take()))
    }
    if (lower === 'select' || lower === 'with')
      throw refuse('syntax_error', 'A query inside an expression needs parentheses', token, `(${token.value} …)`)
    if (cursor.isReserved(token)) throw cursor.unexpected('a value')
    take()
    if (peek().kind === 'string' && ['date', 'timestamp', 'datetime'].includes(lower)) {
      throw refuse(
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

  const lambda = (names: readonly Name[], start: number): Expression => {
    expect('->')
    return finish(start, { kind: 'lambda', names: Object.freeze(names), body: expression(LEVEL.choice) })
  }

  const lambdaNames = (): readonly Name[] | undefined => {
    let ahead = 1
    while ((peek(ahead).kind === 'name' || peek(ahead).kind === 'quoted') && isSymbol(',', ahead + 1)) ahead += 2
    if (
      !(peek(ahead).kind === 'name' || peek(ahead).kind === 'quoted') ||
      !isSymbol(')', ahead + 1) ||
      !isSymbol('->', ahead + 2)
    )
      return undefined
    expect('(')
    const names = list(() => cursor.expectName('a name'))
    expect(')')
    return names
  }

  const parenthesised = (): Expression => {
    const { start } = peek()
    const names = lambdaNames()
    if (names) return lambda(names, start)
    take()
    if (isWord('select') || isWord('with')) return closeSubquery(start)
    if (accept(')')) return finish(start, { kind: 'tuple', items: Object.freeze([]) })
    const first = expression()
    if (isWord('as'))
      throw refuse(
        'not_supported',
        'A name inside an expression is not supported',
        peek(),
        'Name the column (SELECT … AS name) or the value (WITH … AS name)',
      )
    if (first.kind === 'subquery' && setFollows())
      throw refuse('syntax_error', 'Write the first query of a set without its own parentheses here', first)
    if (accept(')')) return first
    const items = [first]
    while (accept(',') && !isSymbol(')')) items.push(expression())
    expect(')')
    return finish(start, { kind: 'tuple', items: Object.freeze(items) })
  }

  const setFollows = () => ['union', 'intersect', 'except'].some((word) => isWord(word))

  const closeSubquery = (start: number): Expression => {
    const query = parseQuery()
    expect(')')
    return finish(start, { kind: 'subquery', query })
  }

  const bracketed = (): Expression => {
    const { start } = take()
    const items = isSymbol(']') ? Object.freeze([]) : list(() => expression())
    expect(']')
    return finish(start, { kind: 'array', items })
  }

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
    const type = typeName()
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

  const callArguments = (): { isDistinct: boolean; args: readonly Expression[] } => {
    expect('(')
    const isDistinct = acceptWords('distinct')
    if (accept(')')) return { isDistinct, args: Object.freeze([]) }
    if (isWord('select') || isWord('with')) {
      const { start } = peek()
      return { isDistinct, args: Object.freeze([closeSubquery(start)]) }
    }
    const args = list(() => expression())
    expect(')')
    return { isDistinct, args }
  }

  const call = (name: Name): Expression => {
    const first = callArguments()
    const second = isSymbol('(') ? callArguments() : undefined
    const filter = isWord('filter') && isSymbol('(', 1) ? filterClause() : undefined
    const over = acceptWords('over') ? windowClause() : undefined
    return finish(name.start, {
      kind: 'call',
      name,
      ...(second ?? first),
      parameters: second && first.args,
      filter,
      over,
    })
  }

  const filterClause = (): Expression => {
    take()
    take()
    expectWord('where')
    const filter = expression()
    expect(')')
    return filter
  }

  const windowClause = (): Window => {
    if (!isSymbol('('))
      throw refuse(
        'not_supported',
        'Named windows are not supported',
        peek(),
        'Write the window in parentheses: OVER (PARTITION BY … ORDER BY …)',
      )
    take()
    const partitionBy = acceptWords('partition', 'by') ? list(() => expression()) : Object.freeze([])
    const orderBy = acceptWords('order', 'by') ? list(ordering) : Object.freeze([])
    const unit = acceptWords('rows') ? 'rows' : acceptWords('range') ? 'range' : undefined
    const frame = unit && Object.freeze(acceptWords('between') ? frameBetween(unit) : { unit, from: frameBound() })
    expect(')')
    return Object.freeze({ partitionBy, orderBy, frame })
  }

  const frameBetween = (unit: 'rows' | 'range') => {
    const from = frameBound()
    expectWord('and')
    return { unit, from, to: frameBound() }
  }

  const frameBound = (): FrameBound => {
    if (acceptWords('current', 'row')) return Object.freeze({ kind: 'current', side: 'following' })
    const offset = acceptWords('unbounded') ? undefined : expression(LEVEL.sum)
    const side = acceptWords('preceding') ? 'preceding' : acceptWords('following') ? 'following' : undefined
    if (!side) throw cursor.unexpected('PRECEDING or FOLLOWING')
    return Object.freeze(offset ? { kind: 'offset', side, offset } : { kind: 'unbounded', side })
  }

  const ordering = (): Ordering => {
    const by = expression()
    const isDescending = acceptWords('desc') || acceptWords('descending')
    if (!isDescending && !acceptWords('asc')) acceptWords('ascending')
    const nulls = acceptWords('nulls', 'first') ? 'first' : acceptWords('nulls', 'last') ? 'last' : undefined
    return Object.freeze({ by, isDescending, nulls })
  }

  return { expression, ordering }
}
