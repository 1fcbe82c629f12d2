import type { Expression, FrameBound, Name, Ordering, Window } from './ast.ts'
import { LEVEL } from './operators.ts'
import type { ParserContext } from './parserContext.ts'

/** Parses function calls with their FILTER and OVER clauses, and ORDER BY items. */
export const createCallParser = ({ cursor, expression, subquery }: ParserContext) => {
  const { reject, peek, isSymbol, isWord, take, accept, acceptWords, expect, expectWord, finish, list } = cursor

  const callArguments = (): { isDistinct: boolean; args: readonly Expression[] } => {
    expect('(')
    const isDistinct = acceptWords('distinct')
    if (accept(')')) return { isDistinct, args: Object.freeze([]) }
    if (isWord('select') || isWord('with')) {
      const { start } = peek()
      return { isDistinct, args: Object.freeze([subquery(start)]) }
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
      throw reject(
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

  return { call, ordering }
}
