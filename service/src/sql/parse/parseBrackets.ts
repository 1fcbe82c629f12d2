import type { Expression, Name } from './ast.ts'
import { LEVEL } from './operators.ts'
import type { ParserContext } from './parserContext.ts'

/** Parses what starts with a bracket: groups, tuples, subqueries and arrays; and lambdas, which may. */
export const createBracketParser = ({ cursor, expression, subquery }: ParserContext) => {
  const { reject, peek, isSymbol, isWord, take, accept, expect, finish, list } = cursor

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

  const parenthesized = (): Expression => {
    const { start } = peek()
    const names = lambdaNames()
    if (names) return lambda(names, start)
    take()
    if (isWord('select') || isWord('with')) return subquery(start)
    if (accept(')')) return finish(start, { kind: 'tuple', items: Object.freeze([]) })
    const first = expression()
    if (isWord('as'))
      throw reject(
        'not_supported',
        'A name inside an expression is not supported',
        peek(),
        'Name the column (SELECT … AS name) or the value (WITH … AS name)',
      )
    if (first.kind === 'subquery' && setFollows())
      throw reject(
        'syntax_error',
        'The first query of UNION, INTERSECT or EXCEPT cannot have its own parentheses here',
        first,
      )
    if (accept(')')) return first
    const items = [first]
    while (accept(',') && !isSymbol(')')) items.push(expression())
    expect(')')
    return finish(start, { kind: 'tuple', items: Object.freeze(items) })
  }

  const setFollows = () => ['union', 'intersect', 'except'].some((word) => isWord(word))

  const bracketed = (): Expression => {
    const { start } = take()
    const items = isSymbol(']') ? Object.freeze([]) : list(() => expression())
    expect(']')
    return finish(start, { kind: 'array', items })
  }

  return { lambda, parenthesized, bracketed }
}
