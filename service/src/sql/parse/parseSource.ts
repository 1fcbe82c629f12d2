import type { Expression, JoinKind, Name, Query, Source } from './ast.ts'
import { rejectClause } from './rejectedClauses.ts'
import type { Cursor } from './tokenCursor.ts'

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

/** Parses `AS name` or a bare name, if there is one. */
export const optionalAlias = (cursor: Cursor): Name | undefined => {
  if (cursor.acceptWords('as')) {
    if (cursor.peek().kind !== 'name' && cursor.peek().kind !== 'quoted') throw cursor.unexpected('a name after AS')
    return cursor.toName(cursor.take())
  }
  return cursor.isName() ? cursor.expectName('a name') : undefined
}

/** Parses what follows FROM: tables, subqueries and joins. */
export const createSourceParser = (cursor: Cursor, expression: () => Expression, query: () => Query) => {
  const { reject, peek, isSymbol, isWord, accept, acceptWords, expect, finish, list } = cursor

  const source = (): Source => {
    let left = sourceItem()
    for (let lean = 0; ; lean++) {
      cursor.checkLean(lean)
      if (accept(',')) {
        left = finish(left.start, { kind: 'join', join: 'cross', left, right: sourceItem() })
        continue
      }
      if (isWord('global') || isWord('asof') || isWord('any') || isWord('semi') || isWord('anti') || isWord('paste'))
        rejectClause(cursor)
      const row = JOINS.find(([words]) => acceptWords(...words))
      if (!row) return left
      left = joined(left, row[1])
    }
  }

  const joined = (left: Source, join: JoinKind): Source => {
    rejectClause(cursor)
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
      return finish(start, { kind: 'derived', query: inner, alias: optionalAlias(cursor) })
    }
    if (peek().kind === 'variable' || isSymbol('{'))
      throw reject('syntax_error', 'A table cannot be a placeholder', peek(), 'Write the name of the table')
    const name = cursor.expectName('a table')
    if (isSymbol('('))
      throw reject('table_function', `Table functions such as ${name.text}(…) are not allowed`, name, 'FROM events')
    if (isSymbol('.'))
      throw reject(
        'table_unknown',
        `There is no table '${name.text}.${peek(1).value}'`,
        { start, end: peek(1).end },
        'Tables have no database before their name: FROM events',
      )
    const alias = optionalAlias(cursor)
    if (isWord('final') || isWord('sample')) rejectClause(cursor)
    return finish(start, { kind: 'table', name, alias })
  }

  return source
}
