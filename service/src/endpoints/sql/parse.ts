import type {
  CommonPart,
  Expression,
  JoinKind,
  LimitBy,
  Name,
  Query,
  Select,
  SelectItem,
  SetOperator,
  Source,
} from './ast.ts'
import { createCursor, type Cursor } from './cursor.ts'
import { createExpressionParser } from './parseExpression.ts'
import { refuseIn } from './queryError.ts'
import { tokenize } from './tokens.ts'

// What one reads and writes by hand stays far below; it bounds the work that one request can ask for.
const MAX_LENGTH = 64 * 1024

const STATEMENTS =
  'insert create alter drop truncate rename grant revoke set use show describe desc explain optimize system attach detach kill delete update exists exchange check backup restore undrop watch call execute merge replace'.split(
    ' ',
  )

// Clauses of ClickHouse that stay out, by the word that begins them, with what to write instead.
const REFUSED_CLAUSES: Readonly<Record<string, string | undefined>> = {
  settings: undefined,
  format: undefined,
  into: undefined,
  prewhere: 'Use WHERE',
  sample: undefined,
  final: undefined,
  qualify: 'Put the window function in a subquery and filter outside with WHERE',
  window: 'Write each window in parentheses: OVER (…)',
  fetch: 'Use LIMIT',
  top: 'Use LIMIT',
  interpolate: undefined,
  global: undefined,
  asof: undefined,
  any: undefined,
  semi: 'Use WHERE … IN (SELECT …)',
  anti: 'Use WHERE … NOT IN (SELECT …)',
  paste: undefined,
}

const JOINS: readonly (readonly [words: readonly string[], join: JoinKind])[] = [
  [['join'], 'inner'],
  [['inner', 'join'], 'inner'],
  [['left', 'join'], 'left'],
  [['left', 'outer', 'join'], 'left'],
  [['right', 'join'], 'right'],
  [['right', 'outer', 'join'], 'right'],
  [['full', 'join'], 'full'],
  [['full', 'outer', 'join'], 'full'],
  [['cross', 'join'], 'cross'],
]

const SETS: readonly (readonly [words: readonly string[], operator: SetOperator])[] = [
  [['union', 'all'], 'union all'],
  [['union', 'distinct'], 'union distinct'],
  [['intersect', 'distinct'], 'intersect distinct'],
  [['intersect'], 'intersect'],
  [['except', 'distinct'], 'except distinct'],
  [['except'], 'except'],
]

const createQueryParser = (cursor: Cursor): (() => Query) => {
  const { refuse, peek, isSymbol, isWord, accept, acceptWords, expect, expectWord, finish, list } = cursor

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
      refuseOwnOrder(last)
      const row = SETS.find(([words]) => acceptWords(...words))
      if (!row)
        throw refuse(
          'syntax_error',
          'UNION needs ALL or DISTINCT',
          peek(),
          'UNION ALL keeps repeated rows, UNION DISTINCT removes them',
        )
      last = operand(Object.freeze([]))
      members.push(Object.freeze({ operator: row[1], query: last }))
    }
    refuseOwnOrder(last)
    return finish(start, { kind: 'set', common, first, rest: Object.freeze(members) })
  }

  // Standard SQL gives the last ORDER BY and LIMIT to the whole set, ClickHouse to the last query: whoever writes it means one of them.
  const refuseOwnOrder = (member: Query) => {
    if (member.kind !== 'select' || cursor.previous().value === ')') return
    if (member.orderBy.length > 0 || member.limit || member.limitBy) {
      throw refuse(
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
    if (isWord('recursive')) throw refuse('not_supported', 'WITH RECURSIVE is not supported', peek())
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

  const select = (common: readonly CommonPart[]): Select => {
    const { start } = peek()
    if (!acceptWords('select')) throw notASelect()
    const isDistinct = acceptWords('distinct')
    if (isWord('on') && isDistinct)
      throw refuse('not_supported', 'DISTINCT ON is not supported', peek(), 'Use LIMIT 1 BY …')
    const items = list(item)
    const from = acceptWords('from') ? source() : undefined
    const arrayJoin = arrayJoinClause()
    refuseClause()
    const where = acceptWords('where') ? expression() : undefined
    const groupBy = acceptWords('group', 'by') ? list(expression) : Object.freeze([])
    refuseGrouping()
    const having = acceptWords('having') ? expression() : undefined
    refuseClause()
    const orderBy = acceptWords('order', 'by') ? list(ordering) : Object.freeze([])
    if (isWord('with') && isWord('fill', 1)) throw refuse('clause_not_allowed', 'WITH FILL is not supported', peek())
    const limits = limitClauses()
    refuseClause()
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

  const notASelect = () => {
    const token = peek()
    const word = token.value.toLowerCase()
    if (token.kind === 'name' && STATEMENTS.includes(word)) {
      return refuse(
        'statement_not_allowed',
        `${word.toUpperCase()} is not allowed: a query reads and does nothing else`,
        token,
        'Begin with SELECT or WITH',
      )
    }
    return cursor.unexpected('SELECT')
  }

  const refuseClause = () => {
    const token = peek()
    const word = token.value.toLowerCase()
    if (token.kind !== 'name' || !Object.hasOwn(REFUSED_CLAUSES, word)) return
    throw refuse(
      'clause_not_allowed',
      `${word === 'into' ? 'INTO OUTFILE' : word.toUpperCase()} is not allowed`,
      token,
      REFUSED_CLAUSES[word],
    )
  }

  const refuseGrouping = () => {
    for (const word of ['totals', 'rollup', 'cube']) {
      if (isWord('with') && isWord(word, 1))
        throw refuse('clause_not_allowed', `WITH ${word.toUpperCase()} is not supported`, {
          start: peek().start,
          end: peek(1).end,
        })
    }
  }

  const item = (): SelectItem => {
    if (!isSymbol('(', 1)) refuseClause()
    const value = expression()
    const alias = optionalAlias()
    return Object.freeze({ value, alias })
  }

  const optionalAlias = (): Name | undefined => {
    if (acceptWords('as')) {
      if (peek().kind !== 'name' && peek().kind !== 'quoted') throw cursor.unexpected('a name after AS')
      return cursor.toName(cursor.take())
    }
    return cursor.isName() ? cursor.expectName('a name') : undefined
  }

  const source = (): Source => {
    let left = sourceItem()
    for (let lean = 0; ; lean++) {
      cursor.checkLean(lean)
      if (accept(',')) {
        left = finish(left.start, { kind: 'join', join: 'cross', left, right: sourceItem() })
        continue
      }
      if (isWord('global') || isWord('asof') || isWord('any') || isWord('semi') || isWord('anti') || isWord('paste'))
        refuseClause()
      const row = JOINS.find(([words]) => acceptWords(...words))
      if (!row) return left
      left = joined(left, row[1])
    }
  }

  const joined = (left: Source, join: JoinKind): Source => {
    refuseClause()
    const right = sourceItem()
    if (join === 'cross') return finish(left.start, { kind: 'join', join, left, right })
    if (acceptWords('on')) return finish(left.start, { kind: 'join', join, left, right, on: expression() })
    if (!acceptWords('using')) throw cursor.unexpected('ON or USING')
    const inParentheses = accept('(')
    const using = list(() => cursor.expectName('a column'))
    if (inParentheses) expect(')')
    return finish(left.start, { kind: 'join', join, left, right, using })
  }

  const sourceItem = (): Source => {
    const { start } = peek()
    if (accept('(')) {
      if (!isWord('select') && !isWord('with') && !isSymbol('(')) throw cursor.unexpected('SELECT')
      const inner = query()
      expect(')')
      return finish(start, { kind: 'derived', query: inner, alias: optionalAlias() })
    }
    if (peek().kind === 'variable' || isSymbol('{'))
      throw refuse('syntax_error', 'A table cannot be a placeholder', peek(), 'Write the name of the table')
    const name = cursor.expectName('a table')
    if (isSymbol('('))
      throw refuse('table_function', `Table functions such as ${name.text}(…) are not allowed`, name, 'FROM events')
    if (isSymbol('.'))
      throw refuse(
        'table_unknown',
        `There is no table '${name.text}.${peek(1).value}'`,
        { start, end: peek(1).end },
        'Tables have no database before their name: FROM events',
      )
    const alias = optionalAlias()
    if (isWord('final') || isWord('sample')) refuseClause()
    return finish(start, { kind: 'table', name, alias })
  }

  const arrayJoinClause = (): Select['arrayJoin'] => {
    const isLeft = acceptWords('left', 'array', 'join')
    if (!isLeft && !acceptWords('array', 'join')) return undefined
    const items = list(() => {
      const value = expression()
      const alias = optionalAlias()
      if (!alias) throw refuse('syntax_error', 'ARRAY JOIN needs a name for its members', value, 'ARRAY JOIN … AS name')
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
      if (isWord('with') && isWord('ties', 1)) throw refuse('clause_not_allowed', 'WITH TIES is not supported', peek())
      if (acceptWords('by')) {
        if (limitBy) throw refuse('syntax_error', 'A query has one LIMIT … BY', cursor.previous())
        limitBy = Object.freeze({ limit: count, offset: skip, by: list(expression) })
      } else {
        limit = count
        offset = skip
      }
    }
    if (!offset && acceptWords('offset')) offset = expression()
    return { limitBy, limit, offset }
  }

  const { expression: parseExpression, ordering } = createExpressionParser(cursor, query)
  const expression = () => parseExpression()
  return query
}

/** The AST of one query. Throws `QueryError`. */
export const parse = (text: string): Query => {
  const refuse = refuseIn(text)
  if (text.length > MAX_LENGTH)
    throw refuse('query_too_long', `The query has ${text.length} characters; ${MAX_LENGTH} are allowed`, {
      start: MAX_LENGTH,
      end: text.length,
    })
  const cursor = createCursor(tokenize(text, refuse), refuse)
  const query = createQueryParser(cursor)()
  const isClosed = cursor.accept(';')
  const token = cursor.peek()
  if (token.kind === 'end') return query
  if (isClosed) throw refuse('several_statements', 'One query at a time: nothing may follow the semicolon', token)
  throw cursor.unexpected('the end of the query', token)
}
