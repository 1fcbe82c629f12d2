import type { ChainOperator, CompareOperator, MatchOperator } from './ast.ts'

/** Precedence levels, lowest first. `??` binds less tightly than a comparison, as in HogQL. */
export const LEVEL = {
  choice: 1,
  or: 2,
  and: 3,
  not: 4,
  orElse: 5,
  compare: 6,
  sum: 7,
  product: 8,
  minus: 9,
  postfix: 10,
} as const

export const COMPARISONS: Readonly<Record<string, CompareOperator>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

export const MATCHES: Readonly<Record<string, { operator: MatchOperator; isNot: boolean }>> = {
  '=~': { operator: 'regexp', isNot: false },
  '!~': { operator: 'regexp', isNot: true },
  '=~*': { operator: 'iregexp', isNot: false },
  '!~*': { operator: 'iregexp', isNot: true },
}

export const CHAINS: Readonly<Record<string, { operator: ChainOperator; level: number }>> = {
  '+': { operator: '+', level: LEVEL.sum },
  '-': { operator: '-', level: LEVEL.sum },
  '||': { operator: '||', level: LEVEL.sum },
  '*': { operator: '*', level: LEVEL.product },
  '/': { operator: '/', level: LEVEL.product },
  '%': { operator: '%', level: LEVEL.product },
}

/** Words that may follow an infix NOT. */
export const WORD_TESTS = ['in', 'like', 'ilike', 'between'] as const
