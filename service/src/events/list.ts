import { type FilterGroup, passes } from '../endpoints/insights/filters.ts'
import { DATE_FORMS, readDate } from '../endpoints/insights/period.ts'
import { filtersOf } from '../endpoints/insights/shared.ts'
import { bound, createSource, every, isWithin, LIVE, some, type Source } from '../endpoints/insights/source.ts'
import { createZone, type Zone } from '../endpoints/insights/zone.ts'
import { ApiError } from '../lib/apiError.ts'
import { inParts } from '../lib/parts.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Persons } from '../persons/lookup.ts'
import { call, infix, type SelectSql, type Sql } from '../sql/catalog/physical.ts'
import { print } from '../sql/print/print.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'
import { decodeCursor, encodeCursor, END_OF_TIME, isPosition, type Position } from './position.ts'
import { type EventKey, findKey, readEvents, type StoredEvent, toKey } from './rows.ts'
import { sessionStarts } from './sessionStarts.ts'
import type { EventView, TimelineEvent } from './views.ts'

export interface EventsPage<View> {
  readonly results: readonly View[]
  readonly next: string | null
}

interface PageRequest {
  readonly limit: number
  /** The value of `next` of the previous page. */
  readonly cursor?: string | undefined
  /** Names of events. Empty: all. */
  readonly events: readonly string[]
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

export interface EventsRequest extends PageRequest {
  readonly distinctId?: string | undefined
  readonly personId?: string | undefined
  /** Filters in the format of insight queries, as JSON. */
  readonly properties?: string | undefined
  /** Only events at or after this date, in a date format of insight queries. */
  readonly after?: string | undefined
  /** Only events before this date. */
  readonly before?: string | undefined
}

/** Reads events, newest first. All methods reject with `ApiError`. */
export interface Events {
  list(projectId: number, request: EventsRequest): Promise<EventsPage<EventView>>
  /** Returns an event with all its properties. */
  get(projectId: number, uuid: string, signal: AbortSignal): Promise<EventView>
  /** Lists the events of a person. */
  ofPerson(projectId: number, personId: string, request: PageRequest): Promise<EventsPage<TimelineEvent>>
}

/** Filters of an event list. Times are in ms since the epoch. */
interface Conditions {
  /** Absent: from the first event on. */
  readonly from?: number | undefined
  readonly until: number
  /** Empty: all. */
  readonly events: readonly string[]
  /** Absent: all. */
  readonly distinctIds?: readonly string[] | undefined
  readonly filters?: FilterGroup | undefined
}

interface Clock {
  readonly zone: Zone
  readonly now: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
// A page is read from the last hour, and from a longer period only if that has too few events.
const WINDOWS_MS = [HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS]

const START_OVER = 'Omit it for the first page.'

const isAmong = (value: Sql, texts: readonly string[]): Sql =>
  some(inParts(texts).map((part) => ({ kind: 'in', isNot: false, left: value, right: bound('Array(String)', part) })))

/** Returns the condition that an event comes after a position in the list. */
const isBeyond = ({ instant, uuid }: Source, position: Position): Sql =>
  some([
    infix(instant, '<', bound('Int64', position.at)),
    infix(uuid, '<', call('toUUID', bound('String', position.uuid))),
  ])

const keysQuery = (
  { from, until, events, distinctIds, filters }: Conditions,
  { position, limit, clock }: { position: Position | undefined; limit: number; clock: Clock },
): SelectSql => {
  const source = createSource(LIVE)
  const end = position ? Math.min(until, position.at + 1) : until
  const conditions = [
    ...isWithin(source, { ...(from === undefined ? {} : { from }), until: end }),
    ...(position ? [isBeyond(source, position)] : []),
    ...(events.length ? [isAmong(source.event, events)] : []),
    ...(distinctIds ? [isAmong(source.distinctId, distinctIds)] : []),
    ...(filters ? [passes(source, filters, clock)] : []),
  ]
  const { uuid, event, instant, distinctId } = source
  return {
    kind: 'select',
    items: [
      { value: call('toString', uuid), name: '__uuid' },
      { value: event, name: '__event' },
      { value: instant, name: '__instant' },
      { value: call('toString', call('cityHash64', distinctId)), name: '__hash' },
    ],
    from: source.from(),
    where: every(conditions),
    orderBy: [instant, uuid].map((by) => ({ by, isDescending: true })),
    limit: { kind: 'number', digits: String(limit) },
  }
}

const filtersIn = (json: string | undefined, clock: Clock): FilterGroup | undefined => {
  if (json === undefined) return undefined
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    throw new ApiError('invalid_input', { attr: 'properties', detail: '"properties" must be JSON: a list of filters.' })
  }
  try {
    return filtersOf(given, 'properties', clock)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The filters are checked like those of an insight, so the errors name the field "query.properties".
    throw new ApiError('invalid_input', {
      attr: 'properties',
      detail: error.details.detail?.replace('"query.properties', '"properties'),
    })
  }
}

const dateIn = (attr: string, text: string | undefined, { zone, now }: Clock): number | undefined => {
  if (text === undefined) return undefined
  const date = readDate(text, zone, now)
  if (!date) throw new ApiError('invalid_input', { attr, detail: `"${attr}" must be ${DATE_FORMS}.` })
  return date.from
}

export interface EventsDependencies {
  readonly queryRows: QueryRows
  readonly persons: Pick<Persons, 'distinctIds'>
  readonly projects: Pick<Metadata['projects'], 'byId'>
}

export const createEvents = ({ queryRows, persons, projects }: EventsDependencies): Events => {
  const clockOf = async (projectId: number): Promise<Clock> => ({
    zone: createZone((await projects.byId(projectId))?.timezone ?? 'UTC'),
    now: Date.now(),
  })

  const readKeys = async (projectId: number, query: SelectSql, signal: AbortSignal): Promise<EventKey[]> => {
    try {
      return (await queryRows(projectId, print(query, projectId), signal)).map(toKey)
    } catch (error) {
      // A regular expression is the only part of the statement that the caller can make invalid.
      if (!(error instanceof StorageError) || error.engineCode !== 'CANNOT_COMPILE_REGEXP') throw error
      throw new ApiError('invalid_input', {
        attr: 'properties',
        detail:
          'A filter of "properties" has an invalid regular expression. Correct its "value", which has the syntax of RE2.',
      })
    }
  }

  /** Returns the keys of a page, and of one more event if it exists. */
  const findKeys = async (
    projectId: number,
    conditions: Conditions,
    { limit, cursor, signal }: PageRequest,
    clock: Clock,
  ): Promise<EventKey[]> => {
    const position =
      cursor === undefined
        ? undefined
        : decodeCursor<Position>(cursor, isPosition, { attr: 'cursor', startOver: START_OVER })
    const newest = Math.min(clock.now, conditions.until, position?.at ?? Infinity)
    for (const windowMs of WINDOWS_MS) {
      const from = newest - windowMs
      if (from <= (conditions.from ?? -Infinity)) break
      const query = keysQuery({ ...conditions, from }, { position, limit: limit + 1, clock })
      const keys = await readKeys(projectId, query, signal)
      if (keys.length > limit) return keys
    }
    return readKeys(projectId, keysQuery(conditions, { position, limit: limit + 1, clock }), signal)
  }

  const readPage = async (
    projectId: number,
    conditions: Conditions,
    request: PageRequest,
    clock: Clock,
  ): Promise<EventsPage<StoredEvent>> => {
    const { limit, signal } = request
    const keys = await findKeys(projectId, conditions, request, clock)
    const page = keys.slice(0, limit)
    const last = page.at(-1)
    return {
      results: await readEvents(queryRows, projectId, page, { signal }),
      next:
        last && keys.length > limit ? encodeCursor({ at: last.timestamp, uuid: last.uuid } satisfies Position) : null,
    }
  }

  const idsOf = async (projectId: number, { distinctId, personId, signal }: EventsRequest) => {
    if (personId === undefined) return distinctId === undefined ? undefined : [distinctId]
    const ids = await persons.distinctIds(projectId, personId, signal)
    return distinctId === undefined ? ids : ids.filter((id) => id === distinctId)
  }

  return {
    async list(projectId, request) {
      const clock = await clockOf(projectId)
      const conditions: Conditions = {
        from: dateIn('after', request.after, clock),
        until: dateIn('before', request.before, clock) ?? END_OF_TIME,
        events: request.events,
        filters: filtersIn(request.properties, clock),
        distinctIds: await idsOf(projectId, request),
      }
      const { results, next } = await readPage(projectId, conditions, request, clock)
      return { results: results.map(({ $session_id: _, ...event }) => event), next }
    },

    async get(projectId, uuid, signal) {
      const keys = await findKey(queryRows, projectId, uuid, signal)
      const [found] = await readEvents(queryRows, projectId, keys, { isWhole: true, signal })
      if (!found) throw new ApiError('not_found', { detail: 'This project has no event with this uuid.' })
      const { $session_id: _, ...event } = found
      return event
    },

    async ofPerson(projectId, personId, request) {
      const distinctIds = await persons.distinctIds(projectId, personId, request.signal)
      if (!distinctIds.length) throw new ApiError('not_found', { detail: 'This project has no person with this id.' })
      const conditions = { until: END_OF_TIME, events: request.events, distinctIds }
      const { results, next } = await readPage(projectId, conditions, request, await clockOf(projectId))
      const starts = await sessionStarts(queryRows, projectId, results, request.signal)
      return { results: results.map((event) => ({ ...event, starts_session: starts.has(event.uuid) })), next }
    },
  }
}
