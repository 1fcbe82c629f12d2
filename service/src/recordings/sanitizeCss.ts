import { tokenize, tokenTypes as TYPE } from 'css-tree/tokenizer'
import { ident, string, url } from 'css-tree/utils'
import { wellFormed } from '../lib/storableJson.ts'
import { isFontUrl, isSafeUrl as isSafe } from './safeUrl.ts'

const isSafeUrl = (value: string): boolean => isSafe(value) || isFontUrl(value.trimStart())

/** Functions that load what a string in them, or a variable, names. Browsers know no function `none`. */
const LOADING_FUNCTIONS: ReadonlySet<string> = new Set([
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  '-webkit-cross-fade',
  'src',
])

/** Rules that name URLs and end with a semicolon. */
const LOADING_RULES: ReadonlySet<string> = new Set(['import', 'namespace'])

const CLOSERS: ReadonlyMap<number, number> = new Map([
  [TYPE.Function, TYPE.RightParenthesis],
  [TYPE.LeftParenthesis, TYPE.RightParenthesis],
  [TYPE.LeftSquareBracket, TYPE.RightSquareBracket],
  [TYPE.LeftCurlyBracket, TYPE.RightCurlyBracket],
])

const GAPS: ReadonlySet<number> = new Set([TYPE.WhiteSpace, TYPE.Comment])

const TOKENS_THAT_LOAD: ReadonlySet<number> = new Set([TYPE.Url, TYPE.BadUrl, TYPE.Function, TYPE.AtKeyword])

// Without an escape, whatever loads is there by its name.
const MAY_LOAD = /\\|url|image|cross-fade|src|@import|@namespace/i

/**
 * Does the replacements that browsers do before they parse a style sheet.
 * https://www.w3.org/TR/css-syntax-3/#input-preprocessing
 */
const preprocess = (css: string): string => wellFormed(css.replace(/\r\n?|\f/g, '\n')).replaceAll('\0', '\ufffd')

/** The tokens of a style sheet. Numbers only, because a large one has hundreds of thousands. */
interface Tokens {
  readonly types: readonly number[]
  /** The token `at` ends before this index of the text, and the next one begins there. */
  readonly ends: readonly number[]
}

const tokensOf = (css: string): Tokens => {
  const [types, ends]: [number[], number[]] = [[], []]
  tokenize(css, (type, _, end) => {
    types.push(type)
    ends.push(end)
  })
  return { types, ends }
}

/** Returns the index of the next token of a type, but not one inside of brackets. */
const find = (types: readonly number[], from: number, wanted: number): number => {
  const open: number[] = []
  for (let at = from; at < types.length; at += 1) {
    const type = types[at]!
    if (!open.length && type === wanted) return at
    const closer = CLOSERS.get(type)
    if (closer !== undefined) open.push(closer)
    else if (type === open.at(-1)) open.pop()
  }
  return types.length
}

// Without a separator, the text on both sides of a dropped part could become one token.
const separated = (css: string): string => (/(?:^|[\s;{}])$/.test(css.slice(-1)) ? css : `${css}/**/`)

/** Returns a style sheet, or the value of a property, without anything that is loaded. The rest stays unchanged. */
export const sanitizeCss = (given: string): string => {
  if (!MAY_LOAD.test(given)) return given
  const css = preprocess(given)
  const { types, ends } = tokensOf(css)
  const endOf = (at: number) => ends[at] ?? css.length
  let safe = ''
  /** Index up to which the text has been copied to `safe` or dropped. */
  let doneTo = 0
  const replace = (start: number, end: number, by: string) => {
    safe += css.slice(doneTo, start) + by
    doneTo = end
  }

  /** Returns whether the arguments of `url(`, between two tokens, are one string with a URL that loads nothing. */
  const isSafeArgument = (from: number, to: number): boolean => {
    const own = [...types.slice(from, to).keys()].map((at) => from + at).filter((at) => !GAPS.has(types[at]!))
    const [at = 0] = own
    const isText = own.length === 1 && types[at] === TYPE.String
    return isText && isSafeUrl(string.decode(css.slice(endOf(at - 1), endOf(at))))
  }

  for (let at = 0; at < types.length; at += 1) {
    const type = types[at]!
    if (!TOKENS_THAT_LOAD.has(type)) continue
    const [start, end] = [at ? endOf(at - 1) : 0, endOf(at)]
    const text = css.slice(start, end)
    if (type === TYPE.Url || type === TYPE.BadUrl) {
      if (type === TYPE.BadUrl || !isSafeUrl(url.decode(text))) replace(start, end, 'url()')
    } else if (type === TYPE.Function) {
      const name = ident.decode(text.slice(0, -1)).toLowerCase()
      if (LOADING_FUNCTIONS.has(name)) replace(start, end, 'none(')
      if (name !== 'url') continue
      const close = find(types, at + 1, TYPE.RightParenthesis)
      // With an escape in its name, its content is another token for browsers.
      if (text.length !== 'url('.length || !isSafeArgument(at + 1, close)) replace(start, endOf(close), 'url()')
      at = close
    } else if (LOADING_RULES.has(ident.decode(text.slice(1)).toLowerCase())) {
      at = find(types, at + 1, TYPE.Semicolon)
      replace(start, endOf(at), '')
      safe = separated(safe)
    }
  }
  return safe + css.slice(doneTo)
}
