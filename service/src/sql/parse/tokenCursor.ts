import type { Reject, Span } from './queryError.ts'
import type { Name } from './ast.ts'
import type { Token } from './tokens.ts'

// Real queries nest a dozen levels. The engine's parser stops at 1,000 levels, and each level here is several levels there.
const MAX_DEPTH = 100
// Generous for the text limit of 64 kB: only text such as `1+1+1…` reaches it.
const MAX_NODES = 20_000

// Words that begin or join clauses. Unquoted, they cannot be aliases or columns.
const RESERVED = new Set(
  (
    'select from where group having order limit offset union intersect except with as on using join inner left right full cross outer ' +
    'any asof semi anti global paste array and or not in is between like ilike case when then else end distinct by asc desc nulls ' +
    'settings format into prewhere sample final qualify window fetch over filter interpolate top cast interval'
  ).split(' '),
)

// Words that cannot be names even where no clause follows. `left(x)` and `format(x)` are calls.
const NEVER_CALLED = new Set(
  'select from where having union and or not in is between like ilike case when then else end distinct as on using by'.split(
    ' ',
  ),
)

export type Cursor = ReturnType<typeof createCursor>

/** Reads tokens in order and counts depth and nodes against their budgets. */
export const createCursor = (tokens: readonly Token[], reject: Reject) => {
  let at = 0
  let depth = 0
  let nodes = 0

  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)]!
  const previous = (): Token => tokens[Math.max(at - 1, 0)]!
  const isSymbol = (symbol: string, ahead = 0): boolean => {
    const token = peek(ahead)
    return token.kind === 'symbol' && token.value === symbol
  }
  const isWord = (word: string, ahead = 0): boolean => {
    const token = peek(ahead)
    return token.kind === 'name' && token.value.toLowerCase() === word
  }
  const take = (): Token => {
    const token = peek()
    if (token.kind !== 'end') at++
    return token
  }
  const accept = (symbol: string): boolean => isSymbol(symbol) && !!take()
  const acceptWords = (...words: readonly string[]): boolean => {
    if (!words.every((word, ahead) => isWord(word, ahead))) return false
    at += words.length
    return true
  }
  const describe = (token: Token): string =>
    token.kind === 'end' ? 'the end of the query' : token.kind === 'string' ? 'a string' : `'${token.value}'`
  const unexpected = (wanted: string, token = peek()) =>
    reject('syntax_error', `Expected ${wanted}, found ${describe(token)}`, token)
  const expect = (symbol: string): Token => {
    if (!isSymbol(symbol)) throw unexpected(`'${symbol}'`)
    return take()
  }
  const expectWord = (word: string): void => {
    if (!acceptWords(word)) throw unexpected(word.toUpperCase())
  }
  const isReserved = (token: Token): boolean => token.kind === 'name' && RESERVED.has(token.value.toLowerCase())
  const isName = (): boolean => peek().kind === 'quoted' || (peek().kind === 'name' && !isReserved(peek()))
  const toName = (token: Token): Name => Object.freeze({ text: token.value, start: token.start, end: token.end })
  const expectName = (wanted: string): Name => {
    if (!isName()) throw unexpected(wanted)
    return toName(take())
  }

  const tooDeep = (span: Span) =>
    reject(
      'query_too_deep',
      `The query nests more than ${MAX_DEPTH} levels deep`,
      span,
      'Split it into parts with WITH … AS',
    )
  const enter = (): void => {
    if (++depth > MAX_DEPTH) throw tooDeep(peek())
  }
  const leave = (): void => {
    depth--
  }
  /** Limits the depth of a left-leaning expression (`a = b = c …`, `a[1][2]…`) like that of a nested one. */
  const checkLean = (lean: number): void => {
    if (depth + lean > MAX_DEPTH) throw tooDeep(peek())
  }
  /** Freezes a node that began at `start` and ends at the last token read. */
  const finish = <const T extends object>(start: number, fields: T): T & Span => {
    if (++nodes > MAX_NODES)
      throw reject('query_too_complex', `The query has more than ${MAX_NODES} parts`, { start, end: previous().end })
    return Object.freeze({ ...fields, start, end: previous().end })
  }
  const list = <T>(readOne: () => T): readonly T[] => {
    const items = [readOne()]
    while (accept(',')) items.push(readOne())
    return Object.freeze(items)
  }

  return {
    reject,
    peek,
    previous,
    isSymbol,
    isWord,
    take,
    accept,
    acceptWords,
    unexpected,
    expect,
    expectWord,
    isReserved,
    isName,
    toName,
    expectName,
    enter,
    leave,
    checkLean,
    finish,
    list,
    mayBeCalled: (token: Token) => !NEVER_CALLED.has(token.value.toLowerCase()),
  }
}
