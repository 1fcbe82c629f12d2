import type { Expression, Window } from '../parse/ast.ts'
import { type Coercions, integerOfText, timeOfText } from './coerce.ts'
import { AGGREGATES, COMBINATORS } from '../catalog/functions/aggregates.ts'
import { SCALARS } from '../catalog/functions/scalars.ts'
import { SYNONYMS } from '../catalog/functions/synonyms.ts'
import { WINDOW_FUNCTIONS } from '../catalog/functions/windows.ts'
import { CAST_FUNCTIONS, CAST_TYPES, type Kind, mayBeNullable } from '../catalog/kinds.ts'
import { call, text, type Sql, type WindowSql } from '../catalog/physical.ts'
import type { Refuse, Span } from '../parse/queryError.ts'
import type { Scope } from './scope.ts'
import { suggest } from './suggest.ts'
import { value, type Value } from '../catalog/value.ts'

type CallNode = Extract<Expression, { kind: 'call' }>
type FunctionKind = 'scalar' | 'aggregate' | 'window'

interface Signature {
  readonly takes: readonly { readonly word: string; readonly isOptional: boolean; readonly isRepeated: boolean }[]
  readonly parameters?: { readonly min: number; readonly max: number }
  readonly gives: string
  readonly nulls: 'passes' | 'never' | 'always'
}

interface Found {
  readonly name: string
  readonly kind: FunctionKind
  readonly signature: Signature
}

/** What resolving a call needs of the rest of the resolver. */
export interface CallContext {
  readonly refuse: Refuse
  readonly coercions: Coercions
  readonly resolve: (node: Expression, scope: Scope) => Value
  readonly lambda: (node: Extract<Expression, { kind: 'lambda' }>, scope: Scope) => Value
  readonly window: (node: Window, scope: Scope) => WindowSql
}

const UTC = text('UTC')
const now: Sql = { kind: 'call', name: 'now64', args: [{ kind: 'number', digits: '3' }, UTC] }

// Functions without arguments whose ClickHouse namesakes would answer in the server's zone.
const CLOCK: Readonly<Record<string, Value>> = {
  now: value('time', now),
  current_timestamp: value('time', now),
  today: value('date', call('toDate', now)),
  yesterday: value('date', call('toDate', call('subtractDays', now, { kind: 'number', digits: '1' }))),
}

const widthOf = (type: string): Value['width'] =>
  type === 'Float64' ? 'float' : type === 'Int64' ? 'integer' : undefined

const parseWord = (written: string) => ({
  word: written.replace(/(\?|\.\.\.)$/, ''),
  isOptional: written.endsWith('?'),
  isRepeated: written.endsWith('...'),
})

// After a lambda that may be left out, its arrays may be too: `arraySort(list)` has the list in the lambda's place.
const bounds = (takes: Signature['takes']): { min: number; max: number } => ({
  min: takes.filter(
    ({ isOptional, isRepeated }, at) => !isOptional && !(isRepeated && takes[at - 1]?.word === 'lambda|array'),
  ).length,
  max: takes.some(({ isRepeated }) => isRepeated) ? Infinity : takes.length,
})

const parseSignature = (written: string): Signature => {
  const [left = '', right = ''] = written.split('->').map((side) => side.trim())
  const inner = /^\(([^)]*)\)\s*(.*)$/.exec(left)
  const words = (list: string) => list.split(' ').filter(Boolean).map(parseWord)
  return {
    takes: words(inner ? inner[2]! : left),
    ...(inner && { parameters: bounds(words(inner[1]!)) }),
    gives: right.replace(/[!?]$/, ''),
    nulls: right.endsWith('!') ? 'never' : right.endsWith('?') ? 'always' : 'passes',
  }
}

const TABLES_OF_FUNCTIONS = [
  ['scalar', SCALARS],
  ['aggregate', AGGREGATES],
  ['window', WINDOW_FUNCTIONS],
] as const

let byLowerCase: ReadonlyMap<string, string> | undefined
const canonicalName = (written: string): string => {
  byLowerCase ??= new Map(
    [
      ...TABLES_OF_FUNCTIONS.flatMap(([, table]) => Object.keys(table)),
      ...Object.keys(CAST_FUNCTIONS),
      ...Object.keys(CLOCK),
    ].map((name) => [name.toLowerCase(), name]),
  )
  const lower = written.toLowerCase()
  return (Object.hasOwn(SYNONYMS, lower) ? SYNONYMS[lower] : undefined) ?? byLowerCase.get(lower) ?? written
}

const lookUp = (name: string, isOver: boolean): Found | undefined => {
  if (isOver && Object.hasOwn(WINDOW_FUNCTIONS, name))
    return { name, kind: 'window', signature: parseSignature(WINDOW_FUNCTIONS[name]!) }
  for (const [kind, table] of TABLES_OF_FUNCTIONS) {
    if (Object.hasOwn(table, name)) return { name, kind, signature: parseSignature(table[name]!) }
  }
  return undefined
}

// `sumIf`, `uniqExactIf`, `countDistinctIf`: endings come off from the right.
const lookUpCombined = (written: string): Found | undefined => {
  for (const [ending, { takes, mayBeNull }] of Object.entries(COMBINATORS)) {
    if (written.length <= ending.length || !written.toLowerCase().endsWith(ending.toLowerCase())) continue
    const stem = written.slice(0, -ending.length)
    const base = lookUpCombined(stem) ?? lookUp(canonicalName(stem), false)
    if (base?.kind !== 'aggregate') continue
    const { signature } = base
    const isArray = ending === 'Array'
    const added = takes.map((word) => ({ word, isOptional: false, isRepeated: false }))
    const own = isArray ? signature.takes.map((each) => ({ ...each, word: 'array' })) : signature.takes
    const gives = isArray && signature.gives === 'same' ? 'unknown' : signature.gives
    return {
      name: `${base.name}${ending}`,
      kind: 'aggregate',
      signature: { ...signature, takes: [...own, ...added], gives, nulls: mayBeNull ? 'always' : signature.nulls },
    }
  }
  return undefined
}

const allNames = (): readonly string[] => [
  ...TABLES_OF_FUNCTIONS.flatMap(([, table]) => Object.keys(table)),
  ...Object.keys(CAST_FUNCTIONS),
  ...Object.keys(CLOCK),
  'countDistinct',
]

// Which word of the signature each argument answers: trailing words are matched from the end, so that `-If`'s condition is the last argument.
const wordsFor = (takes: Signature['takes'], count: number): readonly string[] => {
  const repeatAt = takes.findIndex(({ isRepeated }) => isRepeated)
  if (repeatAt >= 0) {
    const tail = takes.length - repeatAt - 1
    return Array.from(
      { length: count },
      (_, at) =>
        (at < repeatAt ? takes[at]! : at >= count - tail ? takes[takes.length - (count - at)]! : takes[repeatAt]!).word,
    )
  }
  const surplus = takes.length - count
  const optional = takes.map(({ isOptional }, at) => (isOptional ? at : -1)).filter((at) => at >= 0)
  const left = new Set(optional.slice(optional.length - surplus))
  return takes.filter((_, at) => !left.has(at)).map(({ word }) => word)
}

const countText = (min: number, max: number): string =>
  min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`

/** Resolves calls of functions: finds the row, checks the number of arguments, reads each argument as the row asks. */
export const createCallResolver = ({ refuse, coercions, resolve, lambda, window }: CallContext) => {
  const find = (node: CallNode): Found => {
    const written = node.name.text
    const found = lookUp(canonicalName(written), node.over !== undefined) ?? lookUpCombined(written)
    if (found) return found
    throw refuse('function_unknown', `There is no function '${written}'`, node.name, suggest(written, allNames()))
  }

  const asInteger = (of: Value, span: Span): Value => {
    if (of.kind === 'property') return cast(of, 'int', span)
    const number = coercions.asNumber(of)
    return number.width === 'float'
      ? { ...value('number', call('toInt64', number.read()), number.isNullable), width: 'integer' }
      : number
  }

  const argument = (node: Expression, word: string, scope: Scope): Value => {
    const mayBeLambda = word.includes('lambda')
    if (node.kind === 'lambda') {
      if (!mayBeLambda) throw refuse('function_arguments', 'A function with -> cannot stand here', node)
      return lambda(node, scope)
    }
    const of = resolve(node, scope)
    switch (word) {
      case 'any':
      case 'key':
      case 'array':
      case 'lambda|array':
        return coercions.asText(of)
      // Largest and smallest mean numbers to most who ask for them of a property; as text, 9 would be more than 10.
      case 'ordered':
        return of.kind === 'property' ? coercions.asNumber(of) : coercions.asText(of)
      case 'alike':
        return of
      case 'integer':
        return asInteger(of, node)
      // What comes out may be an array, which cannot be NULL.
      case 'json': {
        const json = coercions.asText(of)
        return json.isNullable ? value('text', call('ifNull', json.read(), text(''))) : json
      }
      case 'lambda':
        throw refuse('function_arguments', 'Expected a function: x -> …', node)
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

  // DISTINCT and FILTER are endings of the function's name in ClickHouse.
  const withClauses = (node: CallNode): CallNode => {
    const args =
      node.args.length === 1 && node.args[0]!.kind === 'star' && canonicalName(node.name.text).startsWith('count')
        ? []
        : node.args
    const ending = `${node.isDistinct ? 'Distinct' : ''}${node.filter ? 'If' : ''}`
    if (!ending) return { ...node, args }
    const stem = lookUp(canonicalName(node.name.text), false)
    if (stem?.kind !== 'aggregate')
      throw refuse(
        'function_misused',
        `${node.isDistinct ? 'DISTINCT' : 'FILTER'} goes with aggregate functions only`,
        node.name,
      )
    // The exact count of different values, which unlike `countDistinct` takes several columns too.
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

  const checkCount = (node: CallNode, given: number, { min, max }: { min: number; max: number }, what: string) => {
    if (given < min || given > max)
      throw refuse(
        'function_arguments',
        `${node.name.text} takes ${countText(min, max)} ${what}${max === 1 ? '' : 's'}, not ${given}`,
        node,
      )
  }

  /** A value as another type. Text that holds no such value gives NULL; anything else the engine converts. */
  const cast = (of: Value, typeName: string, span: Span, zone: Sql = UTC): Value => {
    const row = CAST_TYPES[typeName]!
    if (row.kind === 'text')
      return coercions.asText(of).kind === 'text'
        ? coercions.asText(of)
        : value('text', call('toString', of.read()), of.isNullable)
    if (row.kind === 'boolean') {
      if (of.kind === 'property' || of.constant === 'true' || of.constant === 'false') return coercions.asBoolean(of)
    }
    if (row.kind === 'time' || row.kind === 'date') {
      const asTime =
        (of.kind === 'text' && of.constant === undefined) || of.kind === 'property'
          ? value('time', timeOfText((of.scalar ?? of.read)(), zone), true)
          : coercions.asTime(of, span)
      const read = asTime.read()
      return value(
        row.kind,
        row.kind === 'date' ? call('toDate', read) : call('toDateTime64', read, { kind: 'number', digits: '3' }, zone),
        asTime.isNullable,
      )
    }
    if (of.kind === 'text' || of.kind === 'property') {
      const scalar = (of.scalar ?? of.read)()
      if (row.type.startsWith('Float'))
        return { ...value('number', call(`to${row.type}OrNull`, scalar), true), width: widthOf(row.type) }
      if (row.kind === 'number')
        return { ...value('number', integerOfText(scalar, row.type), true), width: widthOf(row.type) }
      if (row.kind === 'uuid') return value('uuid', call('toUUIDOrNull', scalar), true)
    }
    return {
      ...value(
        row.kind,
        call('CAST', of.read(), text(of.isNullable ? `Nullable(${row.type})` : row.type)),
        of.isNullable,
      ),
      width: widthOf(row.type),
    }
  }

  const castFunction = (node: CallNode, name: string, scope: Scope): Value => {
    const takesZone = name === 'toDate' || name.startsWith('toDateTime')
    const max = name === 'toDateTime64' ? 3 : takesZone ? 2 : 1
    checkCount(node, node.args.length, { min: 1, max }, 'argument')
    const zone =
      node.args.length === max && takesZone && max > 1 ? resolve(node.args[max - 1]!, scope).read() : undefined
    return cast(resolve(node.args[0]!, scope), CAST_FUNCTIONS[name]!, node.args[0]!, zone)
  }

  const plainCall = (written: CallNode, scope: Scope): Value => {
    const node = withClauses(written)
    const { name, kind, signature } = find(node)
    if (kind === 'window' && !node.over) throw refuse('function_misused', `${name} needs OVER (…)`, node)
    if (kind === 'scalar' && node.over)
      throw refuse('function_misused', `${name} is not an aggregate and cannot have OVER (…)`, node)
    checkCount(node, node.args.length, bounds(signature.takes), 'argument')
    if (node.parameters && !signature.parameters)
      throw refuse('function_arguments', `${name} takes no parameters before its arguments`, node)
    if (signature.parameters) checkCount(node, node.parameters?.length ?? 0, signature.parameters, 'parameter')
    const words = wordsFor(signature.takes, node.args.length)
    const args = withAgreement(
      node.args.map((each, at) => argument(each, words[at]!, scope)),
      words,
      node.args,
    )
    const read = args.map((each) => (each.kind === 'property' ? coercions.asText(each) : each).read())
    // Where there is no such row, these give the empty value of the argument's type, which looks like a value of some row.
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
    throw refuse('function_arguments', 'A parameter before the arguments must be a number, a text or a variable', node)
  }

  const resolveCall = (node: CallNode, scope: Scope): Value => {
    const name = canonicalName(node.name.text)
    if (Object.hasOwn(CLOCK, name) && node.args.length === 0) return CLOCK[name]!
    if (Object.hasOwn(CAST_FUNCTIONS, name)) return castFunction(node, name, scope)
    return plainCall(node, scope)
  }

  return { resolveCall, cast }
}
