import { call, infix, name, type FromSql, type Sql, text } from '../../sql/catalog/physical.ts'
import type { SourceScope } from '../../sql/resolve/scope.ts'
import { MAX_GROUP_TYPES, TABLES } from '../../sql/catalog/tables.ts'
import { tableSource } from '../../sql/resolve/tableSource.ts'
import type { IsPlain } from '../../sql/catalog/properties.ts'
import type { Value } from '../../sql/catalog/value.ts'
import { own } from '../../lib/own.ts'

/** A property of an event, or of its person, session or group. */
export interface PropertyRef {
  readonly key: string
  /** Default: `event`. */
  readonly type?: string | null
  /** For a group: the index of its type, from 0. */
  readonly group_type_index?: number | null
}

/** Parts of the events that a source reads. */
export interface RequestedEvents {
  /** The rows of a live run. */
  readonly from: FromSql
  /**
   * All times that timestamps are compared with: timestamps with none of these between them are equivalent. Absent:
   * exact timestamps matter.
   */
  readonly cuts?: readonly number[]
  /** Whether a row may represent several events, with their number as its `weight`. */
  readonly takesWeights: boolean
}

/** Place from which event rows are read. */
export interface Reading {
  /** Whether rows have weights, for sources that support them. */
  readonly isWeighed: boolean
  from(requested: RequestedEvents): FromSql
  /** Whether each id is its own person, so that no person is looked up. Default: false. */
  readonly isUnmerged?: boolean
  /** Whether a property of an event has never been an object or an array. Default: false for each. */
  readonly isPlain?: IsPlain
}

/** The column of a row's weight. */
export const WEIGHT = '__weight'

export const LIVE: Reading = { isWeighed: false, from: ({ from }) => from }

/** The events of one project, and the columns read from them. Insights read storage only through a source. */
export interface Source {
  readonly event: Sql
  readonly distinctId: Sql
  /** The person's id, after merges. */
  readonly person: Sql
  readonly session: Sql
  readonly uuid: Sql
  /** The timestamp, in ms since the epoch. */
  readonly instant: Sql
  /** The event's timestamp, to be compared with `times` only. It may be the start of a bucket instead of the exact timestamp. */
  among(times: readonly number[]): { readonly timestamp: Sql; readonly instant: Sql }
  /** The number of events that a row represents. Absent: one. */
  readonly weight?: Sql
  /** The key of the event's group of a type, empty if it has none. */
  group(index: number): Sql
  /** A property as a string. NULL: it is missing. A string argument is the key of an event property. */
  property(of: string | PropertyRef): Sql
  /** A member of an event property that is an object, as a string. NULL: it is missing. */
  member(property: string, name: string): Sql
  /** Returns the rows. Call last, after everything has been read. */
  from(): FromSql
}

const PROPERTY_TYPES: Readonly<Record<string, (events: SourceScope, ref: PropertyRef) => Value>> = {
  event: (events, { key }) => events.column('properties')!.child!(key),
  person: (events, { key }) => events.related('person')!.column('properties')!.child!(key),
  group: (events, { key, group_type_index: index }) =>
    events.related(`group_${index}`)!.column('properties')!.child!(key),
  session: (events, { key }) => events.related('session')!.column(key)!,
}

/** Returns a value as the string that filters and breakdowns compare. */
export const stringOf = ({ kind, read }: Value): Sql =>
  kind === 'property' || kind === 'text' ? read() : call('toString', read())

/** Types of properties that can be filtered and broken down by. */
export const PROPERTY_TYPE_NAMES: readonly string[] = Object.keys(PROPERTY_TYPES)

/** Returns the invalid field of a property reference and what it should be, or `undefined` if the reference is valid. */
export const faultOfProperty = ({
  key,
  type,
  group_type_index: index,
}: PropertyRef): { readonly field: string; readonly message: string } | undefined => {
  if (type && !PROPERTY_TYPE_NAMES.includes(type))
    return {
      field: 'type',
      message: `must be one of ${PROPERTY_TYPE_NAMES.join(', ')}. Properties of type "${type}" are not available in insights`,
    }
  if (type === 'group' && !(Number.isInteger(index) && index! >= 0 && index! < MAX_GROUP_TYPES))
    return {
      field: 'group_type_index',
      message: `must be the index of the group type, from 0 to ${MAX_GROUP_TYPES - 1}`,
    }
  if (type === 'session' && !Object.hasOwn(TABLES.sessions, key))
    return { field: 'key', message: `must be a column of sessions: ${Object.keys(TABLES.sessions).join(', ')}` }
  return undefined
}

// Alias of the rows. It is the first name that the compiler assigns.
const ROWS = '__t1'

/**
 * Creates a source that reads through the guard: no join or condition around it can return other projects' rows. Columns are selected only
 * when they are read, so that a materialized table stores only those.
 */
export const createSource = (reading: Reading, { takesWeights = false } = {}): Source => {
  let names = 0
  const events = tableSource('events', {
    alias: 'e',
    isOptional: false,
    newName: (prefix) => `__${prefix}${(names += 1)}`,
    isUnmerged: reading.isUnmerged,
    isPlain: reading.isPlain,
  })
  const field = (column: string): Sql => events.column(column)!.read()
  const cuts = new Set<number>()
  let isExact = false
  const exact = (column: string): Sql => {
    isExact = true
    return field(column)
  }
  const millis = (time: Sql): Sql => call('toUnixTimestamp64Milli', time)
  return {
    get event() {
      return field('event')
    },
    get distinctId() {
      return field('distinct_id')
    },
    // Costs a join.
    get person() {
      return field('person_id')
    },
    get session() {
      return field('$session_id')
    },
    get uuid() {
      return exact('uuid')
    },
    get instant() {
      return millis(exact('timestamp'))
    },
    among(times) {
      times.forEach((each) => cuts.add(each))
      const timestamp = field('timestamp')
      return { timestamp, instant: millis(timestamp) }
    },
    ...(takesWeights && reading.isWeighed ? { weight: name(ROWS, WEIGHT) } : {}),
    group: (index) => field(`$group_${index}`),
    property(of) {
      const ref = typeof of === 'string' ? { key: of } : of
      return stringOf(own(PROPERTY_TYPES, ref.type ?? 'event')!(events, ref))
    },
    member: (property, member) => stringOf(events.column('properties')!.child!(property).child!(member)),
    from: () => reading.from({ from: events.toSql(), ...(isExact ? {} : { cuts: [...cuts] }), takesWeights }),
  }
}

/**
 * Returns the actor of an event: its person, or its group of the type `groupType`. `isThere`: conditions that it exists, since an event may
 * have no such group.
 */
export const actorOf = (
  source: Source,
  groupType: number | null | undefined,
): { readonly id: Sql; readonly isThere: readonly Sql[] } => {
  if (typeof groupType !== 'number') return { id: source.person, isThere: [] }
  const id = source.group(groupType)
  return { id, isThere: [infix(id, '!=', text(''))] }
}

/** Returns a value that is sent as a parameter, not in the SQL. */
export const bound = (
  type: 'String' | 'Float64' | 'Int64' | 'UInt64' | 'Array(String)' | 'Array(Int64)' | "DateTime64(3, 'UTC')",
  value: unknown,
): Sql => ({ kind: 'parameter', type, value })

/** Returns an instant as a parameter that can be compared with timestamps. */
export const timestampOf = (instant: number) =>
  bound("DateTime64(3, 'UTC')", new Date(instant).toISOString().replace('T', ' ').replace('Z', ''))

/** Returns the conditions that an event is in a period or, without `from`, before its end. */
export const isWithin = (source: Source, { from, until }: { from?: number; until: number }): readonly Sql[] => {
  const { timestamp } = source.among(from === undefined ? [until] : [from, until])
  return [
    ...(from === undefined ? [] : [infix(timestamp, '>=', timestampOf(from))]),
    infix(timestamp, '<', timestampOf(until)),
  ]
}

const joined =
  (operator: 'AND' | 'OR', otherwise: boolean) =>
  (terms: readonly Sql[]): Sql => {
    // The engine plans a constant term like any other.
    const [first, ...rest] = terms.filter((term) => term.kind !== 'boolean' || term.value !== otherwise)
    if (!first) return { kind: 'boolean', value: otherwise }
    return rest.length ? { kind: 'infix', first, rest: rest.map((right) => ({ operator, right })) } : first
  }

export const every = joined('AND', true)
export const some = joined('OR', false)
export const not = (of: Sql): Sql => call('not', of)
