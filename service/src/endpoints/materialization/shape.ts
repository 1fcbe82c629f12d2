import { createHash } from 'node:crypto'
import type { CallSql, SelectSql, Sql } from '../../sql/catalog/physical.ts'
import type { ParsedQuery } from '../../sql/compile.ts'
import type { Select } from '../../sql/parse/ast.ts'
import { aggregateOf, computedOf, MERGEABLE, partialOf } from './aggregates.ts'
import { type Candidate, createCandidate, spanOfCall, spanOfSession } from './rules/candidate.ts'
import { type Base, baseOf, type Joined, joinedOf, joinsSessions, type NamedSql } from './eventRows.ts'
import { type Names, namesOf } from './names.ts'
import { instabilityOf } from './rules/stability.ts'
import { type Conditions, isRange, type RunTerm, sortConditions } from './rules/terms.ts'
import { DAY_MS, HOUR_MS } from './timeRange.ts'
import { childrenOf, isColumn, isOpen, some } from './tree.ts'
import type { Violation } from './violation.ts'

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
export interface Shape extends Conditions {
  readonly signature: string
  /** `states`: states of aggregates, one row for each group. `rows`: the events' columns, sorted by the run terms. */
  readonly kind: 'states' | 'rows'
  /** The select's FROM: events, with persons and groups joined to them. */
  readonly from: NamedSql
  /** The subquery in `from` that reads the stored events. */
  readonly guard: Base
  /** Whether a run term is a time range, so that states are stored per hour and per day. */
  readonly isBucketed: boolean
  readonly columns: readonly StoredColumn[]
  readonly states: readonly State[]
  /** The `columns` that a run reads: group keys, and the keys and operands of joined columns. */
  readonly groups: readonly StoredColumn[]
  readonly names: Names
}

/** Returns every aggregate of the select, once. */
const aggregatesIn = ({ node, sql, names, reject, rejectUnstable }: Candidate): readonly CallSql[] => {
  const calls = new Map<string, CallSql>()
  const collect = (of: Sql): void => {
    const base = of.kind === 'call' && !of.over ? aggregateOf(of.name) : undefined
    if (of.kind !== 'call' || !base) return childrenOf(of).forEach(collect)
    if (!MERGEABLE.has(base))
      reject(
        'aggregate_not_mergeable',
        `${base}() cannot be merged from partial results`,
        spanOfCall({ node }, base),
        `Aggregates that can: ${[...MERGEABLE].join(', ')}`,
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

/** Collects columns to store, each expression once. */
const createColumns = ({ source, keyOf, readsJoined }: Names) => {
  const columns: StoredColumn[] = []
  const columnFor = (sql: Sql, as = `__c${columns.length}`): StoredColumn => {
    const known = columns.find((each) => keyOf(each.sql) === keyOf(sql))
    if (known) return known
    columns.push({ name: as, sql })
    return columns.at(-1)!
  }
  /** Stores an event column that a join needs, under its own name. */
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

/** Returns what to store for the select `node`, which compiled to `sql`, or why it cannot be materialized. */
export const shapeOf = (
  parsed: Pick<ParsedQuery, 'text'>,
  node: Select,
  sql: SelectSql,
): Shape | readonly Violation[] => {
  const from = sql.from as NamedSql
  const { base: guard } = baseOf(from)
  const joined = joinedOf(from)
  const names = namesOf(sql, from, guard, joined)
  const candidate = createCandidate(parsed, { node, sql, names })
  const { violations, reject, rejectUnstable } = candidate
  if (joinsSessions(from)) {
    reject(
      'source_not_supported',
      'Sessions are computed from all of their events, so a materialized run would read all events again',
      spanOfSession(candidate),
      "Use the event's own columns and properties, such as $session_id, or leave the endpoint live",
    )
    return violations
  }
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
