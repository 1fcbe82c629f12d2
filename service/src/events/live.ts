import { own } from '../lib/own.ts'
import type { Rejections } from '../ingest/sink.ts'
import { isUuid, uuidv7 } from '../lib/uuid.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { decodeCursor, encodeCursor, isPosition, type Position } from './position.ts'
import { type EventKey, KEY_COLUMNS, readEvents, toKey } from './rows.ts'
import type { LiveEvents, RejectedView } from './views.ts'

export interface LiveRequest {
  readonly limit: number
  /** The value of `next` of the previous response. Absent: the newest events. */
  readonly after?: string | undefined
  readonly event?: string | undefined
  readonly distinctId?: string | undefined
  /** Whether rejected events are included. */
  readonly withRejected: boolean
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

/** Reads accepted and rejected events in order of arrival. Rejects with `ApiError`. */
export type Live = (projectId: number, request: LiveRequest) => Promise<LiveEvents>

/** Position up to which a client has read. */
interface LivePosition {
  /** Time at which the last event was stored, and its uuid. */
  readonly event: Position
  /** Id of the last rejected event. */
  readonly rejected: string
}

/** An arrived event, and the position of a client after reading it. `at`: time at which it was stored, in ms since the epoch. */
type Arrival =
  | { readonly at: number; readonly position: Pick<LivePosition, 'event'>; readonly key: EventKey }
  | { readonly at: number; readonly position: Pick<LivePosition, 'rejected'>; readonly view: RejectedView }

/** Whether a statement reads on from a position, or what came last. */
type Direction = 'onward' | 'newest'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
// The newest events are read from the last minutes, and from a longer period only if those have too few.
const WINDOWS_MS = [10 * MINUTE_MS, DAY_MS, 7 * DAY_MS]
const MAX_WINDOW_MS = 7 * DAY_MS

/** The uuid that sorts before all others in the engine. */
const FIRST_UUID = '00000000-0000-0000-0000-000000000000'
/** Returns the lowest UUIDv7 of a timestamp, in string order. */
const uuidAt = (ms: number) => `${uuidv7(ms).slice(0, 13)}-7000-8000-000000000000`
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

const isLivePosition = ({ event, rejected }: Partial<LivePosition>) =>
  typeof event === 'object' && event !== null && isPosition(event) && isUuid(rejected)

const startAt = (at: number): LivePosition => ({ event: { at, uuid: FIRST_UUID }, rejected: uuidAt(at) })

const matching = ({ event, distinctId }: LiveRequest) =>
  `${event === undefined ? '' : 'AND event = {event:String}'} ${distinctId === undefined ? '' : 'AND distinct_id = {distinctId:String}'}`

const matchingParams = ({ event, distinctId }: LiveRequest) => ({
  ...(event === undefined ? {} : { event }),
  ...(distinctId === undefined ? {} : { distinctId }),
})

export interface LiveOptions {
  /** Reasons for which events are rejected. */
  readonly rejections: Rejections
  readonly queryRows: QueryRows
  /**
   * Age in ms at which events are returned. Several writers, or the shards of a cluster, may finish in another order
   * than they began, and a client that has read on would miss the slower one. 0: there is one writer and one server.
   */
  readonly minAgeMs: number
}

/**
 * Creates a reader of arrived events. It keeps no state and reads the engine's index by time of arrival, so any process
 * can answer, also after a restart.
 */
export const createLive = ({ queryRows, rejections, minAgeMs }: LiveOptions): Live => {
  const readEventKeys = async (
    projectId: number,
    { at, uuid }: Position,
    direction: Direction,
    count: number,
    request: LiveRequest,
  ): Promise<Arrival[]> => {
    const order = direction === 'newest' ? 'DESC' : 'ASC'
    const rows = await queryRows(
      projectId,
      {
        text: `SELECT ${KEY_COLUMNS}, toUnixTimestamp64Milli(inserted_at) FROM db.events
          WHERE project_id = {projectId:UInt32} AND inserted_at >= fromUnixTimestamp64Milli({at:Int64}, 'UTC')
            AND (inserted_at > fromUnixTimestamp64Milli({at:Int64}, 'UTC') OR uuid > {uuid:UUID})
            AND inserted_at <= now64(3) - toIntervalMillisecond({minAgeMs:UInt32}) ${matching(request)}
          ORDER BY inserted_at ${order}, uuid ${order} LIMIT {count:UInt32}`,
        params: { projectId, at, uuid, minAgeMs, count, ...matchingParams(request) },
      },
      request.signal,
    )
    return rows.map((row) => {
      const key = toKey(row)
      return { at: Number(row.at(-1)), key, position: { event: { at: Number(row.at(-1)), uuid: key.uuid } } }
    })
  }

  const readRejected = async (
    projectId: number,
    after: string,
    direction: Direction,
    count: number,
    request: LiveRequest,
  ): Promise<Arrival[]> => {
    if (!request.withRejected) return []
    const rows = await queryRows(
      projectId,
      {
        text: `SELECT id, uuid, event, distinct_id, formatDateTime(refused_at, '%FT%T.%fZ'), code, sample FROM db.refused_events
          WHERE project_id = {projectId:UInt32} AND id > {after:String} AND id < {until:String} ${matching(request)}
          ORDER BY id ${direction === 'newest' ? 'DESC' : 'ASC'} LIMIT {count:UInt32}`,
        params: { projectId, after, until: uuidAt(Date.now() + 1 - minAgeMs), count, ...matchingParams(request) },
      },
      request.signal,
    )
    return rows.map((row) => {
      const [id, uuid, event, distinct_id, created_at, code, sample] = row.map(String) as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
      const { message: reason, remedy } = own(rejections, code) ?? { message: code, remedy: '' }
      const view = {
        type: 'rejected_event',
        id,
        uuid,
        event,
        distinct_id,
        created_at,
        code,
        reason,
        remedy,
        sample,
      } as const
      return { at: timeOf(id), position: { rejected: id }, view }
    })
  }

  const newest = async (projectId: number, request: LiveRequest): Promise<Arrival[]> => {
    const now = Date.now()
    let events: Arrival[] = []
    for (const windowMs of WINDOWS_MS) {
      events = await readEventKeys(projectId, startAt(now - windowMs).event, 'newest', request.limit, request)
      if (events.length === request.limit) break
    }
    const oldest = startAt(now - MAX_WINDOW_MS).rejected
    const rejected = await readRejected(projectId, oldest, 'newest', request.limit, request)
    return [...events.reverse(), ...rejected.reverse()]
  }

  const onward = async (projectId: number, from: LivePosition, request: LiveRequest): Promise<Arrival[]> => {
    const [events, rejected] = await Promise.all([
      readEventKeys(projectId, from.event, 'onward', request.limit + 1, request),
      readRejected(projectId, from.rejected, 'onward', request.limit + 1, request),
    ])
    return [...events, ...rejected]
  }

  return async (projectId, request) => {
    const { after, limit, signal } = request
    const from =
      after === undefined
        ? undefined
        : decodeCursor<LivePosition>(after, isLivePosition, {
            attr: 'after',
            startOver: 'Omit it for the newest events.',
          })
    const found = (from ? await onward(projectId, from, request) : await newest(projectId, request)).sort(
      (a, b) => a.at - b.at,
    )
    const arrivals = from ? found.slice(0, limit) : found.slice(-limit)
    const keys = arrivals.flatMap((each) => ('key' in each ? [each.key] : []))
    const events = new Map(
      (await readEvents(queryRows, projectId, keys, { signal })).map((event) => [event.uuid, event]),
    )
    const results = arrivals.flatMap((each): LiveEvents['results'] => {
      if ('view' in each) return [each.view]
      const event = events.get(each.key.uuid)
      if (!event) return [] // The event was erased in the meantime.
      const { $session_id: _, ...view } = event
      return [{ type: 'event', ...view }]
    })
    const position = (from ? arrivals : found).reduce<LivePosition>(
      (reached, each) => ({ ...reached, ...each.position }),
      from ?? startAt(Date.now() - MAX_WINDOW_MS),
    )
    return { results, next: encodeCursor(position), has_more: from !== undefined && found.length > limit }
  }
}
