import { channelOf } from './channel.ts'
import { createItems, type DerivedOptions, type DerivedRows, item, nullable } from './derivedRows.ts'
import { guarded } from './guard.ts'
import { call, type FromSql, infix, name, type Sql, text } from './physical.ts'
import { EVENTS, type VisitColumn } from './tables.ts'
import { value, type Value } from './value.ts'
import { own } from '../../lib/own.ts'

const number = (digits: number): Sql => ({ kind: 'number', digits: String(digits) })

const EVENT_COUNTS: Readonly<Record<string, string>> = {
  $pageview_count: '$pageview',
  $screen_count: '$screen',
  $autocapture_count: '$autocapture',
}

const ENTRY_PROPERTIES: Readonly<Record<string, string>> = {
  $entry_current_url: '$current_url',
  $entry_pathname: '$pathname',
  $entry_referring_domain: '$referring_domain',
  $entry_utm_source: 'utm_source',
  $entry_utm_medium: 'utm_medium',
  $entry_utm_campaign: 'utm_campaign',
  $entry_utm_term: 'utm_term',
  $entry_utm_content: 'utm_content',
}

const EXIT_PROPERTIES: Readonly<Record<string, string>> = {
  $exit_current_url: '$current_url',
  $exit_pathname: '$pathname',
}

// SDKs repeat on every event how its session began, under these names.
const repeatedName = (property: string): string =>
  property === '$current_url' ? '$session_entry_url' : `$session_entry_${property.replace('$', '')}`

/** A session shorter than this, with one view or click, is a bounce. */
export const BOUNCE_SECONDS = 10

/** Events that open a page or a screen. */
export const VIEWS = ['$pageview', '$screen'] as const

/** The events of which a bounce has exactly one. */
export const INTERACTIONS = [...VIEWS, '$autocapture'] as const

/** The referring domain of a visit without a referrer. */
export const DIRECT = '$direct'

export const isAnyOf = (event: Sql, names: readonly string[]): Sql => ({
  kind: 'in',
  isNot: false,
  left: event,
  right: call('tuple', ...names.map(text)),
})

/** Reads a property of a stored event, as a nullable string. */
type Read = (property: string) => Sql

/** Returns a property of stored events as a nullable string. Nested values become NULL. */
const propertyOf: Read = (property) =>
  call('CAST', { kind: 'subColumn', of: name('properties'), path: [property] }, text('Nullable(String)'))

/** A column that the event store computed when it stored the event. */
export const visitColumn = (column: VisitColumn): Sql => name(column)

// A visitor who continues on the site after a pause has the site itself as referrer.
const referringDomain = (read: Read): Sql => {
  const [domain, host] = [read('$referring_domain'), read('$host')]
  return call('if', call('ifNull', infix(domain, '=', host), { kind: 'boolean', value: false }), text(DIRECT), domain)
}

/**
 * A property of a session's arrival, according to one stored event: from what the SDK repeats on every event of the
 * session (`$session_entry_…`), otherwise from the event's own properties.
 */
const arrivalProperty = (property: string): Sql => {
  if (property === '$pathname') return visitColumn('entry_pathname')
  const from = (read: Read) => (property === '$referring_domain' ? referringDomain(read) : read(property))
  return call(
    'if',
    visitColumn('repeats_arrival'),
    from((each) => propertyOf(repeatedName(each))),
    from(propertyOf),
  )
}

/** The channel of an arrival, from the JSON of the column `arrival`. */
const channelOfArrival = (json: Sql): Sql => {
  const arrival = call('JSONExtract', json, text('Tuple(String, String, String, UInt8, UInt8)'))
  const part = (position: number): Sql => call('tupleElement', arrival, number(position))
  const lower = (position: number): Sql => call('lower', part(position))
  return channelOf({
    source: lower(1),
    medium: lower(2),
    campaign: lower(3),
    hasSearchId: part(4),
    hasOtherId: part(5),
  })
}

// More than any timestamp in ms.
const RANK_STEP = number(2 ** 50)

// Events by rank, timestamp and uuid. As one number, which the engine compares three times as fast as a tuple.
const orderOf = (timestamp: Sql, uuid: Sql, rank: Sql): Sql => {
  const millis = call('toInt256', infix(call('toUnixTimestamp64Milli', timestamp), '+', infix(rank, '*', RANK_STEP)))
  return infix(call('bitShiftLeft', millis, number(128)), '+', call('toUInt128', uuid))
}

/** Sessions, with what can be computed of their events besides the columns of the table. */
export interface SessionRows extends Omit<DerivedRows, 'toSql'> {
  /** A column of an event's row: `event`, `timestamp`, `uuid`, or what `ofEvent` computes. */
  readonly row: (column: string) => Sql
  /** Returns an expression over the stored columns of each event. Expressions of one `column` are computed once. */
  readonly ofEvent: (column: string, sql: Sql) => Sql
  /** Returns an aggregate over the rows of a session's events. Aggregates of one `id` are computed once. */
  readonly aggregate: (id: string, sql: Sql) => Sql
  /** Returns a property of the event that describes the arrival. */
  readonly arrival: (property: string) => Sql
  /** The rows of events, with what `ofEvent` has computed so far. */
  readonly events: () => FromSql
  /** Call last. `where`: conditions on the rows of events; `having`: on aggregates of the sessions. */
  readonly toSql: (conditions?: { readonly where?: readonly Sql[]; readonly having?: Sql }) => FromSql
}

/** Creates the sessions of the events that carry their id. */
export const createSessions = ({ as, isJoined }: DerivedOptions): SessionRows => {
  const { select, all } = createItems(as)
  const read = new Map<string, Sql>()
  const row = (column: string) => name('__v', column)
  const [start, end] = [call('min', row('timestamp')), call('max', row('timestamp'))]
  const duration = call('dateDiff', text('second'), start, end)
  const made = (kind: Value['kind'], column: string, sql: Sql): Value =>
    value(kind, select(column, nullable(isJoined, sql)), Boolean(isJoined))
  const ofEvent = (column: string, sql: Sql): Sql => {
    read.set(column, sql)
    return row(column)
  }
  const isView = isAnyOf(row('event'), VIEWS)
  // An event that repeats how its session began is the best source, then the first view, then the first event.
  const isRepeated = () => ofEvent('repeats_arrival', visitColumn('repeats_arrival'))
  const inOrder = (rank: Sql) => orderOf(row('timestamp'), row('uuid'), rank)
  const atStart = () => inOrder(call('multiIf', isRepeated(), number(0), isView, number(1), number(2)))
  // Strings instead of tuples, because the engine compares and keeps strings faster. Never NULL, because argMin skips NULL.
  const atArrival = (column: string, sql: Sql): Sql => call('argMin', ofEvent(column, sql), atStart())
  // With a prefix, because a missing property differs from an empty one.
  const arrivalOf = (column: string, sql: Sql): Sql => {
    const found = atArrival(column, call('ifNull', call('concat', text('='), sql), text('')))
    return call('if', call('empty', found), { kind: 'null' }, call('substring', found, number(2)))
  }
  const exitOf = (property: string): Sql => {
    const exit = ofEvent(`exit ${property}`, propertyOf(property))
    return call('argMaxIf', exit, inOrder(call('toUInt8', isView)), call('isNotNull', exit))
  }
  const nullableProperty = (column: string, sql: Sql): Value => ({ ...made('property', column, sql), isNullable: true })
  const countOf = (...events: readonly string[]) => call('countIf', isAnyOf(row('event'), events))
  const interactions = countOf(...INTERACTIONS)
  const isBounce = call(
    'if',
    infix(interactions, '=', number(0)),
    { kind: 'null' },
    call('toBool', infix(infix(interactions, '=', number(1)), 'AND', infix(duration, '<', number(BOUNCE_SECONDS)))),
  )
  const simple: Readonly<Record<string, () => Value>> = {
    session_id: () => made('text', 'session_id', row('$session_id')),
    distinct_id: () => made('text', 'distinct_id', call('argMin', row('distinct_id'), inOrder(number(0)))),
    $start_timestamp: () => made('time', '$start_timestamp', start),
    $end_timestamp: () => made('time', '$end_timestamp', end),
    $session_duration: () => made('number', '$session_duration', duration),
    $event_count: () => made('number', '$event_count', call('count')),
    $channel_type: () => made('text', '$channel_type', channelOfArrival(atArrival('arrival', visitColumn('arrival')))),
    // NULL for a session without a view or click, which shows nothing of how the visitor behaved.
    $is_bounce: () => ({ ...made('boolean', '$is_bounce', isBounce), isNullable: true }),
  }
  const column = (wanted: string): Value | undefined => {
    if (Object.hasOwn(EVENT_COUNTS, wanted)) return made('number', wanted, countOf(own(EVENT_COUNTS, wanted)!))
    if (Object.hasOwn(ENTRY_PROPERTIES, wanted))
      return nullableProperty(wanted, arrivalOf(wanted, arrivalProperty(own(ENTRY_PROPERTIES, wanted)!)))
    if (Object.hasOwn(EXIT_PROPERTIES, wanted)) return nullableProperty(wanted, exitOf(own(EXIT_PROPERTIES, wanted)!))
    return own(simple, wanted)?.()
  }
  const events = (): FromSql => {
    const stored = ['$session_id', 'event', 'distinct_id', 'timestamp', 'uuid'].map((each) => item(name(each), each))
    const query = guarded(EVENTS, [...stored, ...[...read].map(([column, sql]) => item(sql, column))])
    return { kind: 'named', name: '__v', query }
  }
  return {
    column,
    row,
    ofEvent,
    aggregate: select,
    arrival: (property) => select(`arrival ${property}`, arrivalOf(`arrival ${property}`, arrivalProperty(property))),
    key: () => select('key', row('$session_id')),
    events,
    toSql: ({ where = [], having } = {}) => {
      const isInSession = infix(row('$session_id'), '!=', text(''))
      return {
        kind: 'named',
        name: as,
        query: {
          kind: 'select',
          items: all(),
          from: events(),
          where: where.reduce((left, right) => infix(left, 'AND', right), isInSession),
          groupBy: [row('$session_id')],
          ...(having ? { having } : {}),
        },
      }
    },
  }
}

export const sessions = (options: DerivedOptions): DerivedRows => createSessions(options)
