import type { Name } from './ast.ts'
import type { Cursor } from './tokenCursor.ts'

/** Parses a type such as `Array(Nullable(String))` or `Decimal(10, 2)`, up to the matching parenthesis. */
export const parseTypeName = (cursor: Cursor): Name => {
  const first = cursor.take()
  if (first.kind !== 'name') throw cursor.unexpected('a type', first)
  const parts = [first.value]
  let open = 0
  while (cursor.isSymbol('(') || open > 0) {
    const token = cursor.take()
    if (token.kind === 'end') throw cursor.unexpected("')'", token)
    if (token.value === '(') open++
    if (token.value === ')') open--
    parts.push(token.kind === 'string' ? `'${token.value}'` : token.value)
    if (open === 0) break
  }
  return Object.freeze({ text: parts.join(''), start: first.start, end: cursor.previous().end })
}
