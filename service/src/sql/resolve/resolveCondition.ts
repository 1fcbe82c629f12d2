import { call, infix, text, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import { comparison } from './compare.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'

const MATCH_CALLS = {
  like: (left: Sql, right: Sql) => call('like', left, right),
  ilike: (left: Sql, right: Sql) => call('ilike', left, right),
  regexp: (left: Sql, right: Sql) => call('match', left, right),
  iregexp: (left: Sql, right: Sql) => call('match', left, call('concat', text('(?i)'), right)),
} as const

export const FALSE: Sql = { kind: 'boolean', value: false }
export const TRUE: Sql = { kind: 'boolean', value: true }

// Conditions are never NULL: a missing value does not match, so a negated condition accepts it.
export const decided = (test: Sql, isNullable: boolean, isNot: boolean, asFilter: boolean): Value => {
  if (isNullable && isNot) return value('boolean', call('ifNull', test, TRUE))
  return value('boolean', isNullable && !asFilter ? call('ifNull', test, FALSE) : test)
}

/** Resolves comparisons, pattern matching and logical operators. */
export const createConditionResolvers = ({
  coercions,
  resolve,
}: ResolverContext): Resolvers<'logic' | 'not' | 'compare' | 'match' | 'isNull' | 'between'> => {
  const logic = (node: Extract<Expression, { kind: 'logic' }>, scope: Scope, asFilter: boolean): Value => {
    const terms = node.terms.map((each) => coercions.asBoolean(resolve(each, scope, asFilter)))
    const operator = node.operator === 'and' ? 'AND' : 'OR'
    return value(
      'boolean',
      {
        kind: 'infix',
        first: terms[0]!.read(),
        rest: terms.slice(1).map((each) => ({ operator, right: each.read() })),
      },
      terms.some((each) => each.isNullable),
    )
  }

  const match = (node: Extract<Expression, { kind: 'match' }>, scope: Scope, asFilter: boolean): Value => {
    const [left, right] = [
      coercions.asString(resolve(node.left, scope)),
      coercions.asString(resolve(node.right, scope)),
    ]
    const test = MATCH_CALLS[node.operator](left.read(), right.read())
    return decided(node.isNot ? call('not', test) : test, left.isNullable || right.isNullable, node.isNot, asFilter)
  }

  const between = (node: Extract<Expression, { kind: 'between' }>, scope: Scope, asFilter: boolean): Value => {
    const of = resolve(node.of, scope)
    const [above, low] = coercions.comparable(of, resolve(node.low, scope), [node.of, node.low])
    const [below, high] = coercions.comparable(of, resolve(node.high, scope), [node.of, node.high])
    const test = infix(infix(above.read(), '>=', low.read()), 'AND', infix(below.read(), '<=', high.read()))
    const isNullable = [above, low, below, high].some((each) => each.isNullable)
    return decided(node.isNot ? call('not', test) : test, isNullable, node.isNot, asFilter)
  }

  return {
    logic,
    match,
    between,
    not: (node, scope) => {
      const of = coercions.asBoolean(resolve(node.of, scope))
      return value('boolean', call('not', of.read()), of.isNullable)
    },
    compare: (node, scope, asFilter) => {
      const [left, right] = coercions.comparable(resolve(node.left, scope), resolve(node.right, scope), [
        node.left,
        node.right,
      ])
      return value('boolean', comparison(node.operator, left, right, asFilter))
    },
    isNull: (node, scope) =>
      value('boolean', call(node.isNot ? 'isNotNull' : 'isNull', resolve(node.of, scope).read())),
  }
}
