import type { Expression, Window } from '../parse/ast.ts'
import { CAST_FUNCTIONS, type Kind, mayBeNullable } from '../catalog/kinds.ts'
import { call, type Sql, type WindowSql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import { type ArgumentContext, createArgumentResolver } from './callArguments.ts'
import { canonicalName, CLOCK, findFunction, type FoundFunction, functionNames, lookUp } from './findFunction.ts'
import type { Scope } from './scope.ts'
import { type Bounds, bounds, type Signature, wordsFor } from './signature.ts'
import { suggest } from './suggest.ts'
import { own } from '../../lib/own.ts'

type CallNode = Extract<Expression, { kind: 'call' }>

export interface CallContext extends ArgumentContext {
  readonly window: (node: Window, scope: Scope) => WindowSql
}

const countText = (min: number, max: number): string =>
  min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`

const kindOf = (gives: string, args: readonly Value[], words: readonly string[]): Kind => {
  if (gives === 'same') return args[0]?.kind ?? 'unknown'
  if (gives === 'member') return args[0]?.members?.[0]?.kind ?? 'unknown'
  if (gives === 'alike') return args.find((each, at) => words[at] === 'alike' && each.kind !== 'null')?.kind ?? 'null'
  return gives as Kind
}

const isNullable = (name: string, nulls: Signature['nulls'], args: readonly Value[]): boolean => {
  if (name === 'ifNull' || name === 'coalesce') return args.every((each) => each.isNullable)
  return nulls === 'always' || (nulls === 'passes' && args.some((each) => each.isNullable))
}

/** Resolves calls: finds the function, checks the number of arguments, and reads each argument as the function's signature says. */
export const createCallResolver = (context: CallContext) => {
  const { reject, coercions, cast, resolve, window } = context
  const resolveArguments = createArgumentResolver(context)

  const find = (node: CallNode): FoundFunction => {
    const written = node.name.text
    const found = findFunction(written, node.over !== undefined)
    if (found) return found
    throw reject('function_unknown', `There is no function '${written}'`, node.name, suggest(written, functionNames()))
  }

  // ClickHouse writes DISTINCT and FILTER as endings of the function's name.
  const withClauses = (node: CallNode): CallNode => {
    const args =
      node.args.length === 1 && node.args[0]!.kind === 'star' && canonicalName(node.name.text).startsWith('count')
        ? []
        : node.args
    const ending = `${node.isDistinct ? 'Distinct' : ''}${node.filter ? 'If' : ''}`
    if (!ending) return { ...node, args }
    const stem = lookUp(canonicalName(node.name.text), false)
    if (stem?.kind !== 'aggregate')
      throw reject(
        'function_misused',
        `${node.isDistinct ? 'DISTINCT' : 'FILTER'} is allowed with aggregate functions only`,
        node.name,
      )
    // Counts distinct values exactly and, unlike `countDistinct`, takes several columns.
    const combined =
      stem.name === 'count' && node.isDistinct ? `uniqExact${node.filter ? 'If' : ''}` : `${stem.name}${ending}`
    return {
      ...node,
      name: { ...node.name, text: combined },
      args: node.filter ? [...args, node.filter] : args,
      isDistinct: false,
      filter: undefined,
    }
  }

  const checkCount = (node: CallNode, given: number, { min, max }: Bounds, what: string) => {
    if (given < min || given > max)
      throw reject(
        'function_arguments',
        `${node.name.text} expects ${countText(min, max)} ${what}${max === 1 ? '' : 's'}, got ${given}`,
        node,
      )
  }

  const castFunction = (node: CallNode, name: string, scope: Scope): Value => {
    const takesZone = name === 'toDate' || name.startsWith('toDateTime')
    const max = name === 'toDateTime64' ? 3 : takesZone ? 2 : 1
    checkCount(node, node.args.length, { min: 1, max }, 'argument')
    const zone =
      node.args.length === max && takesZone && max > 1 ? resolve(node.args[max - 1]!, scope).read() : undefined
    return cast(resolve(node.args[0]!, scope), own(CAST_FUNCTIONS, name)!, node.args[0]!, zone)
  }

  const plainCall = (written: CallNode, scope: Scope): Value => {
    const node = withClauses(written)
    const { name, kind, signature } = find(node)
    if (kind === 'window' && !node.over) throw reject('function_misused', `${name} requires OVER (…)`, node)
    if (kind === 'scalar' && node.over)
      throw reject('function_misused', `${name} is not an aggregate and cannot have OVER (…)`, node)
    checkCount(node, node.args.length, bounds(signature.takes), 'argument')
    if (node.parameters && !signature.parameters)
      throw reject('function_arguments', `${name} takes no parameters in parentheses before its arguments`, node)
    if (signature.parameters) checkCount(node, node.parameters?.length ?? 0, signature.parameters, 'parameter')
    const words = wordsFor(signature.takes, node.args.length)
    const args = resolveArguments(node.args, words, scope)
    const read = args.map((each) => (each.kind === 'property' ? coercions.asString(each) : each).read())
    // If the row does not exist, lag(), lead() and nth_value() return the empty value of the argument's type, which looks
    // like a stored value.
    if (kind === 'window' && signature.nulls === 'always' && mayBeNullable(args[0]!.kind))
      read[0] = call('toNullable', read[0]!)
    const isNull = isNullable(name, signature.nulls, args)
    const resultKind = kindOf(signature.gives, args, words)
    const sql: Sql = {
      kind: 'call',
      name,
      args: read,
      ...(node.parameters && { parameters: node.parameters.map((each) => constantParameter(each, scope)) }),
      ...(node.over && { over: window(node.over, scope) }),
    }
    return value(resultKind, sql, isNull && (mayBeNullable(resultKind) || resultKind === 'unknown'))
  }

  const constantParameter = (node: Expression, scope: Scope): Sql => {
    if (node.kind === 'number' || node.kind === 'text' || node.kind === 'variable') return resolve(node, scope).read()
    throw reject(
      'function_arguments',
      'A parameter before the arguments must be a number, a string or a variable',
      node,
    )
  }

  return (node: CallNode, scope: Scope): Value => {
    const name = canonicalName(node.name.text)
    if (Object.hasOwn(CLOCK, name) && node.args.length === 0) return own(CLOCK, name)!
    if (Object.hasOwn(CAST_FUNCTIONS, name)) return castFunction(node, name, scope)
    return plainCall(node, scope)
  }
}
