import { createHash } from 'node:crypto'
import type { Plan } from '../insights/insight.ts'
import { eventsOfInsight, type InsightQuery, type InsightRun, planInsight, UTC } from '../insights/insights.ts'
import { type AskedEvents, LIVE, type Reading, WEIGHT } from '../insights/source.ts'
import { guarded } from '../../sql/catalog/guard.ts'
import { call, type FromSql, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { EVENTS } from '../../sql/catalog/tables.ts'
import { baseOf, withBase } from './eventRows.ts'
import type { Violation } from './violation.ts'
import {
  all,
  any,
  AT,
  bucketOf,
  COUNT,
  DATABASE,
  timestamp,
  number,
  OWNER,
  SEEN,
  type Stored,
  STORED,
  toTimestamp,
} from './words.ts'

/**
 * What is stored for an insight: of its events what it reads of them. `rows`: each event. `buckets`: for an insight that only compares
 * times with the ends of intervals, one row for all events of a bucket of time that are alike in everything else, and how many they are.
 * Persons and groups stand beside the stored rows as beside the events: what is learnt of them later holds for both.
 */
export interface InsightShape {
  readonly signature: string
  readonly kind: 'rows' | 'buckets'
  /** What is read of an event, and the name of its stored column. */
  readonly columns: readonly { readonly name: string; readonly value: Sql }[]
  /** The names of the events; absent: all. */
  readonly events?: readonly string[]
  readonly bucketMs: number
}

const MINUTE_MS = 60_000
// The clocks of all time zones differ by multiples of it, so that every hour and day consists of whole ones.
const QUARTER_HOUR_MS = 15 * MINUTE_MS
// Beyond these it is no longer cheaper to read the cut buckets from the events.
const MAX_CUT_BUCKETS = 100

// What is read of an event does not depend on the range.
const SHORT_RANGE = { date_from: '2026-01-01T00:00:00', date_to: '2026-01-01T00:00:30' }

const TIME = name('timestamp')
const NAME = '__name'
const EVENT = '__e'
const idOf = (value: Sql): string => JSON.stringify(value)

// Sessions are made of their events, and all of these would be read.
const readsSessions = (query: unknown): boolean =>
  typeof query === 'object' &&
  query !== null &&
  Object.entries(query).some(
    ([field, value]) =>
      (/(?:^|_)type$/.test(field) && /^session(?:_properties)?$/.test(String(value))) || readsSessions(value),
  )

const sessionPlace = (query: unknown, at: string): string => {
  const inner = Object.entries(query as object).find(([, value]) => readsSessions(value))
  return inner ? sessionPlace(inner[1], `${at}.${inner[0]}`) : at
}

/** What to store for an insight, or what is in the way. */
export const shapeOfInsight = (query: InsightQuery): InsightShape | readonly Violation[] => {
  if (readsSessions(query)) {
    const field = sessionPlace(query, 'query')
    return [
      {
        code: 'session_property',
        message: `"${field}" is of a session, which is made of all of its events, so that nothing would be read less`,
        field,
        fix: 'Use a property of the event, or leave the endpoint live',
      },
    ]
  }
  const asked: AskedEvents[] = []
  const note: Reading = { ...LIVE, from: (each) => (asked.push(each), each.from) }
  planInsight(query, { projectId: 0, variables: SHORT_RANGE, zone: UTC, now: 0, reading: note })
  const values = new Map(
    [TIME, ...asked.flatMap(({ from }) => baseOf(from).base.items.map(({ value }) => value))].map((value) => [
      idOf(value),
      value,
    ]),
  )
  const columns = [...values.values()].map((value, at) => ({ name: `__c${at}`, value }))
  const events = eventsOfInsight(query)
  const kind = asked.every(({ cuts }) => cuts) ? 'buckets' : 'rows'
  const bucketMs = (query as { interval?: unknown }).interval === 'minute' ? MINUTE_MS : QUARTER_HOUR_MS
  const signature = createHash('sha256')
    .update(JSON.stringify([kind, bucketMs, columns, events ?? null]))
    .digest('hex')
    .slice(0, 32)
  return { signature, kind, columns, bucketMs, ...(events ? { events } : {}) }
}

/** Events with some of what is read of them, when they were and when they came. */
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

/** What fills the table: every event that came before the watermark. */
export const fillInsight = (shape: InsightShape, stored: Stored): SelectSql => {
  const raw = shape.columns.map(({ value }, at) => ({ value, name: `__r${at}` }))
  const isBuckets = shape.kind === 'buckets'
  const kept = shape.columns.map(({ name: own, value }, at) => ({
    value:
      isBuckets && idOf(value) === idOf(TIME)
        ? bucketOf(name(EVENT, AT), number(shape.bucketMs))
        : name(EVENT, raw[at]!.name),
    name: own,
  }))
  return {
    kind: 'select',
    items: [
      { value: call('toUInt32', { kind: 'project' }), name: OWNER },
      ...kept,
      { value: isBuckets ? call('count') : call('toUInt64', number(1)), name: COUNT },
    ],
    from: eventRows(raw),
    where: all([isOfInsight(shape), isBefore(stored)]),
    groupBy: isBuckets ? [name(OWNER), ...kept.map((each) => name(each.name))] : [],
  }
}

/** How many events the table should hold. */
export const countInsight = (shape: InsightShape, stored: Stored): SelectSql => ({
  kind: 'select',
  items: [{ value: call('count'), name: 'events' }],
  from: eventRows([]),
  where: all([isOfInsight(shape), isBefore(stored)]),
})

const columnOf = ({ columns }: InsightShape, value: Sql) => columns.find((each) => idOf(each.value) === idOf(value))

/** The columns by which the stored rows are sorted: which event, then when. */
export const sortingOfInsight = (shape: InsightShape): readonly string[] => [
  OWNER,
  ...[name('event'), TIME].flatMap((value) => columnOf(shape, value)?.name ?? []),
]

/** What a source asks for, out of the table, the cut buckets and what has come since; `undefined` if that cannot be. */
const storedRows = (
  { from, cuts = [], takesWeights }: AskedEvents,
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
  if (cut.length > MAX_CUT_BUCKETS || columns.some(({ column }) => column === undefined)) return undefined
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
        [...shape.columns.map((each) => each.name), COUNT].map((each) => ({ value: name(each), name: each })),
      ),
    },
    // Whoever takes no weights gets each event's row again.
    ...(isBuckets && !takesWeights
      ? { arrayJoin: { isLeft: false, items: [{ value: call('range', name(STORED, COUNT)), name: '__each' }] } }
      : {}),
    where:
      cut.length > 0
        ? call('not', call('has', { kind: 'parameter', type: 'Array(Int64)', value: cut }, bucket))
        : undefined,
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
    fromEvents(isAfter(stored)),
    ...(cut.length > 0 ? [fromEvents(isBefore(stored), any(cut.map(isIn)))] : []),
  ]
  return withBase(
    from,
    { kind: 'set', first: fromTable, rest: rest.map((query) => ({ operator: 'union all', query })) },
    fromTable.items.map((item) => item.name),
  )
}

/** What one run of an insight asks and answers, out of what is stored; `undefined` if that cannot serve it. */
export const planFromStored = (
  query: InsightQuery,
  run: InsightRun,
  stored: Stored & { readonly signature: string },
): Plan | undefined => {
  const shape = shapeOfInsight(query)
  if (!('signature' in shape) || shape.signature !== stored.signature) return undefined
  const isWeighed = shape.kind === 'buckets'
  let isServed = true
  const from = (asked: AskedEvents): FromSql => {
    const rows = asked.cuts || !isWeighed ? storedRows(asked, shape, stored) : undefined
    if (!rows) isServed = false
    return rows ?? asked.from
  }
  const plan = planInsight(query, { ...run, reading: { isWeighed, from } })
  return isServed ? plan : undefined
}
