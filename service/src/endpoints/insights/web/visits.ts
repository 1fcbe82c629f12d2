import { DERIVED, mergedIds } from '../../../sql/catalog/derived.ts'
import { createItems } from '../../../sql/catalog/derivedRows.ts'
import { call, type FromSql, infix, name, type SelectSql, type Sql } from '../../../sql/catalog/physical.ts'
import { propertyOfColumn } from '../../../sql/catalog/properties.ts'
import { createSessions, isAnyOf, type SessionRows, VIEWS, visitColumn } from '../../../sql/catalog/sessions.ts'
import type { VisitColumn } from '../../../sql/catalog/tables.ts'
import type { Value } from '../../../sql/catalog/value.ts'
import { type FilterContext, type FilterGroup, passes } from '../filters.ts'
import type { Period } from '../period.ts'
import { column, lambda, number, part } from '../select.ts'
import { bound, every, type PropertyRef, type Reading, some, stringOf, timestampOf } from '../source.ts'
import { goalFilters, splitFilters } from './webFilters.ts'
import type { Goal, WebPeriods } from './webQuery.ts'

const HOUR = 3_600_000

/** SDKs begin a new session after this time. A session's events are looked for within it before and after a period. */
export const MAX_SESSION_MS = 24 * HOUR

/** Returns properties of the events of sessions, as strings. */
const createEventProperties = ({ ofEvent }: SessionRows) => {
  const known = new Map<string, Value>()
  return (key: string): Sql =>
    key === '$pathname'
      ? ofEvent('pathname', visitColumn('pathname'))
      : propertyOfColumn(name('properties'), [key], {
          demand: (id, sql) => ofEvent(`property ${id}`, sql),
          known,
        }).read()
}

export interface VisitOptions {
  readonly periods: WebPeriods
  readonly filters: FilterGroup
  readonly context: FilterContext
  readonly reading: Pick<Reading, 'isUnmerged'>
  /** Conversion goal of the sessions. */
  readonly goal?: Goal | null | undefined
  /** Starts of the intervals of each period. Absent: the rows have no intervals. */
  readonly buckets?: readonly (readonly number[])[]
}

/**
 * Hash that replaces a string where the engine keeps one for each session or person. Of ten million different strings, two
 * have the same hash once in 400,000 times.
 */
export const hashOf = (value: Sql): Sql => call('sipHash64', value)

/** Bucket number of rows that cover their whole period. */
export const WHOLE = -1

/** The sessions of a query: one row for each period they belong to and, with `buckets`, one for the whole and one for the interval. */
export interface Visits {
  readonly sessions: SessionRows
  /** Whether an event is a view that passes the filters of events. */
  readonly isMatch: Sql
  /** A property of each event, as a string. */
  readonly eventProperty: (key: string) => Sql
  /** Values that an event reports about the previous page; NULL or NaN if it reports nothing. `seen`: share of the page, 0 to 1. */
  readonly previousPage: { readonly pathname: Sql; readonly seconds: Sql; readonly seen: Sql }
  /** The number of a session's matching views, as an expression for `value`. */
  readonly viewsOfSession: Sql
  /** Passes a value of a session on to the rows. */
  readonly value: (id: string, sql: Sql) => Sql
  /** Returns the values of the events for which `isCounted` holds, each with its hash. */
  readonly valuesOfEvents: (value: Sql, isCounted: Sql) => SelectSql
  /** Columns of the rows. `period`: 0 is the current one. `person`: a hash. `isBounce`: 1, 0 or NULL. */
  readonly period: Sql
  readonly bucket: Sql
  readonly person: Sql
  readonly views: Sql
  readonly seconds: Sql
  readonly isBounce: Sql
  /** The number of a session's events that reach the goal. */
  readonly conversions: Sql
  /** Call last. */
  readonly toSql: () => FromSql
}

const isIn = (time: Sql, { from, until }: Period, of: (instant: number) => Sql): Sql =>
  every([infix(time, '>=', of(from)), infix(time, '<', of(until))])

const instantOf = (instant: number): Sql => bound('Int64', instant)

/**
 * Creates the sessions of a query in two levels: events are grouped by session, and merged ids are joined to the
 * sessions. A session counts if it has a view that passes the filters, and belongs as a whole to the period it starts in.
 */
export const createVisits = ({ periods, filters, context, reading, goal, buckets }: VisitOptions): Visits => {
  const [S, IDS, PERSONS, V] = ['s', 'd', 'p', 'v']
  const sessions = createSessions({ as: S })
  const persons = DERIVED.persons({ as: PERSONS, isJoined: true })
  const { select, all } = createItems(V)
  const covered = [periods.current, ...(periods.previous ? [periods.previous] : [])]
  const { event: eventFilters, session: sessionFilters } = splitFilters(filters)
  const eventProperty = createEventProperties(sessions)
  const passesEvent = (group: FilterGroup): Sql =>
    passes({ property: (of) => eventProperty((of as PropertyRef).key) }, group, context)
  const isMatch = every([isAnyOf(sessions.row('event'), VIEWS), passesEvent(eventFilters)])
  const start = call('toUnixTimestamp64Milli', sessions.column('$start_timestamp')!.read())
  const distinctId = sessions.column('distinct_id')!.read()
  const { isUnmerged } = reading
  const merged = name(IDS, 'person')
  const person = isUnmerged ? distinctId : call('if', call('empty', merged), distinctId, merged)
  let readsPersons = false
  const sessionProperty = (of: string | PropertyRef): Sql => {
    const { key, type } = of as PropertyRef
    if (type === 'session') return stringOf(sessions.column(key)!)
    readsPersons = true
    return stringOf(persons.column('properties')!.child!(key))
  }
  const where = passes({ property: sessionProperty }, sessionFilters, context)
  // A session may belong to both periods, and no session is read twice.
  const places = covered.flatMap((period, index) => {
    const at = call('if', isIn(start, period, instantOf), bound('Int64', index), bound('Int64', -1))
    const bucketsOf = buckets?.[index]
    return [
      call('tuple', at, bound('Int64', WHOLE)),
      ...(bucketsOf ? [call('tuple', at, call('roundDown', start, bound('Array(Int64)', bucketsOf)))] : []),
    ]
  })
  const place = select(
    'place',
    call(
      'arrayJoin',
      call('arrayFilter', lambda(['x'], infix(part(name('x'), 1), '>=', number(0))), call('array', ...places)),
    ),
  )
  const views = sessions.aggregate('views', call('countIf', isMatch))
  // Events of sessions that begin or end outside a period are read too.
  const isRead = some(
    covered.map(({ from, until }) =>
      isIn(sessions.row('timestamp'), { from: from - MAX_SESSION_MS, until: until + MAX_SESSION_MS }, timestampOf),
    ),
  )
  return {
    sessions,
    isMatch,
    eventProperty,
    get previousPage() {
      const read = (column: VisitColumn) => sessions.ofEvent(column, visitColumn(column))
      return { pathname: read('prev_pathname'), seconds: read('prev_seconds'), seen: read('prev_seen') }
    },
    viewsOfSession: views,
    value: select,
    valuesOfEvents: (value, isCounted) => ({
      kind: 'select',
      items: [column(hashOf(value), 'hash'), column(call('any', value), 'value')],
      from: sessions.events(),
      where: every([isRead, isCounted]),
      groupBy: [hashOf(value)],
    }),
    period: part(place, 1),
    bucket: part(place, 2),
    person: select('person', hashOf(person)),
    views: select('views', views),
    get seconds() {
      return select('seconds', sessions.column('$session_duration')!.read())
    },
    get isBounce() {
      return select('is bounce', call('toUInt8', sessions.column('$is_bounce')!.read()))
    },
    get conversions() {
      if (!goal) return number(0)
      const isGoal = infix(sessions.row('event'), '=', bound('String', goal.customEventName))
      const reaches = every([isGoal, passesEvent(goalFilters(goal.properties, context))])
      return select('conversions', sessions.aggregate('conversions', call('countIf', reaches)))
    },
    toSql() {
      const joinIds = (left: FromSql): FromSql => ({
        kind: 'join',
        join: 'left',
        left,
        right: mergedIds(IDS),
        on: infix(distinctId, '=', name(IDS, 'distinct_id')),
      })
      const joinPersons = (left: FromSql): FromSql => {
        const on = infix(person, '=', persons.key())
        return { kind: 'join', join: 'left', left, right: persons.toSql(), on }
      }
      const rows = sessions.toSql({ where: [isRead], having: infix(call('countIf', isMatch), '>', number(0)) })
      const withIds = isUnmerged ? rows : joinIds(rows)
      return {
        kind: 'named',
        name: V,
        query: { kind: 'select', items: all(), from: readsPersons ? joinPersons(withIds) : withIds, where },
      }
    },
  }
}
