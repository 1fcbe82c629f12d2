import type { Reject, Span } from './queryError.ts'
import { own } from '../../lib/own.ts'

/** `name` is an unquoted word, `quoted` an identifier in backticks or double quotes, `end` is a single token after the last one. */
export type TokenKind = 'name' | 'quoted' | 'number' | 'string' | 'symbol' | 'variable' | 'end'

/** `value`: a string without quotes and escapes, the variable of a placeholder, or otherwise the text itself. */
export interface Token extends Span {
  readonly kind: TokenKind
  readonly value: string
}

const SKIPPED = /(?:\s+|--[^\n]*)+/uy
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const DIGITS = /\d+/y
const VARIABLE = /\{\s*variables\s*\.\s*([\p{L}\p{N}_$-]+)\s*\}/uy
const SYMBOL = /=~\*|!~\*|=~|!~|==|!=|<>|<=|>=|\|\||\?\?|\?\.|::|->|[-+*/%=<>()[\]{},.;:?]/y

// ClickHouse interprets these after a backslash. Before any other character it keeps the backslash.
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '/': '/',
  '=': '=',
}

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const readQuoted = (text: string, start: number, reject: Reject): { value: string; end: number } => {
  const quote = text[start]!
  const parts: string[] = []
  let from = start + 1
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === quote) {
      parts.push(text.slice(from, at))
      if (text[at + 1] !== quote) return { value: parts.join(''), end: at + 1 }
      parts.push(quote)
      from = ++at + 1
    } else if (char === '\\') {
      parts.push(text.slice(from, at))
      const next = text[++at] ?? ''
      const hex = next === 'x' ? /^[0-9a-fA-F]{2}/.exec(text.slice(at + 1, at + 3))?.[0] : undefined
      parts.push(hex ? String.fromCharCode(parseInt(hex, 16)) : (own(ESCAPES, next) ?? `\\${next}`))
      if (hex) at += 2
      from = at + 1
    }
  }
  throw reject('unterminated_string', `This ${quote === "'" ? 'string' : 'quoted name'} has no closing ${quote}`, {
    start,
    end: text.length,
  })
}

// `pair.1` is the first member of a tuple, `1.1` and `(.1)` are numbers, depending on the character before the dot.
const isMemberDot = (text: string, at: number, last: Token | undefined, beforeLast: Token | undefined): boolean => {
  if (text[at] !== '.' || !last || last.end !== at) return false
  if (last.kind === 'number')
    return beforeLast?.kind === 'symbol' && beforeLast.value === '.' && beforeLast.end === last.start
  return last.kind === 'name' || last.kind === 'quoted' || last.value === ')' || last.value === ']'
}

/** Splits the text into tokens, without white space and comments, plus an `end` token. Takes linear time. */
export const tokenize = (text: string, reject: Reject): readonly Token[] => {
  const tokens: Token[] = []
  const push = (kind: TokenKind, start: number, end: number, value = text.slice(start, end)) => {
    tokens.push({ kind, value, start, end })
    return end
  }
  const next = (at: number): number => {
    const char = text[at]!
    const last = tokens.at(-1)
    if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2)
      if (close < 0)
        throw reject('unterminated_comment', 'This comment has no closing */', { start: at, end: text.length })
      return close + 2
    }
    const skipped = matchAt(SKIPPED, text, at)
    if (skipped) return at + skipped[0].length
    if (char === "'") {
      if (last?.end === at && last.kind === 'name' && last.value.toLowerCase() === 'f') {
        throw reject(
          'template_string',
          "Template strings (f'…') are not supported",
          { start: last.start, end: at + 1 },
          "Join the parts: 'text ' || {variables.name}",
        )
      }
      const { value, end } = readQuoted(text, at, reject)
      return push('string', at, end, value)
    }
    if (char === '`' || char === '"') {
      const { value, end } = readQuoted(text, at, reject)
      if (value === '') throw reject('syntax_error', 'A quoted name cannot be empty', { start: at, end })
      return push('quoted', at, end, value)
    }
    const name = matchAt(NAME, text, at)
    if (name) return push('name', at, at + name[0].length)
    if (isMemberDot(text, at, last, tokens.at(-2))) return push('symbol', at, at + 1)
    const isMember = last?.kind === 'symbol' && last.value === '.' && last.end === at
    const number = matchAt(isMember ? DIGITS : NUMBER, text, at)
    if (number) {
      const end = at + number[0].length
      if (matchAt(NAME, text, end))
        throw reject('syntax_error', `'${text.slice(at, end + 1)}' is neither a number nor a name`, {
          start: at,
          end: end + 1,
        })
      return push('number', at, end)
    }
    const variable = matchAt(VARIABLE, text, at)
    if (variable) return push('variable', at, at + variable[0].length, variable[1])
    const symbol = matchAt(SYMBOL, text, at)
    if (symbol) return push('symbol', at, at + symbol[0].length)
    const unknown = String.fromCodePoint(text.codePointAt(at)!)
    throw reject('syntax_error', `Unexpected character '${unknown}'`, { start: at, end: at + unknown.length })
  }
  for (let at = 0; at < text.length;) at = next(at)
  push('end', text.length, text.length, '')
  return tokens
}
