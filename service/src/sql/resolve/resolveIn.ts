import { call, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import { decided, FALSE, TRUE } from './resolveCondition.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import { type CommonTable, findCommonTable, type Scope } from './scope.ts'

type InNode = Extract<Expression, { kind: 'in' }>

/** Resolves IN with a subquery, a name from WITH, or a list. */
export const createInResolver = ({
  reject,
  coercions,
  resolve,
  subquery,
  textual,
}: ResolverContext): Resolvers<'in'> => {
  const namedTable = (node: Expression, scope: Scope): CommonTable | undefined =>
    node.kind === 'field' && node.path.length === 1 ? findCommonTable(scope, node.path[0]!.text) : undefined

  const inTable = (node: InNode, left: Value, table: CommonTable, asFilter: boolean): Value => {
    const { isNot } = node
    const { query, columns } = subquery(table.query, table.scope)
    const width = left.kind === 'tuple' ? (left.members?.length ?? columns.length) : 1
    if (columns.length !== width)
      throw reject(
        'syntax_error',
        `This IN requires a subquery with ${width === 1 ? 'one column' : `${width} columns`}, got ${columns.length}`,
        node.right,
      )
    const [only] = columns
    const read =
      only && width === 1
        ? coercions.coerce(left, left.kind === 'property' && only.kind !== 'property' ? only.kind : 'text', node.left)
        : left
    return decided(
      { kind: 'in', isNot, left: textual(read), right: { kind: 'query', query } },
      left.isNullable,
      isNot,
      asFilter,
    )
  }

  const inList = (node: InNode, left: Value, scope: Scope, asFilter: boolean): Value => {
    const { isNot } = node
    const items = node.right.kind === 'tuple' || node.right.kind === 'array' ? node.right.items : [node.right]
    const members = items.map((each) => resolve(each, scope))
    const [one] = members
    if (one?.kind === 'array' && items.length === 1) {
      const operand =
        left.kind === 'number'
          ? value('text', call('toString', left.read()), left.isNullable)
          : coercions.asString(left)
      return decided(call(isNot ? 'notIn' : 'in', operand.read(), one.read()), left.isNullable, isNot, asFilter)
    }
    if (items.length === 0) return value('boolean', isNot ? TRUE : FALSE)
    const pairs = members.map((each, at) => coercions.comparable(left, each, [node.left, items[at]!]))
    // All members are read alike: as strings if any of them is a string.
    const isMixed = new Set(pairs.map(([own]) => own.kind)).size > 1
    const operand = isMixed ? coercions.asString(left) : pairs[0]![0]
    const list = isMixed
      ? members.map((each) => (each.kind === 'number' ? call('toString', each.read()) : textual(each)))
      : pairs.map(([, other]) => other.read())
    const test: Sql = { kind: 'in', isNot, left: operand.read(), right: call('tuple', ...list) }
    return decided(test, left.isNullable, isNot, asFilter)
  }

  return {
    in: (node, scope, asFilter) => {
      const left = resolve(node.left, scope)
      const table = node.right.kind === 'subquery' ? { query: node.right.query, scope } : namedTable(node.right, scope)
      return table ? inTable(node, left, table, asFilter) : inList(node, left, scope, asFilter)
    },
  }
}
