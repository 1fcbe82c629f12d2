import { createHash } from 'node:crypto'
import type { Expression, Select } from '../../sql/parse/ast.ts'
import type { ParsedQuery } from '../../sql/compile.ts'
import type { CallSql, InfixOperator, SelectSql, Sql } from '../../sql/catalog/physical.ts'
import type { Span } from '../../sql/parse/queryError.ts'
import { aggregateOf, computedOf, MERGEABLE, partialOf } from './aggregates.ts'
import { type Base, baseOf, type Joined, joinedOf, joinsSessions, type NamedSql } from './eventRows.ts'
import { type Violation, type ViolationCode, violationAt } from './violation.ts'
import { OPERATORS } from './whereRules.ts'
import { childrenOf, mapChildren } from './tree.ts'

/** A condition whose bound is known only at the run: a column compared with an expression that reads no row. */
export interface RunTerm {
  readonly column: Sql
  readonly operator: InfixOperator
  readonly bound: Sql
  readonly isColumnLeft: boolean
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** The lengths of the buckets of states, if runs filter by a time range. In ms. */
export const SPANS: readonly number[] = [HOUR_MS, DAY_MS]

export interface StoredColumn {
  readonly name: string
  readonly sql: Sql
}

export interface State extends StoredColumn {
  /** The aggregate, with its combinators, such as `sumIf`. */
  readonly call: CallSql
}

/**
 * What is stored for a select, and where its parts are stored. Selects with the same `signature` have the same table,
 * regardless of the values of their variables. A run with another signature is live. The events' own columns are
 * stored; persons and groups are joined at each run, so later merges and properties take effect.
 */
export interface Shape {
  readonly signature: string
  /** `states`: states of aggregates, one row for each group. `rows`: the events' columns, sorted by the run terms. */
  readonly kind: 'states' | 'rows'
  /** The select's FROM: events, with persons and groups joined to them. */
  readonly from: NamedSql
  /** The subquery in `from` that reads the stored events. */
  readonly guard: Base
  /** Conditions on the events' own columns that are the same in each run. */
  readonly fixed: readonly Sql[]
  readonly runTerms: readonly RunTerm[]
  /** Conditions that read a joined column, evaluated at each run. */
  readonly joinedTerms: readonly Sql[]
  /** Whether a run term is a time range, so that states are stored per hour and per day. */
  readonly isBucketed: boolean
  readonly columns: readonly StoredColumn[]
  readonly states: readonly State[]
  /** The `columns` that a run reads: group keys, and the keys and operands of joined columns. */
  readonly groups: readonly StoredColumn[]
  readonly names: Names
}

/** Resolves names in the expressions of a select. */
export interface Names {
  /** Name of the events in the select. */
  readonly source: string
  /** Returns an expression's identity, by which its stored column is found. */
  readonly keyOf: (sql: Sql) => string
  /** Replaces column aliases by their expressions. */
  readonly expand: (sql: Sql) => Sql
  /** Whether an expression reads a person or a group. */
  readonly readsJoined: (sql: Sql) => boolean
}

/** Functions whose result changes between calls, or depends on more than one row. */
const UNREPEATABLE = /^(?:now|rand|generateUUID|arrayShuffle|arrayJoin$|dictGet|joinGet)/
const CLOCK = /^now64$/

const some = (sql: Sql, test: (node: Sql) => boolean): boolean =>
  test(sql) || childrenOf(sql).some((each) => some(each, test))

/** Whether an expression uses an argument of an enclosing lambda. */
const isOpen = (sql: Sql, bound: readonly string[] = []): boolean => {
  if (sql.kind === 'name') return sql.path.length === 1 && !bound.includes(sql.path[0]!)
  const within = sql.kind === 'lambda' ? [...bound, ...sql.names] : bound
  return childrenOf(sql).some((each) => isOpen(each, within))
}

const isColumn = (node: Sql): boolean => node.kind === 'name' && node.path.length === 2
const isQuery = (node: Sql): boolean => node.kind === 'query'
const isClock = (node: Sql): boolean => node.kind === 'call' && CLOCK.test(node.name)

/** Returns why an expression may have another value at a later run or, if evaluated `atRun`, in another part of the same run. */
const instabilityOf = (sql: Sql, atRun = false): { code: ViolationCode; name?: string } | undefined => {
  let found: { code: ViolationCode; name?: string } | undefined
  some(sql, (node) => {
    if (node.kind === 'query' && !atRun) found ??= { code: 'subquery_in_aggregation' }
    if (node.kind === 'call' && UNREPEATABLE.test(node.name) && !(atRun && isClock(node)))
      found ??= { code: node.name === 'arrayJoin' ? 'array_join' : 'not_repeatable', name: node.name }
    return found !== undefined
  })
  return found
}

const INSTABILITIES: Readonly<Partial<Record<ViolationCode, readonly [string, string]>>> = {
  subquery_in_aggregation: [
    'A subquery in WHERE, GROUP BY or an aggregate may return other rows later',
    'Leave the endpoint live, or filter without the subquery',
  ],
  not_repeatable: [
    'A function whose result changes between calls is used where its result would be stored',
    'Compare a column with it directly, such as timestamp >= now() - INTERVAL 7 DAY',
  ],
  array_join: [
    'arrayJoin() turns one row into several',
    'Leave the endpoint live, or use it in a SELECT around this one',
  ],
}

// A bound of another type would be converted by the engine, with unknown results.
const isTimestamp = (sql: Sql): boolean => {
  if (sql.kind === 'parameter') return sql.type === 'Date' || sql.type.startsWith('DateTime64')
  if (sql.kind === 'call')
    return (
      isClock(sql) ||
      (/^(?:toDate|toDateTime64|toStartOf\w+|toMonday|add\w+s|subtract\w+s)$/.test(sql.name) &&
        sql.args.length > 0 &&
        isTimestamp(sql.args[0]!))
    )
  return (
    sql.kind === 'infix' &&
    isTimestamp(sql.first) &&
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

/** Returns a select's conditions, each with its node in the query. Both have the same structure as far as AND joins them. */
const conditionsOf = (node: Expression, sql: Sql): readonly (readonly [Expression, Sql])[] => {
  if (node.kind !== 'logic' || node.operator !== 'and') return [[node, sql]]
  if (sql.kind !== 'infix') throw new Error('Compiler bug: AND was not compiled to AND')
  const operands = [sql.first, ...sql.rest.map(({ right }) => right)]
  return node.terms.flatMap((term, at) => conditionsOf(term, operands[at]!))
}

const runTermOf = (node: Expression, sql: Sql): RunTerm | undefined => {
  if (node.kind !== 'compare' || !OPERATORS.has(node.operator) || sql.kind !== 'infix' || sql.rest.length !== 1)
    return undefined
  const [left, right] = [sql.first, sql.rest[0]!.right]
  const isColumnLeft = some(left, isColumn)
  const [column, bound] = isColumnLeft ? [left, right] : [right, left]
  if (!some(column, isColumn) || some(bound, isColumn) || some(bound, isQuery) || instabilityOf(column))
    return undefined
  if (some(bound, (each) => each.kind === 'call' && UNREPEATABLE.test(each.name) && !isClock(each))) return undefined
  return { column, operator: sql.rest[0]!.operator, bound, isColumnLeft }
}

const hasVariable = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  ((node as { kind?: string }).kind === 'variable' || Object.values(node).some(hasVariable))

const namesOf = (sql: SelectSql, { name: source }: NamedSql, guard: Base, joined: Joined): Names => {
  const stored = new Map([...guard.items.map((item) => [item.name, item.value] as const), ...joined.columns])
  const named = new Map(sql.items.map((item) => [item.name, item.value]))
  const columnOf = (of: Sql): string | undefined =>
    of.kind === 'name' && of.path.length === 2 && of.path[0] === source ? of.path[1] : undefined
  const expand = (of: Sql): Sql => {
    if (of.kind !== 'name') return mapChildren(of, expand)
    if (of.standsFor) return expand(of.standsFor)
    return of.path.length === 1 && named.has(of.path[0]!) ? expand(named.get(of.path[0]!)!) : of
  }
  const inline = (of: Sql): Sql => {
    const column = columnOf(of)
    return column === undefined ? mapChildren(of, inline) : (stored.get(column) ?? of)
  }
  return {
    source,
    expand,
    keyOf: (of) => JSON.stringify(inline(of)),
    readsJoined: (of) => some(of, (node) => joined.columns.has(columnOf(node) ?? '')),
  }
}

type Reject = (code: ViolationCode, message: string, span: Span, fix: string) => void
type RejectUnstable = (of: Sql, span?: Span, atRun?: boolean) => void

/** A select that may be materialized, with functions that report violations. */
interface Candidate {
  readonly node: Select
  readonly sql: SelectSql
  readonly names: Names
  readonly reject: Reject
  /** Reports an expression whose value may differ at a later run. */
  readonly rejectUnstable: RejectUnstable
}

/** The conditions of a select, by when and where they are evaluated. */
type Conditions = Pick<Shape, 'fixed' | 'runTerms' | 'joinedTerms'>

const sortConditions = ({ node, sql, names, reject }: Candidate): Conditions => {
  const fixed: Sql[] = []
  const runTerms: RunTerm[] = []
  const joinedTerms: Sql[] = []
  for (const [written, compiled] of node.where && sql.where ? conditionsOf(node.where, sql.where) : []) {
    const condition = names.expand(compiled)
    const isForRun = hasVariable(written) || some(condition, isClock)
    const term = isForRun ? runTermOf(written, condition) : undefined
    if (hasVariable(written) && !term)
      reject(
        'invalid_where_usage',
        'The table cannot store the expression that the variable is compared with',
        written,
        `Compare a column with one of ${[...OPERATORS].join(', ')}`,
      )
    else if (names.readsJoined(condition)) joinedTerms.push(condition)
    else if (term) runTerms.push(term)
    else fixed.push(condition)
  }
  return { fixed, runTerms, joinedTerms }
}

/** Returns every aggregate of the select, once. */
const aggregatesIn = ({ node, sql, names, reject, rejectUnstable }: Candidate): readonly CallSql[] => {
  const calls = new Map<string, CallSql>()
  const collect = (of: Sql): void => {
    const base = of.kind === 'call' && !of.over ? aggregateOf(of.name) : undefined
    if (of.kind !== 'call' || !base) return childrenOf(of).forEach(collect)
    if (!Object.hasOwn(MERGEABLE, base))
      reject(
        'aggregate_not_mergeable',
        `${base}() cannot be merged from partial results`,
        spanOfCall(node, base),
        `Aggregates that can: ${Object.keys(MERGEABLE).join(', ')}`,
      )
    for (const each of of.args) rejectUnstable(each)
    calls.set(names.keyOf(of), of)
  }
  const after = [
    ...sql.items.map(({ value }) => value),
    ...(sql.having ? [sql.having] : []),
    ...(sql.orderBy ?? []).map(({ by }) => by),
    ...(sql.limitBy?.by ?? []),
  ]
  after.map(names.expand).forEach(collect)
  return [...calls.values()]
}

const TIMESTAMP = JSON.stringify({ kind: 'name', path: ['timestamp'] })
const isRange = ({ column, bound }: RunTerm, { keyOf }: Names): boolean =>
  keyOf(column) === TIMESTAMP && isTimestamp(bound)

/** Collects columns to store, each expression once. */
const createColumns = ({ source, keyOf, readsJoined }: Names) => {
  const columns: StoredColumn[] = []
  const columnFor = (sql: Sql, as = `__c${columns.length}`): StoredColumn => {
    const known = columns.find((each) => keyOf(each.sql) === keyOf(sql))
    if (known) return known
    columns.push({ name: as, sql })
    return columns.at(-1)!
  }
  /** Stores a column of events that a join needs, under its own name. */
  const keyFor = (key: string): StoredColumn => columnFor({ kind: 'name', path: [source, key] }, key)
  /** Stores the largest parts of an expression that read only the event. A run computes the rest. */
  const partsFor = (of: Sql): readonly StoredColumn[] => {
    const isOwn = some(of, isColumn) && !readsJoined(of) && !isOpen(of) && !instabilityOf(of)
    return isOwn ? [columnFor(of)] : childrenOf(of).flatMap(partsFor)
  }
  return { columns, columnFor, keyFor, partsFor }
}

type Parts = Pick<Shape, 'kind' | keyof Conditions | 'isBucketed' | 'columns' | 'states' | 'groups'>

const rowsOf = ({ names: { source } }: Candidate, { fixed, runTerms }: Conditions, guard: Base): Parts => ({
  kind: 'rows',
  fixed: fixed.filter((each) => !instabilityOf(each)),
  runTerms,
  joinedTerms: [],
  isBucketed: false,
  columns: guard.items.map((item, at) => ({ name: `__c${at}`, sql: { kind: 'name', path: [source, item.name] } })),
  states: [],
  groups: [],
})

const statesOf = (
  { names }: Candidate,
  conditions: Conditions,
  joined: Joined,
  keys: readonly Sql[],
  calls: readonly CallSql[],
): Parts => {
  const { runTerms, joinedTerms } = conditions
  const { columns, columnFor, keyFor, partsFor } = createColumns(names)
  const computed = calls.map((each) => computedOf(each, names.readsJoined))
  const found = joined.keys.map(keyFor)
  for (const term of runTerms) if (!isRange(term, names)) columnFor(term.column)
  const read = [
    ...found,
    ...keys.flatMap((each) => (names.readsJoined(each) ? partsFor(each) : [columnFor(each)])),
    ...[...joinedTerms, ...computed.flatMap(({ args }) => args)].flatMap(partsFor),
  ]
  const stateCalls = new Map(computed.flatMap(({ state }) => (state ? [[names.keyOf(state), state]] : [])))
  const states = [...stateCalls.values()].map((each, at): State => ({
    name: `__s${at}`,
    sql: partialOf(each),
    call: each,
  }))
  const isBucketed = runTerms.some((term) => isRange(term, names))
  return { kind: 'states', ...conditions, isBucketed, columns, states, groups: [...new Set(read)] }
}

/** Returns what determines the table. The values of variables do not. */
const signedParts = ({ kind, columns, groups, states, fixed, runTerms, isBucketed }: Parts, names: Names): object => ({
  layout: 'layers',
  kind,
  ...(kind === 'states' ? { spans: isBucketed ? SPANS : [] } : {}),
  columns: columns.map(({ sql }) => names.keyOf(sql)),
  ...(kind === 'states'
    ? { groups: groups.map((each) => each.name), states: states.map(({ sql }) => names.keyOf(sql)) }
    : {}),
  fixed: fixed.map(names.keyOf),
  run: runTerms.map((term) => (kind === 'states' && isRange(term, names) ? 'timestamp' : names.keyOf(term.column))),
})

const sessionIn = (node: Select): Span => {
  let found: Span | undefined
  const visit = (part: unknown): void => {
    if (found || typeof part !== 'object' || part === null) return
    const { kind, path } = part as { kind?: string; path?: readonly { text: string }[] }
    if (kind === 'field' && path!.some((each) => each.text === 'session')) found = part as Span
    else Object.values(part).forEach(visit)
  }
  visit(node)
  return found ?? node
}

/** Returns what to store for the select `node`, which compiled to `sql`, or why it cannot be materialized. */
export const shapeOf = (
  parsed: Pick<ParsedQuery, 'text'>,
  node: Select,
  sql: SelectSql,
): Shape | readonly Violation[] => {
  const violations: Violation[] = []
  const reject: Reject = (code, message, span, fix) =>
    void violations.push(violationAt(parsed, code, message, span, fix))
  const rejectUnstable: RejectUnstable = (of, span, atRun) => {
    const found = instabilityOf(of, atRun)
    if (!found) return
    const [message, fix] = INSTABILITIES[found.code]!
    reject(found.code, message, span ?? spanOfCall(node, found.name), fix)
  }
  const from = sql.from as NamedSql
  if (joinsSessions(from)) {
    reject(
      'source_not_supported',
      'Sessions are computed from all of their events, so a materialized run would read all events again',
      sessionIn(node),
      "Use the event's own columns and properties, such as $session_id, or leave the endpoint live",
    )
    return violations
  }
  const { base: guard } = baseOf(from)
  const joined = joinedOf(from)
  const names = namesOf(sql, from, guard, joined)
  const candidate: Candidate = { node, sql, names, reject, rejectUnstable }
  const conditions = sortConditions(candidate)
  const calls = aggregatesIn(candidate)
  const keys = (sql.groupBy ?? []).map(names.expand)

  const isAggregated = keys.length > 0 || calls.length > 0
  if (isAggregated) {
    if (sql.arrayJoin)
      reject(
        'array_join',
        'ARRAY JOIN turns one row into several',
        node.arrayJoin?.items[0]?.value ?? node,
        'Leave the endpoint live, or use ARRAY JOIN in a SELECT around this one',
      )
    for (const each of conditions.fixed) rejectUnstable(each)
    for (const each of conditions.joinedTerms) rejectUnstable(each, undefined, true)
    keys.forEach((each, at) => rejectUnstable(each, node.groupBy[at]))
  }
  if (violations.length > 0) return violations
  const parts = isAggregated
    ? statesOf(candidate, conditions, joined, keys, calls)
    : rowsOf(candidate, conditions, guard)
  const signature = createHash('sha256')
    .update(JSON.stringify(signedParts(parts, names)))
    .digest('hex')
    .slice(0, 32)
  return { ...parts, from, guard, names, signature }
}

/** Whether a run term is a time range that matches the buckets. */
export const isRangeOf = ({ names, isBucketed }: Shape, term: RunTerm): boolean => isBucketed && isRange(term, names)
