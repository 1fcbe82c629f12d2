import type { Kind } from '../catalog/kinds.ts'
import { call, infix, type InfixOperator, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import type { Span } from '../parse/queryError.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'

// Chains of one operator of at least this length are printed as a balanced tree. Shorter ones keep their order.
const LONG_CHAIN = 100

interface Link {
  readonly operator: InfixOperator
  readonly right: Sql
}

// The engine parses a chain as a left-leaning tree of limited depth. Halves of halves give the same result.
const balanced = (terms: readonly Sql[], operator: InfixOperator): Sql => {
  if (terms.length === 1) return terms[0]!
  const middle = terms.length >> 1
  return infix(balanced(terms.slice(0, middle), operator), operator, balanced(terms.slice(middle), operator))
}

const closed = (first: Sql, rest: readonly Link[]) => (): Sql => {
  const { operator } = rest[0]!
  const isEven =
    (operator === '+' || operator === '*') &&
    rest.length >= LONG_CHAIN &&
    rest.every((each) => each.operator === operator)
  return isEven ? balanced([first, ...rest.map(({ right }) => right)], operator) : { kind: 'infix', first, rest }
}

const kindOfSum = (left: Value, right: Value): Kind => {
  if (right.kind === 'interval') return left.kind === 'interval' ? 'interval' : 'time'
  if (left.kind === 'interval') return right.kind
  const isTemporal = (of: Value) => of.kind === 'time' || of.kind === 'date'
  if (isTemporal(left) && isTemporal(right)) return 'number'
  return isTemporal(left)
    ? left.kind
    : isTemporal(right)
      ? right.kind
      : left.kind === 'unknown' && right.kind === 'unknown'
        ? 'unknown'
        : 'number'
}

/** Resolves `+ - * / % ||` and unary minus. */
export const createArithmeticResolvers = ({
  coercions,
  resolve,
  textual,
}: ResolverContext): Resolvers<'chain' | 'minus'> => {
  // The other operand of an interval is a timestamp. All other operands are numbers, or timestamps subtracted from each other.
  const operandsOf = (left: Value, right: Value, leftSpan: Span, rightSpan: Span): readonly [Value, Value] => {
    if (right.kind === 'interval') return [coercions.asTime(left, leftSpan), right]
    if (left.kind === 'interval') return [left, coercions.asTime(right, rightSpan)]
    return [coercions.asNumber(left), coercions.asNumber(right)]
  }

  const chain = (node: Extract<Expression, { kind: 'chain' }>, scope: Scope): Value => {
    const operands = [node.first, ...node.rest.map(({ right }) => right)]
    const values = operands.map((each) => resolve(each, scope))
    if (node.rest.every(({ operator }) => operator === '||')) {
      return value(
        'text',
        call('concat', ...values.map(textual)),
        values.some((each) => each.isNullable),
      )
    }
    let sum = values[0]!
    let links: Link[] = []
    let first: Sql | undefined
    node.rest.forEach(({ operator }, at) => {
      const right = values[at + 1]!
      if (operator === '||') {
        const left = first ? { ...sum, read: closed(first, links) } : sum
        sum = value('text', call('concat', textual(left), textual(right)), left.isNullable || right.isNullable)
        first = undefined
        links = []
        return
      }
      const [a, b] = operandsOf(sum, right, operands[at]!, operands[at + 1]!)
      first ??= a.read()
      links.push({ operator, right: b.read() })
      sum = { kind: kindOfSum(a, b), isNullable: a.isNullable || b.isNullable, read: a.read }
    })
    return first ? value(sum.kind, closed(first, links)(), sum.isNullable) : sum
  }

  return {
    chain,
    minus: (node, scope) => {
      const of = coercions.asNumber(resolve(node.of, scope))
      return value(of.kind, call('negate', of.read()), of.isNullable)
    },
  }
}
