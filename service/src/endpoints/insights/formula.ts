import { own } from '../../lib/own.ts'

/** A formula over series A, B, …. Returns its value at one point. Division by zero returns 0. */
export type Formula = (values: readonly number[]) => number

const TOKEN = /\s*([A-Z]|\d+\.?\d*|\.\d+|[-+*/()])/y
const MAX_LENGTH = 500

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0 ? 0 : a / b),
}

const tokensOf = (text: string): string[] | undefined => {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  const end = text.trimEnd().length
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    tokens.push(match[1]!)
  }
  return tokens
}

/** Parses a formula over a number of series. Returns `undefined` if it is invalid. */
export const parseFormula = (text: string, series: number): Formula | undefined => {
  const tokens = text.length <= MAX_LENGTH ? tokensOf(text) : undefined
  if (!tokens?.length) return undefined
  let at = 0
  let isWrong = false
  const fail = (): Formula => {
    isWrong = true
    return () => 0
  }
  const chain = (operators: string, part: () => Formula): Formula => {
    let left = part()
    while (tokens[at] && operators.includes(tokens[at]!)) {
      const [apply, first, second] = [own(OPERATIONS, tokens[at++]!)!, left, part()]
      left = (values) => apply(first(values), second(values))
    }
    return left
  }
  const sum = (): Formula => chain('+-', product)
  const product = (): Formula => chain('*/', factor)
  const factor = (): Formula => {
    const token = tokens[at++]
    if (token === undefined) return fail()
    if (token === '-') {
      const of = factor()
      return (values) => -of(values)
    }
    if (token === '(') {
      const inner = sum()
      return tokens[at++] === ')' ? inner : fail()
    }
    if (/^[A-Z]$/.test(token)) {
      const index = token.charCodeAt(0) - 65
      return index < series ? (values) => values[index]! : fail()
    }
    const number = Number(token)
    return Number.isFinite(number) ? () => number : fail()
  }
  const formula = sum()
  return isWrong || at < tokens.length ? undefined : formula
}
