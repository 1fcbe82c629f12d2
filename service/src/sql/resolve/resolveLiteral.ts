import { constantOf } from '../catalog/constant.ts'
import { call, text } from '../catalog/physical.ts'
import { valueOfKind } from '../catalog/properties.ts'
import { value } from '../catalog/value.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'

type LiteralKind = 'text' | 'number' | 'boolean' | 'null' | 'variable' | 'interval' | 'array' | 'tuple' | 'subquery'

/** Resolves literals, variables, lists and subqueries used as values. */
export const createLiteralResolvers = ({
  reject,
  variable,
  subquery,
  coercions,
  resolve,
  textual,
}: ResolverContext): Resolvers<LiteralKind> => ({
  text: (node) => ({ ...value('text', text(node.value)), constant: constantOf(node.value) }),
  number: (node) => ({
    ...value('number', { kind: 'number', digits: node.digits }),
    constant: constantOf(node.digits),
  }),
  boolean: (node) => ({
    ...value('boolean', { kind: 'boolean', value: node.value }),
    constant: constantOf(node.value),
  }),
  null: () => value('null', { kind: 'null' }, true),
  variable: (node) => variable(node.name, node),
  interval: (node, scope) => {
    const amount = coercions.asNumber(resolve(node.amount, scope))
    const unit = node.unit[0]!.toUpperCase() + node.unit.slice(1)
    // Intervals count in whole units, and a bound number may be a Float64.
    const whole =
      amount.kind === 'number' && node.amount.kind === 'number' ? amount.read() : call('toInt64', amount.read())
    return value('interval', call(`toInterval${unit}`, whole))
  },
  array: (node, scope) => {
    const members = coercions.agree(
      node.items.map((each) => resolve(each, scope)),
      node.items,
    )
    return { ...value('array', call('array', ...members.map(textual))), members }
  },
  tuple: (node, scope) => {
    const members = node.items.map((each) => coercions.asString(resolve(each, scope)))
    return { ...value('tuple', call('tuple', ...members.map((each) => each.read()))), members }
  },
  subquery: (node, scope) => {
    const { query, columns } = subquery(node.query, scope)
    const [only] = columns
    if (columns.length !== 1 || !only)
      throw reject('syntax_error', `A subquery used as a value must have one column, got ${columns.length}`, node)
    return valueOfKind(only.kind, { kind: 'query', query }, true)
  },
})
