import { inSlices } from '../lib/largeJson.ts'
import { inParts } from '../lib/parts.ts'
import type { Steps } from '../lib/timeSlices.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { createOwners, personIdsOf } from '../persons/owners.ts'
import { cutJson } from '../lib/cutJson.ts'
import { quoteUnsafeIntegers } from '../storage/unsafeIntegers.ts'
import { END_OF_TIME, START_OF_TIME } from './position.ts'
import type { EventView } from './views.ts'

/** Location of a stored event: its uuid, and the columns of the table's sorting key. */
export interface EventKey {
  readonly uuid: string
  readonly event: string
  /** ms since the epoch. */
  readonly timestamp: number
  /** `cityHash64` of the distinct id, as digits. */
  readonly idHash: string
}

/** The columns of a key in a statement's text. */
export const KEY_COLUMNS = 'toString(uuid), event, toUnixTimestamp64Milli(timestamp), toString(cityHash64(distinct_id))'

/** Returns the key in a row that begins with these columns. */
export const toKey = ([uuid, event, timestamp, idHash]: readonly unknown[]): EventKey => ({
  uuid: String(uuid),
  event: String(event),
  timestamp: Number(timestamp),
  idHash: String(idHash),
})

const DAY_MS = 24 * 3_600_000

/** Returns the key of an event, or nothing if the project has no such event. */
export const findKey = async (
  queryRows: QueryRows,
  projectId: number,
  uuid: string,
  signal: AbortSignal,
): Promise<EventKey[]> => {
  const find = async (from: number, until: number) => {
    const text = `SELECT ${KEY_COLUMNS} FROM db.events WHERE project_id = {projectId:UInt32} AND uuid = {uuid:UUID}
      AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND timestamp < fromUnixTimestamp64Milli({until:Int64}, 'UTC') LIMIT 1`
    return (await queryRows(projectId, { text, params: { projectId, uuid, from, until } }, signal)).map(toKey)
  }
  // A UUIDv7 begins with its time, which is close to that of the event. This saves reading the other days.
  const at = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
  const near = uuid[14] === '7' && at < END_OF_TIME ? await find(at - DAY_MS, at + DAY_MS) : []
  return near.length ? near : find(START_OF_TIME, END_OF_TIME)
}

/** An event with its session. */
export type StoredEvent = EventView & { readonly $session_id: string | null }

/** Maximum bytes of one property, of all properties of an event, and of those of all events, in a list. */
export const MAX_VALUE_BYTES = 2_000
export const MAX_PROPERTIES_BYTES = 20_000
export const MAX_LIST_BYTES = 4_000_000

/** Maximum bytes of the properties that are parsed at once, unless a single event has more. */
export const MAX_WHOLE_BYTES = 500_000

const WHOLE = 'toJSONString(properties)'
// The engine cuts values, because the events of one page may have gigabytes. A cut value is a string.
const RAW = `JSONExtractKeysAndValuesRaw(${WHOLE})`
const MEMBERS = `arrayMap(m -> (m.1, ${cutJson('m.2', MAX_VALUE_BYTES)}), ${RAW})`
const KEPT = `arrayFilter((m, bytes) -> bytes <= {maxBytes:UInt32}, ${MEMBERS}, arrayCumSum(arrayMap(m -> length(m.1) + length(m.2), ${MEMBERS})))`
const IS_SMALL = `length(${WHOLE}) <= ${MAX_VALUE_BYTES}`
const CUT = `if(${IS_SMALL}, ${WHOLE}, concat('{', arrayStringConcat(arrayMap(m -> concat(toJSONString(m.1), ':', m.2), ${KEPT}), ','), '}'))`
const IS_CUT = `if(${IS_SMALL}, false, arrayExists(m -> length(m.2) > ${MAX_VALUE_BYTES}, ${RAW}) OR length(${KEPT}) < length(${RAW}))`

const iso = (column: string) => `formatDateTime(${column}, '%FT%T.%fZ')`

const COLUMNS = `toString(uuid), event, distinct_id, ${iso('timestamp')}, ${iso('inserted_at')}, \`$session_id\``

/** Returns the condition that an event has one of these keys, with its parameters. */
const withKeys = (projectId: number, keys: readonly EventKey[]) => {
  const events = [...new Set(keys.map(({ event }) => event))]
  // The conditions on columns of the sorting key only save reading. As subqueries, the engine computes their sets once
  // and compares them with its index. Names that do not fit into a parameter are omitted.
  const hasEvents = inParts(events).length === 1
  return {
    where: `project_id = {projectId:UInt32} AND uuid IN {uuids:Array(UUID)} ${hasEvents ? 'AND event IN {events:Array(String)}' : ''}
          AND toDate(timestamp) IN (SELECT toDate(fromUnixTimestamp64Milli(arrayJoin({times:Array(Int64)}), 'UTC')))
          AND cityHash64(distinct_id) IN (SELECT toUInt64(arrayJoin({hashes:Array(String)})))`,
    params: {
      projectId,
      uuids: keys.map(({ uuid }) => uuid),
      times: [...new Set(keys.map(({ timestamp }) => timestamp))],
      hashes: [...new Set(keys.map(({ idHash }) => idHash))],
      ...(hasEvents ? { events } : {}),
    },
  }
}

/** Reads the events with these keys, in the same order. With `isWhole`, their properties are complete: see `readWholeEvents`. */
export const readEvents = async (
  queryRows: QueryRows,
  projectId: number,
  keys: readonly EventKey[],
  { isWhole = false, signal }: { readonly isWhole?: boolean; readonly signal: AbortSignal },
): Promise<StoredEvent[]> => {
  if (!keys.length) return []
  const { where, params } = withKeys(projectId, keys)
  const text = `SELECT ${COLUMNS}, ${isWhole ? WHOLE : CUT}, ${isWhole ? 'false' : IS_CUT} FROM db.events WHERE ${where}`
  const maxBytes = Math.min(MAX_PROPERTIES_BYTES, Math.floor(MAX_LIST_BYTES / keys.length))
  const rows = await queryRows(projectId, { text, params: { ...params, ...(isWhole ? {} : { maxBytes }) } }, signal)
  const distinctIds = [...new Set(rows.map((row) => String(row[2])))]
  const persons = await personIdsOf(createOwners(queryRows), projectId, distinctIds, signal)
  const byUuid = new Map<unknown, StoredEvent>()
  const toEvents = function* (): Steps<void> {
    for (const [uuid, event, distinctId, timestamp, createdAt, session, properties, isCut] of rows) {
      yield
      byUuid.set(uuid, {
        uuid: String(uuid),
        event: String(event),
        distinct_id: String(distinctId),
        person_id: persons.get(String(distinctId))!,
        timestamp: String(timestamp),
        created_at: String(createdAt),
        properties: JSON.parse(quoteUnsafeIntegers(String(properties))) as EventView['properties'],
        is_truncated: Boolean(isCut),
        $session_id: String(session) || null,
      })
    }
  }
  await inSlices(toEvents())
  // An event that was erased meanwhile is missing.
  return keys.flatMap(({ uuid }) => byUuid.get(uuid) ?? [])
}

/**
 * Reads the events with these keys, with complete properties, in the same order. Few at a time: an event may have a
 * megabyte, and parsing one takes about 10 ms of the event loop.
 */
export async function* readWholeEvents(
  queryRows: QueryRows,
  projectId: number,
  keys: readonly EventKey[],
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void, undefined> {
  if (!keys.length) return
  const { where, params } = withKeys(projectId, keys)
  const text = `SELECT toString(uuid), length(${WHOLE}) FROM db.events WHERE ${where}`
  const sizes = await queryRows(projectId, { text, params }, signal)
  const bytesOf = new Map(sizes.map(([uuid, bytes]) => [uuid, Number(bytes)]))
  let group: EventKey[] = []
  let bytes = 0
  for (const key of keys) {
    const own = bytesOf.get(key.uuid) ?? 0
    if (group.length && bytes + own > MAX_WHOLE_BYTES) {
      yield* await readEvents(queryRows, projectId, group, { isWhole: true, signal })
      group = []
      bytes = 0
    }
    group.push(key)
    bytes += own
  }
  yield* await readEvents(queryRows, projectId, group, { isWhole: true, signal })
}
