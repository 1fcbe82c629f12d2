import { call, infix, name, type FromSql, type Sql, text } from '../../sql/catalog/physical.ts'
import type { SourceScope } from '../../sql/resolve/scope.ts'
import { MAX_GROUP_TYPES, TABLES } from '../../sql/catalog/tables.ts'
import { tableSource } from '../../sql/resolve/tableSource.ts'
import type { Value } from '../../sql/catalog/value.ts'

/** Whose property: the event's own, or of what stands beside it. */
export interface PropertyRef {
  readonly key: string
  /** Absent: of the event. */
  readonly type?: string | null
  /** Of a group: which type of group, from 0. */
  readonly group_type_index?: number | null
}

/** What a source asks of the events. */
export interface AskedEvents {
  /** The rows as they are read live. */
  readonly from: FromSql
  /** All that times are compared with, so that times with none of these between them are alike. Absent: each event's own time matters. */
  readonly cuts?: readonly number[]
  /** Whether a row may stand for several events, with their number as its `weight`. */
  readonly takesWeights: boolean
}

/** Where the rows of events come from. */
export interface Reading {
  /** Whether rows have weights for those who take them. */
  readonly isWeighed: boolean
  from(asked: AskedEvents): FromSql
}

/** The column of a row's weight. */
export const WEIGHT = '__weight'

export const LIVE: Reading = { isWeighed: false, from: ({ from }) => from }

/** The events of one project, and what is read of them. Every part of an insight that reads storage goes through one. */
export interface Source {
  readonly event: Sql
  /** The person's id, whichever of its ids an event came with. */
  readonly person: Sql
  readonly session: Sql
  readonly uuid: Sql
  /** ms since 1970. */
  readonly instant: Sql
  /** The event's time, for whoever compares it with `times` alone: of those it tells which have come, and no more. */
  among(times: readonly number[]): { readonly timestamp: Sql; readonly instant: Sql }
  /** For how many events a row stands. Absent: for one. */
  readonly weight?: Sql
  /** The key of the group of a type; empty if the event belongs to none. */
  group(index: number): Sql
  /** A property as text; NULL if there is none. A text alone is the key of an event's property. */
  property(of: string | PropertyRef): Sql
  /** To be called last, when all that is read has been asked for. */
  from(): FromSql
}

const PROPERTY_TYPES: Readonly<Record<string, (events: SourceScope, ref: PropertyRef) => Value>> = {
  event: (events, { key }) => events.column('properties')!.child!(key),
  person: (events, { key }) => events.related('person')!.column('properties')!.child!(key),
  group: (events, { key, group_type_index: index }) =>
    events.related(`group_${index}`)!.column('properties')!.child!(key),
  session: (events, { key }) => events.related('session')!.column(key)!,
}

/** Types of properties that can be filtered and broken down by. */
export const PROPERTY_TYPE_NAMES: readonly string[] = Object.keys(PROPERTY_TYPES)

/** What is wrong with a reference to a property, as the field and what it should be; `undefined`: nothing. */
export const faultOfProperty = ({
  key,
  type,
  group_type_index: index,
}: PropertyRef): { readonly field: string; readonly message: string } | undefined => {
  if (type && !PROPERTY_TYPE_NAMES.includes(type))
    return {
      field: 'type',
      message: `is one of ${PROPERTY_TYPE_NAMES.join(', ')}: properties of type "${type}" are not available in insights`,
    }
  if (type === 'group' && !(Number.isInteger(index) && index! >= 0 && index! < MAX_GROUP_TYPES))
    return { field: 'group_type_index', message: `is the index of the type of group, from 0 to ${MAX_GROUP_TYPES - 1}` }
  if (type === 'session' && !Object.hasOwn(TABLES.sessions, key))
    return { field: 'key', message: `is a column of sessions: ${Object.keys(TABLES.sessions).join(', ')}` }
  return undefined
}

// The first that it names are its rows.
const ROWS = '__t1'

/**
 * Reads behind the guard: what stands around it, joins and conditions included, cannot bring other projects' rows back. What is read is
 * noted, so that less can be stored: each column only where it is asked for.
 */
export const createSource = (reading: Reading, { takesWeights = false } = {}): Source => {
  let names = 0
  const events = tableSource('events', {
    alias: 'e',
    isOptional: false,
    newName: (prefix) => `__${prefix}${(names += 1)}`,
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
    // It costs a join.
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
      const { kind, read } = PROPERTY_TYPES[ref.type ?? 'event']!(events, ref)
      return kind === 'property' || kind === 'text' ? read() : call('toString', read())
    },
    from: () => reading.from({ from: events.toSql(), ...(isExact ? {} : { cuts: [...cuts] }), takesWeights }),
  }
}

/**
 * Who goes through a funnel's steps, or returns: the person of an event, or its group of the type `groupType`; and whether there
 * is one, since an event without such a group is nobody's.
 */
export const actorOf = (
  source: Source,
  groupType: number | null | undefined,
): { readonly id: Sql; readonly isThere: readonly Sql[] } => {
  if (typeof groupType !== 'number') return { id: source.person, isThere: [] }
  const id = source.group(groupType)
  return { id, isThere: [infix(id, '!=', text(''))] }
}

/** A value that travels beside the text. */
export const bound = (
  type: 'String' | 'Float64' | 'Int64' | 'UInt64' | 'Array(String)' | 'Array(Int64)' | "DateTime64(3, 'UTC')",
  value: unknown,
): Sql => ({ kind: 'parameter', type, value })

const moment = (instant: number) =>
  bound("DateTime64(3, 'UTC')", new Date(instant).toISOString().replace('T', ' ').replace('Z', ''))

/** Whether an event falls into a period; without `from`, whether it comes before its end. */
export const isWithin = (source: Source, { from, until }: { from?: number; until: number }): readonly Sql[] => {
  const { timestamp } = source.among(from === undefined ? [until] : [from, until])
  return [...(from === undefined ? [] : [infix(timestamp, '>=', moment(from))]), infix(timestamp, '<', moment(until))]
}

const joined =
  (operator: 'AND' | 'OR', otherwise: boolean) =>
  (terms: readonly Sql[]): Sql => {
    const [first, ...rest] = terms
    if (!first) return { kind: 'boolean', value: otherwise }
    return rest.length ? { kind: 'infix', first, rest: rest.map((right) => ({ operator, right })) } : first
  }

export const every = joined('AND', true)
export const some = joined('OR', false)
export const not = (of: Sql): Sql => call('not', of)
