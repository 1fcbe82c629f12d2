import { name as nameSql, type OrderSql, type Sql, type WindowSql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression, Ordering, Window } from '../parse/ast.ts'
import { createCoercions } from './coercions.ts'
import { createArithmeticResolvers } from './resolveArithmetic.ts'
import { createBranchResolvers } from './resolveBranch.ts'
import { createCallResolver } from './resolveCall.ts'
import { createCast, createCastResolver } from './resolveCast.ts'
import { createConditionResolvers } from './resolveCondition.ts'
import { createInResolver } from './resolveIn.ts'
import { createLiteralResolvers } from './resolveLiteral.ts'
import { createNameResolvers } from './resolveName.ts'
import type { ExpressionContext, ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'

// Limits the work for WITH names, which are resolved again at each use. The parser limits the nodes of the text itself.
const MAX_STEPS = 60_000

/** Resolves expressions: names become columns, and values are converted to the type that their context requires. */
export const createExpressionResolver = (expressionContext: ExpressionContext) => {
  const { reject, newName } = expressionContext
  const coercions = createCoercions(reject)

  let steps = 0
  const resolve = (node: Expression, scope: Scope, asFilter = false): Value => {
    if (++steps > MAX_STEPS)
      throw reject('query_too_complex', 'The query is too large once its WITH parts are expanded', node)
    const resolver = resolvers[node.kind] as (node: Expression, scope: Scope, asFilter: boolean) => Value
    return resolver(node, scope, asFilter)
  }

  const textual = (of: Value): Sql => coercions.asString(of).read()
  const plain = (node: Expression, scope: Scope): Sql => textual(resolve(node, scope))
  const condition = (node: Expression, scope: Scope): Sql => coercions.asBoolean(resolve(node, scope, true)).read()

  const lambda = (node: Extract<Expression, { kind: 'lambda' }>, scope: Scope): Value => {
    const names = node.names.map((each) => [each.text, newName('x')] as const)
    const inner = new Map([
      ...scope.lambdaNames,
      ...names.map(([written, made]) => [written, value('unknown', nameSql(made), true)] as const),
    ])
    const body = resolve(node.body, { ...scope, lambdaNames: inner })
    return value('unknown', { kind: 'lambda', names: names.map(([, made]) => made), body: textual(body) })
  }

  const ordering = (orderings: readonly Ordering[], scope: Scope, by = plain): readonly OrderSql[] =>
    orderings.map((each) => ({ by: by(each.by, scope), isDescending: each.isDescending, nulls: each.nulls }))

  const window = (node: Window, scope: Scope): WindowSql => {
    const bound = (of: NonNullable<Window['frame']>['from']) => ({
      kind: of.kind,
      side: of.side,
      offset: of.offset && plain(of.offset, scope),
    })
    return {
      partitionBy: node.partitionBy.map((each) => plain(each, scope)),
      orderBy: ordering(node.orderBy, scope),
      frame: node.frame && {
        unit: node.frame.unit,
        from: bound(node.frame.from),
        to: node.frame.to && bound(node.frame.to),
      },
    }
  }

  const context: ResolverContext = { ...expressionContext, coercions, resolve, condition, textual, plain }
  const cast = createCast(coercions)
  const resolvers: Resolvers = {
    ...createLiteralResolvers(context),
    ...createNameResolvers(context),
    ...createArithmeticResolvers(context),
    ...createConditionResolvers(context),
    ...createInResolver(context),
    ...createBranchResolvers(context),
    ...createCastResolver(context, cast),
    call: createCallResolver({ reject, coercions, cast, resolve, lambda, window }),
    lambda: (node) => {
      throw reject('syntax_error', 'A function with -> can only be an argument', node)
    },
    star: (node) => {
      throw reject('syntax_error', '* can only stand for columns in SELECT and in count(*)', node)
    },
  }

  return { resolve, condition, plain, ordering, textual, comparable: coercions.comparable }
}

export type ExpressionResolver = ReturnType<typeof createExpressionResolver>
