import type { Cursor } from './tokenCursor.ts'
import { own } from '../../lib/own.ts'

const STATEMENTS =
  'insert create alter drop truncate rename grant revoke set use show describe desc explain optimize system attach detach kill delete update exists exchange check backup restore undrop watch call execute merge replace'.split(
    ' ',
  )

// Unsupported ClickHouse clauses by their first word, with what to write instead.
const REJECTED_CLAUSES: Readonly<Record<string, string | undefined>> = {
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

/** Returns the error for a query that does not begin with SELECT or WITH. */
export const notASelect = (cursor: Cursor) => {
  const token = cursor.peek()
  const word = token.value.toLowerCase()
  if (token.kind === 'name' && STATEMENTS.includes(word)) {
    return cursor.reject(
      'statement_not_allowed',
      `${word.toUpperCase()} is not allowed, because queries can only read`,
      token,
      'Begin with SELECT or WITH',
    )
  }
  return cursor.unexpected('SELECT')
}

/** Throws on a clause that is not supported. */
export const rejectClause = ({ reject, peek }: Cursor) => {
  const token = peek()
  const word = token.value.toLowerCase()
  if (token.kind !== 'name' || !Object.hasOwn(REJECTED_CLAUSES, word)) return
  throw reject(
    'clause_not_allowed',
    `${word === 'into' ? 'INTO OUTFILE' : word.toUpperCase()} is not allowed`,
    token,
    own(REJECTED_CLAUSES, word),
  )
}

/** Throws on a modifier of GROUP BY. */
export const rejectGrouping = ({ reject, peek, isWord }: Cursor) => {
  for (const word of ['totals', 'rollup', 'cube']) {
    if (isWord('with') && isWord(word, 1))
      throw reject('clause_not_allowed', `WITH ${word.toUpperCase()} is not supported`, {
        start: peek().start,
        end: peek(1).end,
      })
  }
}
