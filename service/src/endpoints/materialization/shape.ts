import { createHash } from 'node:crypto'
import type { Expression, Select } from '../sql/ast.ts'
import type { ParsedQuery } from '../sql/compile.ts'
import type { InfixOperator, SelectSql, Sql } from '../sql/physical.ts'
import type { Span } from '../sql/queryError.ts'
import { EVENTS } from '../sql/tables.ts'
import { aggregateOf, MERGEABLE } from './aggregates.ts'
import { type Obstacle, type ObstacleCode, obstacleAt } from './obstacle.ts'
import { OPERATORS } from './rules.ts'
import { childrenOf, mapChildren } from './tree.ts'

/** A condition that is known when a run comes: a column against what needs no row. */
export interface RunTerm {
  readonly column: Sql
  readonly operator: InfixOperator
  readonly bound: Sql
  readonly isColumnLeft: boolean
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** How long the buckets are in which states are kept, where a run asks for a time range. */
export const SPANS: readonly number[] = [HOUR_MS, DAY_MS]

export interface StoredColumn {
  readonly name: string
  readonly sql: Sql
}

export interface State extends StoredColumn {
  /** The aggregate, with its endings. */
  readonly call: Extract<Sql, { kind: 'call' }>
}

/**
 * What is stored for a select, and how its parts lie in it. Two selects of one `signature` have the same stored table,
 * whatever the values of their variables: a run whose own signature is another one is answered live.
 */
export interface Shape {
  readonly signature: string
  /** `states`: of aggregates, one row for each group. `rows`: the rows themselves, in the order of what is asked for. */
  readonly kind: 'states' | 'rows'
  /** What the select calls its rows of events, and these. */
  readonly source: string
  readonly guard: SelectSql
  /** Conditions that no run changes. */
  readonly fixed: readonly Sql[]
  readonly runTerms: readonly RunTerm[]
  /** Whether some run term is a time range, so that states are kept by the hour and by the day. */
  readonly isBucketed: boolean
  readonly columns: readonly StoredColumn[]
  readonly states: readonly State[]
  /** Of `columns`: what the select groups by. */
  readonly groups: readonly StoredColumn[]
  /** Identity of an expression, to find its stored column. */
  readonly keyOf: (sql: Sql) => string
  /** The select's own expressions, with the names it gave them written out. */
  readonly expand: (sql: Sql) => Sql
}

/** Gives another answer each time, or needs more than its row. */
const UNREPEATABLE = /^(?:now|rand|generateUUID|arrayShuffle|arrayJoin$|dictGet|joinGet)/
const CLOCK = /^now64$/

const some = (sql: Sql, test: (node: Sql) => boolean): boolean =>
  test(sql) || childrenOf(sql).some((each) => some(each, test))

const isColumn = (node: Sql): boolean => node.kind === 'name' && node.path.length === 2
const isQuery = (node: Sql): boolean => node.kind === 'query'
const isClock = (node: Sql): boolean => node.kind === 'call' && CLOCK.test(node.name)

/** Calls in a condition or an aggregate that speak against keeping it, and subqueries. */
const faultIn = (sql: Sql): { code: ObstacleCode; name?: string } | undefined => {
  let fault: { code: ObstacleCode; name?: string } | undefined
  some(sql, (node) => {
    if (node.kind === 'query') fault ??= { code: 'subquery_in_aggregation' }
    if (node.kind === 'call' && UNREPEATABLE.test(node.name))
      fault ??= { code: node.name === 'arrayJoin' ? 'array_join' : 'not_repeatable', name: node.name }
    return fault !== undefined
  })
  return fault
}

const FAULTS: Readonly<Partial<Record<ObstacleCode, readonly [string, string]>>> = {
  subquery_in_aggregation: [
    'A subquery in WHERE, GROUP BY or an aggregate may answer differently tomorrow',
    'Leave the endpoint live, or filter without the subquery',
  ],
  not_repeatable: [
    'A function that answers differently each time stands where its answer would be kept',
    'Compare a column with it directly, such as timestamp >= now() - INTERVAL 7 DAY',
  ],
  array_join: [
    'arrayJoin() makes several rows of one',
    'Leave the endpoint live, or use it in a SELECT around this one',
  ],
}

// A bound of another type would need a conversion whose meaning is the engine's.
const isMoment = (sql: Sql): boolean => {
  if (sql.kind === 'parameter') return sql.type === 'Date' || sql.type.startsWith('DateTime64')
  if (sql.kind === 'call')
    return (
      isClock(sql) ||
      (/^(?:toDate|toDateTime64|toStartOf\w+|toMonday|add\w+s|subtract\w+s)$/.test(sql.name) &&
        sql.args.length > 0 &&
        isMoment(sql.args[0]!))
    )
  return (
    sql.kind === 'infix' &&
    isMoment(sql.first) &&
    sql.rest.every(
      ({ operator, right }) =>
        (operator === '+' || operator === '-') && right.kind === 'call' && right.name.startsWith('toInterval'),
    )
  )
}

const spanOfCall = (node: Select, name: string | undefined): Span => {
  let found: Span | undefined
  const visit = (part: unknown): void => {
    if (found || typeof part !== 'object' || part === null) return
    const { kind, name: own } = part as { kind?: string; name?: { text?: string } }
    if (kind === 'call' && name && own?.text && name.toLowerCase().startsWith(own.text.toLowerCase().slice(0, 3)))
      found = part as Span
    else Object.values(part).forEach(visit)
  }
  visit([node.items, node.where, node.having, node.groupBy, node.orderBy])
  return found ?? node
}

/** A select's conditions, each beside what was written. The two have one form as long as AND joins them. */
const conditionsOf = (node: Expression, sql: Sql): readonly (readonly [Expression, Sql])[] => {
  if (node.kind !== 'logic' || node.operator !== 'and') return [[node, sql]]
  if (sql.kind !== 'infix') throw new Error('Compiler fault: AND is no longer an AND')
  const operands = [sql.first, ...sql.rest.map(({ right }) => right)]
  return node.terms.flatMap((term, at) => conditionsOf(term, operands[at]!))
}

const runTermOf = (node: Expression, sql: Sql): RunTerm | undefined => {
  if (node.kind !== 'compare' || !OPERATORS.has(node.operator) || sql.kind !== 'infix' || sql.rest.length !== 1)
    return undefined
  const [left, right] = [sql.first, sql.rest[0]!.right]
  const isColumnLeft = some(left, isColumn)
  const [column, bound] = isColumnLeft ? [left, right] : [right, left]
  if (!some(column, isColumn) || some(bound, isColumn) || some(bound, isQuery) || faultIn(column)) return undefined
  if (some(bound, (each) => each.kind === 'call' && UNREPEATABLE.test(each.name) && !isClock(each))) return undefined
  return { column, operator: sql.rest[0]!.operator, bound, isColumnLeft }
}

const hasVariable = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  ((node as { kind?: string }).kind === 'variable' || Object.values(node).some(hasVariable))

/** What would be stored for the select `node`, which compiled to `sql`; or what is in the way. */
export const shapeOf = (
  parsed: Pick<ParsedQuery, 'text'>,
  node: Select,
  sql: SelectSql,
): Shape | readonly Obstacle[] => {
  const obstacles: Obstacle[] = []
  const refuse = (code: ObstacleCode, message: string, span: Span, fix: string) =>
    void obstacles.push(obstacleAt(parsed, code, message, span, fix))
  const refuseFault = (of: Sql, span: Span | undefined) => {
    const fault = faultIn(of)
    if (fault)
      refuse(
        fault.code,
        ...([FAULTS[fault.code]![0], span ?? spanOfCall(node, fault.name), FAULTS[fault.code]![1]] as const),
      )
  }
  if (
    sql.from?.kind !== 'named' ||
    sql.from.query.kind !== 'select' ||
    sql.from.query.from?.kind !== 'storage' ||
    sql.from.query.from.table !== EVENTS.name
  ) {
    return [
      obstacleAt(
        parsed,
        'source_not_supported',
        'Persons, sessions and groups beside an event change after it was stored',
        node.from ?? node,
        "Use the event's own columns and properties, such as distinct_id, or leave the endpoint live",
      ),
    ]
  }
  const { name: source, query: guard } = sql.from
  const stored = new Map(guard.items.map((item) => [item.name, item.value]))
  const named = new Map(sql.items.map((item) => [item.name, item.value]))

  const expand = (of: Sql): Sql => {
    if (of.kind === 'name')
      return of.standsFor
        ? expand(of.standsFor)
        : of.path.length === 1 && named.has(of.path[0]!)
          ? expand(named.get(of.path[0]!)!)
          : of
    return mapChildren(of, expand)
  }
  const inline = (of: Sql): Sql =>
    of.kind === 'name' && of.path.length === 2 && of.path[0] === source
      ? (stored.get(of.path[1]!) ?? of)
      : mapChildren(of, inline)
  const keyOf = (of: Sql): string => JSON.stringify(inline(of))

  const fixed: Sql[] = []
  const runTerms: RunTerm[] = []
  for (const [written, compiled] of node.where && sql.where ? conditionsOf(node.where, sql.where) : []) {
    const condition = expand(compiled)
    const isForRun = hasVariable(written) || some(condition, isClock)
    const term = isForRun ? runTermOf(written, condition) : undefined
    if (term) runTerms.push(term)
    else if (hasVariable(written))
      refuse(
        'invalid_where_usage',
        'What the variable is compared with cannot be kept for each row',
        written,
        `Compare a column with one of ${[...OPERATORS].join(', ')}`,
      )
    else fixed.push(condition)
  }

  const after = [
    ...sql.items.map(({ value }) => value),
    ...(sql.having ? [sql.having] : []),
    ...(sql.orderBy ?? []).map(({ by }) => by),
    ...(sql.limitBy?.by ?? []),
  ].map(expand)
  const calls = new Map<string, Extract<Sql, { kind: 'call' }>>()
  const collect = (of: Sql): void => {
    const base = of.kind === 'call' && !of.over ? aggregateOf(of.name) : undefined
    if (of.kind === 'call' && base) {
      if (!Object.hasOwn(MERGEABLE, base))
        refuse(
          'aggregate_not_mergeable',
          `${base}() cannot be put together from parts`,
          spanOfCall(node, base),
          `Aggregates that can: ${Object.keys(MERGEABLE).join(', ')}`,
        )
      for (const each of of.args) refuseFault(each, undefined)
      calls.set(keyOf(of), of)
    } else childrenOf(of).forEach(collect)
  }
  after.forEach(collect)

  const isAggregated = (sql.groupBy?.length ?? 0) > 0 || calls.size > 0
  const common = { source, guard, expand, keyOf }
  const signed = (parts: object, rest: Omit<Shape, 'signature' | keyof typeof common>): Shape | readonly Obstacle[] =>
    obstacles.length > 0
      ? obstacles
      : { ...common, ...rest, signature: createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32) }

  if (!isAggregated) {
    const columns = guard.items.map((item, at) => ({
      name: `__c${at}`,
      sql: { kind: 'name', path: [source, item.name] } as Sql,
    }))
    const kept = fixed.filter((each) => !faultIn(each))
    const parts = {
      kind: 'rows',
      columns: columns.map(({ sql: each }) => keyOf(each)),
      fixed: kept.map(keyOf),
      run: runTerms.map(({ column }) => keyOf(column)),
    }
    return signed(parts, { kind: 'rows', fixed: kept, runTerms, isBucketed: false, columns, states: [], groups: [] })
  }

  if (sql.arrayJoin)
    refuse(
      'array_join',
      'ARRAY JOIN makes several rows of one',
      node.arrayJoin?.items[0]?.value ?? node,
      'Leave the endpoint live, or use ARRAY JOIN in a SELECT around this one',
    )
  for (const each of fixed) refuseFault(each, undefined)
  const keys = (sql.groupBy ?? []).map(expand)
  keys.forEach((each, at) => refuseFault(each, node.groupBy[at]))

  const columns: StoredColumn[] = []
  const columnFor = (of: Sql): StoredColumn => {
    const known = columns.find((each) => keyOf(each.sql) === keyOf(of))
    if (known) return known
    const made = { name: `__c${columns.length}`, sql: of }
    columns.push(made)
    return made
  }
  const isTimestamp = (of: Sql) => keyOf(of) === JSON.stringify({ kind: 'name', path: ['timestamp'] })
  const isRange = (term: RunTerm) => isTimestamp(term.column) && isMoment(term.bound)
  for (const term of runTerms) if (!isRange(term)) columnFor(term.column)
  const groups = keys.map(columnFor)
  const states = [...calls.values()].map((each, at): State => ({
    name: `__s${at}`,
    sql: { ...each, name: `${each.name}State` },
    call: each,
  }))
  const isBucketed = runTerms.some(isRange)
  const parts = {
    kind: 'states',
    spans: isBucketed ? SPANS : [],
    columns: columns.map(({ sql: each }) => keyOf(each)),
    groups: groups.map((each) => each.name),
    states: states.map(({ sql: each }) => keyOf(each)),
    fixed: fixed.map(keyOf),
    run: runTerms.map((term) => (isRange(term) ? 'timestamp' : keyOf(term.column))),
  }
  return signed(parts, { kind: 'states', fixed, runTerms, isBucketed, columns, states, groups })
}

/** Whether a run term is answered by full hours and the ragged ends of the range. */
export const isRangeOf = ({ keyOf, isBucketed }: Shape, { column, bound }: RunTerm): boolean =>
  isBucketed && keyOf(column) === JSON.stringify({ kind: 'name', path: ['timestamp'] }) && isMoment(bound)
