import type { Expression, Name, Ordering, Query, Window } from './ast.ts'
import { comparison, createCoercions } from './coerce.ts'
import { CAST_TYPES, type Kind } from './kinds.ts'
import {
  call,
  infix,
  name as nameSql,
  text,
  type InfixOperator,
  type OrderSql,
  type QuerySql,
  type Sql,
  type WindowSql,
} from './physical.ts'
import { propertyOfText } from './properties.ts'
import type { Refuse, Span } from './queryError.ts'
import { createCallResolver } from './resolveCall.ts'
import {
  type CommonTable,
  findColumn,
  findCommonTable,
  findRelated,
  type Scope,
  type SourceColumns,
  unknownColumn,
} from './scope.ts'
import { suggest } from './suggest.ts'
import { RESERVED_COLUMNS } from './tables.ts'
import { value, type Value } from './value.ts'

/** What a subquery gives, one entry a column. */
export interface ResolvedQuery {
  readonly query: QuerySql
  readonly columns: readonly { readonly name: string; readonly kind: Kind; readonly isNullable: boolean }[]
}

export interface ExpressionContext {
  readonly refuse: Refuse
  readonly variable: (name: string, span: Span) => Value
  /** A name that nothing else in the query has. */
  readonly newName: (prefix: string) => string
  readonly subquery: (query: Query, scope: Scope) => ResolvedQuery
}

// The text's own parts are counted when it is parsed. What WITH names is resolved again at each use, which could multiply them.
const MAX_STEPS = 60_000

const MATCH_CALLS = {
  like: (left: Sql, right: Sql) => call('like', left, right),
  ilike: (left: Sql, right: Sql) => call('ilike', left, right),
  regexp: (left: Sql, right: Sql) => call('match', left, right),
  iregexp: (left: Sql, right: Sql) => call('match', left, call('concat', text('(?i)'), right)),
} as const

// Longer chains of one operator are split; shorter ones keep the order in which they were written.
const LONG_CHAIN = 100

interface Link {
  readonly operator: InfixOperator
  readonly right: Sql
}

const FALSE: Sql = { kind: 'boolean', value: false }
const TRUE: Sql = { kind: 'boolean', value: true }

// Positions in arrays and tuples that a query writes out.
const positionOf = (node: Expression): number | undefined => {
  if (node.kind === 'minus' && node.of.kind === 'number') return -Number(node.of.digits)
  return node.kind === 'number' ? Number(node.digits) : undefined
}

/**
 * Resolves expressions: names become columns, values are read as their place asks.
 * `asFilter` says that NULL will count as false, so that comparisons may stay plain.
 */
export const createExpressionResolver = (context: ExpressionContext) => {
  const { refuse, variable, newName, subquery } = context
  const coercions = createCoercions(refuse)

  let steps = 0
  const resolve = (node: Expression, scope: Scope, asFilter = false): Value => {
    if (++steps > MAX_STEPS)
      throw refuse('query_too_complex', 'The query is too large once its WITH parts are filled in', node)
    switch (node.kind) {
      case 'text':
        return { ...value('text', text(node.value)), constant: node.value }
      case 'number':
        return { ...value('number', { kind: 'number', digits: node.digits }), constant: node.digits }
      case 'boolean':
        return { ...value('boolean', { kind: 'boolean', value: node.value }), constant: node.value }
      case 'null':
        return value('null', { kind: 'null' }, true)
      case 'variable':
        return variable(node.name, node)
      case 'field':
        return field(node.path, scope)
      case 'star':
        throw refuse('syntax_error', '* can only stand for columns in SELECT and in count(*)', node)
      case 'member':
        return child(resolve(node.of, scope), node.name, node)
      case 'index':
        return index(node, scope)
      case 'tupleMember':
        return value(
          'unknown',
          call('tupleElement', plain(node.of, scope), { kind: 'number', digits: String(node.position) }),
          true,
        )
      case 'call':
        return calls.resolveCall(node, scope)
      case 'lambda':
        throw refuse('syntax_error', 'A function with -> can only be an argument', node)
      case 'chain':
        return chain(node, scope)
      case 'logic':
        return logic(node, scope, asFilter)
      case 'not': {
        const of = truth(node.of, scope)
        return value('boolean', call('not', of.read()), of.isNullable)
      }
      case 'minus': {
        const of = coercions.asNumber(resolve(node.of, scope))
        return value(of.kind, call('negate', of.read()), of.isNullable)
      }
      case 'compare': {
        const [left, right] = coercions.comparable(resolve(node.left, scope), resolve(node.right, scope), [
          node.left,
          node.right,
        ])
        return value('boolean', comparison(node.operator, left, right, asFilter))
      }
      case 'match':
        return match(node, scope, asFilter)
      case 'isNull':
        return value('boolean', call(node.isNot ? 'isNotNull' : 'isNull', resolve(node.of, scope).read()))
      case 'between':
        return between(node, scope, asFilter)
      case 'in':
        return within(node, scope, asFilter)
      case 'orElse':
        return choose('coalesce', [], node.terms, scope)
      case 'choice':
        return choose('if', [condition(node.condition, scope)], [node.then, node.otherwise], scope)
      case 'case':
        return cases(node, scope)
      case 'cast':
        return cast(node, scope)
      case 'interval': {
        const amount = coercions.asNumber(resolve(node.amount, scope))
        const unit = node.unit[0]!.toUpperCase() + node.unit.slice(1)
        // Intervals count in whole units, and a bound number may have come as Float64.
        const whole =
          amount.kind === 'number' && node.amount.kind === 'number' ? amount.read() : call('toInt64', amount.read())
        return value('interval', call(`toInterval${unit}`, whole))
      }
      case 'array': {
        const members = coercions.agree(
          node.items.map((each) => resolve(each, scope)),
          node.items,
        )
        return { ...value('array', call('array', ...members.map(textual))), members }
      }
      case 'tuple': {
        const members = node.items.map((each) => coercions.asText(resolve(each, scope)))
        return { ...value('tuple', call('tuple', ...members.map((each) => each.read()))), members }
      }
      case 'subquery': {
        const { query, columns } = subquery(node.query, scope)
        const [only] = columns
        if (columns.length !== 1 || !only)
          throw refuse('syntax_error', `A subquery used as a value has one column, not ${columns.length}`, node)
        return ofKind(only.kind, { kind: 'query', query }, true)
      }
    }
  }

  const textual = (of: Value): Sql => coercions.asText(of).read()
  const plain = (node: Expression, scope: Scope): Sql => textual(resolve(node, scope))

  // A value that stands on its own in SQL but may still be a property in the sense of how it is read.
  const ofKind = (kind: Kind, sql: Sql, isNullable: boolean): Value =>
    kind === 'property' ? propertyOfText(() => sql) : value(kind, sql, isNullable)

  /** A value as a condition inside an expression: true, false or NULL. */
  const truth = (node: Expression, scope: Scope): Value => coercions.asBoolean(resolve(node, scope))

  /** A value where only true counts: WHERE, HAVING, ON, branches. */
  const condition = (node: Expression, scope: Scope): Sql => coercions.asBoolean(resolve(node, scope, true)).read()

  const field = (path: readonly Name[], scope: Scope): Value => {
    const [first, second] = path as readonly [Name, ...Name[]]
    const reserved = path
      .slice(0, 2)
      .find(
        (each) =>
          RESERVED_COLUMNS.has(each.text.toLowerCase()) &&
          (each === first || scope.sources.some((source) => source.alias === first.text)),
      )
    if (reserved)
      throw refuse(
        'column_reserved',
        `'${reserved.text}' is not for queries: they always see their own project only`,
        reserved,
      )
    const descend = (from: Value, names: readonly Name[]) =>
      names.reduce((of, each) => child(of, each.text, each), from)
    const lambdaArgument = scope.lambdaNames.get(first.text)
    if (lambdaArgument) return descend(lambdaArgument, path.slice(1))
    const source = second && scope.sources.find((each) => each.alias === first.text)
    if (source) return columnIn(source, source.related(second.text), path, descend)
    const found =
      scope.aliases.get(first.text)?.() ??
      scope.arrayMembers.get(first.text) ??
      findColumn(scope, first, refuse) ??
      commonValue(first, scope)
    if (found) return descend(found, path.slice(1))
    const related = findRelated(scope, first, refuse)
    if (!related) throw unknownColumn(scope, first, first, refuse)
    return columnIn(related, undefined, path, descend)
  }

  // `table.column…`, or `table.neighbour.column…`, or `neighbour.column…`.
  const columnIn = (
    columns: SourceColumns,
    related: SourceColumns | undefined,
    [first, second, ...rest]: readonly Name[],
    descend: (from: Value, names: readonly Name[]) => Value,
  ): Value => {
    if (related) return columnIn(related, undefined, [second!, ...rest], descend)
    if (!second)
      throw refuse(
        'column_unknown',
        `'${first!.text}' is a row, not a value`,
        first!,
        `Write ${first!.text}.name, with a name of ${columns.columnNames.join(', ')}`,
      )
    const column = columns.column(second.text)
    if (!column)
      throw refuse(
        'column_unknown',
        `'${first!.text}' has no column '${second.text}'`,
        second,
        suggest(second.text, columns.columnNames) ?? `It has ${columns.columnNames.join(', ')}`,
      )
    return descend(column, rest)
  }

  const underWay = new Set<Expression>()
  const commonValue = (name: Name, scope: Scope): Value | undefined => {
    const node = scope.commonValues.get(name.text)
    if (node) {
      if (underWay.has(node)) throw refuse('column_unknown', `'${name.text}' is defined by itself`, name)
      underWay.add(node)
      try {
        return resolve(node, { ...scope, lambdaNames: new Map() })
      } finally {
        underWay.delete(node)
      }
    }
    // From outside only what needs no table of the outer query can be taken along.
    return (
      scope.outer &&
      commonValue(name, { ...scope.outer, sources: [], aliases: new Map(), arrayMembers: new Map(), shared: new Map() })
    )
  }

  const child = (of: Value, key: string, span: Span): Value => {
    if (of.child) {
      if (key === '') throw refuse('property_invalid', 'A property has a name', span)
      return of.child(key)
    }
    if (of.kind === 'tuple' || of.kind === 'unknown')
      return value('unknown', call('tupleElement', of.read(), text(key)), true)
    throw refuse('column_unknown', `'${key}' cannot be read from this value`, span)
  }

  const index = (node: Extract<Expression, { kind: 'index' }>, scope: Scope): Value => {
    const of = resolve(node.of, scope)
    if (of.child) {
      if (node.at.kind === 'text') return child(of, node.at.value, node.at)
      const position = positionOf(node.at)
      if (position !== undefined && Number.isSafeInteger(position) && position !== 0) return of.child(position)
      throw refuse(
        'property_invalid',
        'A property is read by a name or a position that is written out',
        node.at,
        "properties['name'] or properties.list[1]",
      )
    }
    const at = coercions.asNumber(resolve(node.at, scope))
    const whole = at.width === 'float' ? call('toInt64', at.read()) : textual(at)
    return ofKind(of.members?.[0]?.kind ?? 'unknown', call('arrayElement', of.read(), whole), true)
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

  const closed = (first: Sql, rest: readonly Link[]) => (): Sql => {
    const { operator } = rest[0]!
    const isEven =
      (operator === '+' || operator === '*') &&
      rest.length >= LONG_CHAIN &&
      rest.every((each) => each.operator === operator)
    return isEven ? balanced([first, ...rest.map(({ right }) => right)], operator) : { kind: 'infix', first, rest }
  }

  // The engine's tree of a chain leans to the left and may not be deep; halves of halves are the same sum.
  const balanced = (terms: readonly Sql[], operator: InfixOperator): Sql => {
    if (terms.length === 1) return terms[0]!
    const middle = terms.length >> 1
    return infix(balanced(terms.slice(0, middle), operator), operator, balanced(terms.slice(middle), operator))
  }

  // Beside an interval stands a time, beside a time what is subtracted from it may be another; else sums are of numbers.
  const operandsOf = (left: Value, right: Value, leftSpan: Span, rightSpan: Span): readonly [Value, Value] => {
    if (right.kind === 'interval') return [coercions.asTime(left, leftSpan), right]
    if (left.kind === 'interval') return [left, coercions.asTime(right, rightSpan)]
    return [coercions.asNumber(left), coercions.asNumber(right)]
  }

  const kindOfSum = (left: Value, right: Value): Kind => {
    if (right.kind === 'interval') return left.kind === 'interval' ? 'interval' : 'time'
    if (left.kind === 'interval') return right.kind
    const isMoment = (of: Value) => of.kind === 'time' || of.kind === 'date'
    if (isMoment(left) && isMoment(right)) return 'number'
    return isMoment(left)
      ? left.kind
      : isMoment(right)
        ? right.kind
        : left.kind === 'unknown' && right.kind === 'unknown'
          ? 'unknown'
          : 'number'
  }

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

  // Tests are never NULL: a missing value does not match, and so it is among those that do not.
  const decided = (test: Sql, isNullable: boolean, isNot: boolean, asFilter: boolean): Value => {
    if (isNullable && isNot) return value('boolean', call('ifNull', test, TRUE))
    return value('boolean', isNullable && !asFilter ? call('ifNull', test, FALSE) : test)
  }

  const match = (node: Extract<Expression, { kind: 'match' }>, scope: Scope, asFilter: boolean): Value => {
    const [left, right] = [coercions.asText(resolve(node.left, scope)), coercions.asText(resolve(node.right, scope))]
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

  const within = (node: Extract<Expression, { kind: 'in' }>, scope: Scope, asFilter: boolean): Value => {
    const { isNot } = node
    const left = resolve(node.left, scope)
    const table = node.right.kind === 'subquery' ? { query: node.right.query, scope } : namedTable(node.right, scope)
    if (table) {
      const { query, columns } = subquery(table.query, table.scope)
      const width = left.kind === 'tuple' ? (left.members?.length ?? columns.length) : 1
      if (columns.length !== width)
        throw refuse(
          'syntax_error',
          `This IN needs a subquery with ${width === 1 ? 'one column' : `${width} columns`}, not ${columns.length}`,
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
    const items = node.right.kind === 'tuple' || node.right.kind === 'array' ? node.right.items : [node.right]
    const members = items.map((each) => resolve(each, scope))
    const [one] = members
    if (one?.kind === 'array' && items.length === 1) {
      const asked =
        left.kind === 'number' ? value('text', call('toString', left.read()), left.isNullable) : coercions.asText(left)
      return decided(call(isNot ? 'notIn' : 'in', asked.read(), one.read()), left.isNullable, isNot, asFilter)
    }
    if (items.length === 0) return value('boolean', isNot ? TRUE : FALSE)
    const pairs = members.map((each, at) => coercions.comparable(left, each, [node.left, items[at]!]))
    // One list is read in one way: as text as soon as one member is text.
    const isMixed = new Set(pairs.map(([own]) => own.kind)).size > 1
    const asked = isMixed ? coercions.asText(left) : pairs[0]![0]
    const list = isMixed
      ? members.map((each) => (each.kind === 'number' ? call('toString', each.read()) : textual(each)))
      : pairs.map(([, other]) => other.read())
    const test: Sql = { kind: 'in', isNot, left: asked.read(), right: call('tuple', ...list) }
    return decided(test, left.isNullable, isNot, asFilter)
  }

  const namedTable = (node: Expression, scope: Scope): CommonTable | undefined =>
    node.kind === 'field' && node.path.length === 1 ? findCommonTable(scope, node.path[0]!.text) : undefined

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
      const [left, right] = coercions.comparable(of, resolve(when, scope), [node.of!, when])
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

  const cast = (node: Extract<Expression, { kind: 'cast' }>, scope: Scope): Value => {
    const of = resolve(node.of, scope)
    const asked = node.type.text.replaceAll(' ', '').toLowerCase()
    const inNullable = /^nullable\((\w+)\)$/.exec(asked)?.[1]
    const name = inNullable ?? asked.replace(/^(datetime64)\(.*\)$/, '$1')
    if (Object.hasOwn(CAST_TYPES, name)) return calls.cast(of, name, node.of)
    const inArray = /^array\((?:nullable\()?(\w+)\)*$/.exec(asked)?.[1]
    if (inArray && Object.hasOwn(CAST_TYPES, inArray)) {
      const { type } = CAST_TYPES[inArray]!
      const member = asked.includes('nullable(') ? `Nullable(${type})` : type
      // A property that is a list comes as JSON text, which has its own way into an array.
      const sql =
        of.kind === 'property'
          ? call('JSONExtract', call('ifNull', of.read(), text('[]')), text(`Array(${member})`))
          : call('CAST', textual(of), text(`Array(${member})`))
      return {
        ...value('array', sql),
        members: [value(CAST_TYPES[inArray]!.kind, { kind: 'null' }, asked.includes('nullable('))],
      }
    }
    throw refuse(
      'type_unknown',
      `There is no type '${node.type.text}' to cast to`,
      node.type,
      suggest(name, Object.keys(CAST_TYPES)) ??
        'Types: String, Int, Float, Bool, Date, DateTime, UUID, Array(…) of these',
    )
  }

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

  const calls = createCallResolver({ refuse, coercions, resolve, lambda, window })

  return { resolve, condition, plain, ordering, textual, ofKind, comparable: coercions.comparable }
}
