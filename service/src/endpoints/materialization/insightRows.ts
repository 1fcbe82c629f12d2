import { createHash } from 'node:crypto'
import type { Plan } from '../insights/insight.ts'
import {
  eventsOfInsight,
  type InsightQuery,
  type InsightRun,
  planInsight,
  isAlwaysLive,
  readsWholeSessions,
  UTC,
} from '../insights/insights.ts'
import { type RequestedEvents, LIVE, type Reading, WEIGHT } from '../insights/source.ts'
import { guarded } from '../../sql/catalog/guard.ts'
import { call, type FromSql, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { EVENTS } from '../../sql/catalog/tables.ts'
import { print } from '../../sql/print/print.ts'
import { baseOf, joinsOnlyOwners, type NamedSql, withBase } from './eventRows.ts'
import { isOfLayers } from './layers.ts'
import { type IntervalRun, QUARTER_MS } from './memory/intervals.ts'
import { countFrom, fillFrom, type TablePlan } from './tablePlan.ts'
import type { Violation } from './violation.ts'
import {
  all,
  any,
  AT,
  bucketOf,
  COUNT,
  DATABASE,
  LAYER,
  timestamp,
  number,
  OWNER,
  SEEN,
  type Stored,
  STORED,
  toTimestamp,
  unionAll,
} from './words.ts'

/**
 * What is stored for an insight: the columns of its events that it reads. `rows`: one row per event. `buckets`: for an insight that only
 * compares times with the ends of intervals, one row with a count for all events of a time bucket that are equal in everything else.
 * Persons and groups are joined to the stored rows at each run, so later merges and properties take effect.
 */
export interface InsightShape {
  readonly signature: string
  readonly kind: 'rows' | 'buckets'
  /** The expressions that are read from an event, and the names of their stored columns. */
  readonly columns: readonly { readonly name: string; readonly value: Sql }[]
  /** The names of the events. Absent: all. */
  readonly events?: readonly string[]
  readonly bucketMs: number
}

const MINUTE_MS = 60_000
// The offsets of all time zones are multiples of it, so every hour and day consists of whole buckets.
const QUARTER_HOUR_MS = 15 * MINUTE_MS
// With more partial buckets than this, reading them from the events is not cheaper than a live run.
const MAX_PARTIAL_BUCKETS = 100

// The columns that an insight reads do not depend on the range.
const SHORT_RANGE = { date_from: '2026-01-01T00:00:00', date_to: '2026-01-01T00:00:30' }

const TIME = name('timestamp')
const NAME = '__name'
const EVENT = '__e'
const idOf = (value: Sql): string => JSON.stringify(value)

// Sessions are computed from all of their events, so a run would have to read those again.
const readsSessions = (query: unknown): boolean =>
  typeof query === 'object' &&
  query !== null &&
  Object.entries(query).some(
    ([field, value]) =>
      (/(?:^|_)type$/.test(field) && /^session(?:_properties)?$/.test(String(value))) || readsSessions(value),
  )

const sessionPath = (query: unknown, at: string): string => {
  const inner = Object.entries(query as object).find(([, value]) => readsSessions(value))
  return inner ? sessionPath(inner[1], `${at}.${inner[0]}`) : at
}

const findShape = (query: InsightQuery): InsightShape | readonly Violation[] => {
  if (readsWholeSessions(query)) {
    return [
      {
        code: 'session_property',
        message: `A ${query.kind} is computed from sessions. Sessions are computed from all of their events, so a materialized run would not read less`,
        field: 'query.kind',
        fix: 'Leave the endpoint live',
      },
    ]
  }
  if (isAlwaysLive(query)) {
    return [
      {
        code: 'live_kind',
        message: `A ${query.kind} lists the people of one point of an insight, which a table of all points would not make faster`,
        field: 'query.kind',
        fix: 'Leave the endpoint live',
      },
    ]
  }
  if (readsSessions(query)) {
    const field = sessionPath(query, 'query')
    return [
      {
        code: 'session_property',
        message: `"${field}" is a session property. Sessions are computed from all of their events, so a materialized run would not read less`,
        field,
        fix: 'Use a property of the event, or leave the endpoint live',
      },
    ]
  }
  const requested: RequestedEvents[] = []
  const note: Reading = { ...LIVE, from: (each) => (requested.push(each), each.from) }
  void planInsight(query, { projectId: 0, variables: SHORT_RANGE, zone: UTC, now: 0, reading: note }).statements
  const values = new Map(
    [TIME, ...requested.flatMap(({ from }) => baseOf(from).base.items.map(({ value }) => value))].map((value) => [
      idOf(value),
      value,
    ]),
  )
  const columns = [...values.values()].map((value, at) => ({ name: `__c${at}`, value }))
  const events = eventsOfInsight(query)
  const kind = requested.every(({ cuts }) => cuts) ? 'buckets' : 'rows'
  const bucketMs = (query as { interval?: unknown }).interval === 'minute' ? MINUTE_MS : QUARTER_HOUR_MS
  const signature = createHash('sha256')
    .update(JSON.stringify([LAYER, kind, bucketMs, columns, events ?? null]))
    .digest('hex')
    .slice(0, 32)
  return { signature, kind, columns, bucketMs, ...(events ? { events } : {}) }
}

// A version's query never changes, and remains the same object while the version is cached.
const shapes = new WeakMap<InsightQuery, ReturnType<typeof findShape>>()

/** Returns what to store for an insight, or why it cannot be materialized. */
export const shapeOfInsight = (query: InsightQuery): InsightShape | readonly Violation[] => {
  const shape = shapes.get(query) ?? findShape(query)
  shapes.set(query, shape)
  return shape
}

/** Returns events with `items`, their timestamp and the time of their arrival. */
const eventRows = (items: SelectSql['items']): FromSql => ({
  kind: 'named',
  name: EVENT,
  query: guarded(EVENTS, [
    ...items,
    { value: TIME, name: AT },
    { value: name('inserted_at'), name: SEEN },
    { value: name('event'), name: NAME },
  ]),
})

const isOfInsight = ({ events }: InsightShape): Sql | undefined =>
  events && any(events.map((each) => infix(name(EVENT, NAME), '=', { kind: 'parameter', type: 'String', value: each })))
const isBefore = ({ watermark }: Stored): Sql => infix(name(EVENT, SEEN), '<', timestamp(watermark))
const isAfter = ({ watermark }: Stored): Sql => infix(name(EVENT, SEEN), '>=', timestamp(watermark))

const columnOf = ({ columns }: InsightShape, value: Sql) => columns.find((each) => idOf(each.value) === idOf(value))

/** Returns what to store for an insight. */
export const tableOfInsight = (shape: InsightShape): TablePlan => {
  const { signature, kind, columns, bucketMs } = shape
  const raw = columns.map(({ value }, at) => ({ value, name: `__r${at}` }))
  const isBuckets = kind === 'buckets'
  const keys = columns.map((each) => each.name)
  const items = [
    ...columns.map(({ name: own, value }, at) => ({
      value:
        isBuckets && idOf(value) === idOf(TIME)
          ? bucketOf(name(EVENT, AT), number(bucketMs))
          : name(EVENT, raw[at]!.name),
      name: own,
    })),
    { value: isBuckets ? call('count') : call('toUInt64', number(1)), name: COUNT },
  ]
  const sourceOf = (read: SelectSql['items']) => ({ from: eventRows(read), as: EVENT, where: [isOfInsight(shape)] })
  return {
    signature,
    kind,
    keys,
    states: [],
    time: columnOf(shape, TIME)!.name,
    // The event's name, then its timestamp.
    sorting: [OWNER, ...[name('event'), TIME].flatMap((value) => columnOf(shape, value)?.name ?? [])],
    fill: (layer, portion) => fillFrom(sourceOf(raw), items, isBuckets ? keys : undefined, layer, portion),
    count: (portion) => countFrom(sourceOf([]), portion),
  }
}

/**
 * Returns the rows that a source reads: from the table, and from the events of partial buckets and after the watermark.
 * `undefined` if the table cannot provide them.
 */
const storedRows = (
  { from, cuts = [], takesWeights }: RequestedEvents,
  shape: InsightShape,
  stored: Stored,
): FromSql | undefined => {
  const { items } = baseOf(from).base
  const columns = items.map(({ value, name: as }) => ({ column: columnOf(shape, value)?.name, as }))
  const isBuckets = shape.kind === 'buckets'
  const { bucketMs } = shape
  const cut = isBuckets
    ? [...new Set(cuts.filter((each) => each % bucketMs !== 0).map((each) => Math.floor(each / bucketMs) * bucketMs))]
    : []
  if (cut.length > MAX_PARTIAL_BUCKETS || columns.some(({ column }) => column === undefined)) return undefined
  const isWeighed = isBuckets && takesWeights
  const table = { database: DATABASE, name: stored.table, owner: OWNER }
  const bucket = call('toUnixTimestamp64Milli', name(STORED, columnOf(shape, TIME)!.name))
  const fromTable: SelectSql = {
    kind: 'select',
    items: [
      ...columns.map(({ column, as }) => ({ value: name(STORED, column!), name: as })),
      ...(isWeighed ? [{ value: name(STORED, COUNT), name: WEIGHT }] : []),
    ],
    from: {
      kind: 'named',
      name: STORED,
      query: guarded(
        table,
        [LAYER, ...shape.columns.map((each) => each.name), COUNT].map((each) => ({ value: name(each), name: each })),
      ),
    },
    // Without weights, each event gets its own row again.
    ...(isBuckets && !takesWeights
      ? { arrayJoin: { isLeft: false, items: [{ value: call('range', name(STORED, COUNT)), name: '__each' }] } }
      : {}),
    where: all([
      isOfLayers(stored),
      cut.length > 0
        ? call('not', call('has', { kind: 'parameter', type: 'Array(Int64)', value: cut }, bucket))
        : undefined,
    ]),
  }
  const fromEvents = (...terms: readonly Sql[]): SelectSql => ({
    kind: 'select',
    items: [
      ...items.map(({ name: as }) => ({ value: name(EVENT, as), name: as })),
      ...(isWeighed ? [{ value: call('toUInt64', number(1)), name: WEIGHT }] : []),
    ],
    from: eventRows(items),
    where: all([isOfInsight(shape), ...terms]),
  })
  const isIn = (begin: number): Sql =>
    infix(
      infix(name(EVENT, AT), '>=', toTimestamp(begin)),
      'AND',
      infix(name(EVENT, AT), '<', toTimestamp(begin + bucketMs)),
    )
  const rest = [
    ...(stored.isComplete ? [] : [fromEvents(isAfter(stored))]),
    ...(cut.length > 0 ? [fromEvents(isBefore(stored), any(cut.map(isIn)))] : []),
  ]
  return withBase(
    from,
    unionAll(fromTable, rest),
    fromTable.items.map((item) => item.name),
  )
}

const quarterOf = (at: Sql): Sql =>
  call('toInt64', call('floor', infix(call('toUnixTimestamp64Milli', at), '/', number(QUARTER_MS))))

/** Returns how the service can finish a run from its intervals. `undefined`: it cannot. */
const intervalsOf = (
  { parts }: Plan,
  requested: readonly RequestedEvents[],
  shape: InsightShape,
  { stored, projectId }: { stored: Stored; projectId: number },
): IntervalRun | undefined => {
  // Properties of persons and groups change without an event of the insight.
  if (!parts || !requested.every(({ from }) => joinsOnlyOwners(from as NamedSql))) return undefined
  const arrived: SelectSql = {
    kind: 'select',
    items: [
      { value: quarterOf(name(EVENT, AT)), name: 'quarter' },
      { value: call('count'), name: 'events' },
    ],
    from: eventRows([]),
    where: all([isOfInsight(shape), isAfter(stored)]),
    groupBy: [name('quarter')],
  }
  return { stored, parts, readsOwners: parts.countsPeople, arrived: () => print(arrived, projectId) }
}

/** A run of an insight that reads a table. */
export interface StoredPlan {
  readonly plan: Plan
  /** Absent: only the engine can finish the run. */
  readonly intervals?: IntervalRun | undefined
}

/**
 * Plans one run of an insight that reads the table. `undefined` if the table does not fit the run. `isUnmerged`: whether each id is its
 * own person, so that no person is looked up.
 */
export const planFromStored = (
  query: InsightQuery,
  run: InsightRun,
  stored: Stored & { readonly signature: string },
  isUnmerged = false,
): StoredPlan | undefined => {
  const shape = shapeOfInsight(query)
  if (!('signature' in shape) || shape.signature !== stored.signature) return undefined
  const isWeighed = shape.kind === 'buckets'
  let isServed = true
  const requests: RequestedEvents[] = []
  const from = (requested: RequestedEvents): FromSql => {
    requests.push(requested)
    const rows = requested.cuts || !isWeighed ? storedRows(requested, shape, stored) : undefined
    if (!rows) isServed = false
    return rows ?? requested.from
  }
  const plan = planInsight(query, { ...run, reading: { isWeighed, from, isUnmerged } })
  void plan.statements
  if (!isServed) return undefined
  return { plan, intervals: intervalsOf(plan, requests, shape, { stored, projectId: run.projectId }) }
}
