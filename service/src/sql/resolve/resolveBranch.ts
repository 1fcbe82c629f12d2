import { call, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import { comparison } from './compare.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'

/** Resolves `??`, `?:` and CASE. */
export const createBranchResolvers = ({
  coercions,
  resolve,
  condition,
  textual,
}: ResolverContext): Resolvers<'orElse' | 'choice' | 'case'> => {
  const choose = (name: string, before: readonly Sql[], nodes: readonly Expression[], scope: Scope): Value => {
    const branches = coercions.agree(
      nodes.map((each) => resolve(each, scope)),
      nodes,
    )
    const kind = branches.find((each) => each.kind !== 'null')?.kind ?? 'null'
    const isNullable =
      name === 'coalesce' ? branches.every((each) => each.isNullable) : branches.some((each) => each.isNullable)
    return value(kind === 'property' ? 'text' : kind, call(name, ...before, ...branches.map(textual)), isNullable)
  }

  const cases = (node: Extract<Expression, { kind: 'case' }>, scope: Scope): Value => {
    const results = [
      ...node.branches.map(({ then }) => then),
      node.otherwise ?? { kind: 'null' as const, start: node.end, end: node.end },
    ]
    const branches = coercions.agree(
      results.map((each) => resolve(each, scope)),
      results,
    )
    const of = node.of && resolve(node.of, scope)
    const whens = node.branches.map(({ when }) => {
      if (!of) return condition(when, scope)
      const [left, right] = coercions.comparable(of, resolve(when, scope), [node.of, when])
      return comparison('=', left, right, true)
    })
    const kind = branches.find((each) => each.kind !== 'null')?.kind ?? 'null'
    const args = [...whens.flatMap((when, at) => [when, textual(branches[at]!)]), textual(branches.at(-1)!)]
    return value(
      kind === 'property' ? 'text' : kind,
      call('multiIf', ...args),
      branches.some((each) => each.isNullable),
    )
  }

  return {
    orElse: (node, scope) => choose('coalesce', [], node.terms, scope),
    choice: (node, scope) => choose('if', [condition(node.condition, scope)], [node.then, node.otherwise], scope),
    case: cases,
  }
}
