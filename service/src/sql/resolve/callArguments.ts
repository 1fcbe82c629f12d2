import type { Kind } from '../catalog/kinds.ts'
import { call, text } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import type { Coercions } from './coercions.ts'
import type { Cast } from './resolveCast.ts'
import type { Scope } from './scope.ts'

export interface ArgumentContext {
  readonly reject: Reject
  readonly coercions: Coercions
  readonly cast: Cast
  readonly resolve: (node: Expression, scope: Scope) => Value
  readonly lambda: (node: Extract<Expression, { kind: 'lambda' }>, scope: Scope) => Value
}

/** Resolves a call's arguments. The word at their place in the function's signature determines how each is read. */
export const createArgumentResolver = ({ reject, coercions, cast, resolve, lambda }: ArgumentContext) => {
  const asInteger = (of: Value, span: Span): Value => {
    if (of.kind === 'property') return cast(of, 'int', span)
    const number = coercions.asNumber(of)
    return number.width === 'float'
      ? { ...value('number', call('toInt64', number.read()), number.isNullable), width: 'integer' }
      : number
  }

  const argument = (node: Expression, word: string, scope: Scope): Value => {
    if (node.kind === 'lambda') {
      if (!word.includes('lambda')) throw reject('function_arguments', 'A function with -> is not allowed here', node)
      return lambda(node, scope)
    }
    const of = resolve(node, scope)
    switch (word) {
      case 'any':
      case 'key':
      case 'array':
      case 'lambda|array':
        return coercions.asString(of)
      // The largest or smallest value of a property usually means a number; as a string, 9 would be greater than 10.
      case 'ordered':
        return of.kind === 'property' ? coercions.asNumber(of) : coercions.asString(of)
      case 'alike':
        return of
      case 'integer':
        return asInteger(of, node)
      // The result may be an array, which cannot be NULL.
      case 'json': {
        const json = coercions.asString(of)
        return json.isNullable ? value('text', call('ifNull', json.read(), text(''))) : json
      }
      case 'lambda':
        throw reject('function_arguments', 'Expected a function: x -> …', node)
      default:
        return coercions.coerce(of, word as Kind, node)
    }
  }

  const withAgreement = (
    values: readonly Value[],
    words: readonly string[],
    nodes: readonly Span[],
  ): readonly Value[] => {
    const places = words.flatMap((word, at) => (word === 'alike' ? [at] : []))
    if (places.length === 0) return values
    const agreed = coercions.agree(
      places.map((at) => values[at]!),
      places.map((at) => nodes[at]!),
    )
    return values.map((each, at) => agreed[places.indexOf(at)] ?? each)
  }

  return (nodes: readonly Expression[], words: readonly string[], scope: Scope): readonly Value[] =>
    withAgreement(
      nodes.map((each, at) => argument(each, words[at]!, scope)),
      words,
      nodes,
    )
}
