import { DATE_FORMS, readDate } from '../endpoints/insights/period.ts'
import { createZone } from '../endpoints/insights/zone.ts'
import { ApiError } from '../lib/apiError.ts'
import { inParts } from '../lib/parts.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Persons } from '../persons/lookup.ts'
import { createOwners, personIdsOf } from '../persons/owners.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { CHUNK_COLUMNS, MAX_CHUNKS, ms, noRecording, OF_PROJECT, toChunk } from './chunkRows.ts'
import { CHUNKS, SESSIONS } from './chunkStore.ts'
import { SLOT_MS } from './figures.ts'
import { windowsOf } from './manifest.ts'
import { createReadSnapshots, type ReadSnapshots } from './readSnapshots.ts'
import type { RecordingThread } from './thread.ts'
import type { RecordingDetails, RecordingsPage, RecordingView } from './views.ts'

export interface RecordingsRequest {
  readonly limit: number
  /** The value of `next` of the previous page. */
  readonly cursor: string | undefined
  /** Sessions that started within this time. Dates in a form of insights, in the project's time zone. */
  readonly dateFrom: string | undefined
  readonly dateTo: string | undefined
  /** Only sessions of these persons. Empty: all. */
  readonly personIds: readonly string[]
  readonly distinctId: string | undefined
  /** Only these sessions. Empty: all. */
  readonly sessionIds: readonly string[]
  /** Only sessions with each of these events. */
  readonly events: readonly string[]
  /** Only sessions with a URL that contains this, in any case. */
  readonly page: string | undefined
  readonly minSeconds: number | undefined
  readonly maxSeconds: number | undefined
  /** Whether there were errors in the console or exceptions. */
  readonly hasErrors: boolean | undefined
  readonly signal: AbortSignal
}

/** Reads recordings. All methods reject with `ApiError`. */
export interface Recordings {
  /** Lists recordings, latest first. */
  list(projectId: number, request: RecordingsRequest): Promise<RecordingsPage>
  get(projectId: number, sessionId: string, signal: AbortSignal): Promise<RecordingDetails>
  readonly snapshots: ReadSnapshots
}

const DAY_MS = 24 * 3_600_000
// Nodes of a cluster pass constants in seconds, of which they read ten digits.
const END_OF_TIME = Date.UTC(2286, 0, 1)
const MAX_URLS = 200

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const bySession = (name: string) =>
  `SELECT \`$session_id\` FROM db.events WHERE ${OF_PROJECT} AND event = {${name}:String} AND timestamp >= ${time('eventsFrom')} AND timestamp < ${time('eventsUntil')}`

// FINAL counts a chunk that was sent twice once. Payloads are not read.
const SUMMARY = `session_id, argMax(distinct_id, (last, seq)), min(first) AS started, max(last) AS ended,
  length(groupUniqArrayArray(slots)), sum(clicks), sum(keypresses), sum(console_errors),
  argMinIf(urls[1], first, notEmpty(urls)), uniqExactArray(urls), uniqExact(window_id), sum(bytes), max(is_anchor), toString(min(expires_on))`
/** Chunks with the times of one clock per window: that of its first chunk, as in `windowsOf`. */
const onOneClock = (conditions: string) => `(
  SELECT session_id, window_id, seq, distinct_id, clicks, keypresses, console_errors, urls, bytes, is_anchor, expires_on,
    argMin(shift_ms, seq) OVER (PARTITION BY session_id, window_id) - shift_ms AS delay,
    ${ms('first_at')} + delay AS first, ${ms('last_at')} + delay AS last,
    arrayMap(slot -> toInt64(slot) + toInt64(round(delay / ${SLOT_MS})), active_slots) AS slots
  FROM db.${CHUNKS} FINAL WHERE ${OF_PROJECT} AND ${conditions})`
/** Sessions with chunks that were moved to the service's clock. The others have the duration of their row in the table of sessions. */
const MOVED = `SELECT session_id FROM db.${CHUNKS} WHERE ${OF_PROJECT} AND shift_ms != 0`
/** Returns the condition on the duration of a session. `limit`: a comparison. */
const lasts = (limit: string) =>
  `if(session_id IN (${MOVED}),
    session_id IN (SELECT session_id FROM ${onOneClock(`session_id IN (${MOVED})`)} GROUP BY session_id HAVING max(last) - min(first) ${limit}),
    ended - started ${limit})`
const EXCEPTIONS = `SELECT \`$session_id\`, count() FROM db.events WHERE ${OF_PROJECT} AND event = '$exception' AND timestamp >= ${time('from')} AND timestamp <= ${time('until')}
  AND \`$session_id\` IN {sessions:Array(String)} GROUP BY 1`

const iso = (value: unknown) => new Date(Number(value)).toISOString()

type Summary = Omit<RecordingView, 'person_id' | 'exceptions'>

const toSummary = (row: readonly unknown[]): Summary => {
  const [
    id,
    distinctId,
    started,
    ended,
    slots,
    clicks,
    keypresses,
    errors,
    url,
    pages,
    windows,
    bytes,
    isAnchor,
    expires,
  ] = row
  const durationMs = Number(ended) - Number(started)
  return {
    id: String(id),
    distinct_id: String(distinctId),
    started_at: iso(started),
    ended_at: iso(ended),
    duration_ms: durationMs,
    active_ms: Math.min(Number(slots) * SLOT_MS, durationMs),
    clicks: Number(clicks),
    keypresses: Number(keypresses),
    console_errors: Number(errors),
    start_url: String(url) || null,
    pages: Number(pages),
    windows: Number(windows),
    bytes: Number(bytes),
    is_playable: Boolean(Number(isAnchor)),
    expires_on: String(expires),
  }
}

interface Cursor {
  readonly at: number
  readonly id: string
}

const cursorOf = (text: string): Cursor => {
  try {
    const { at, id } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Cursor>
    if (Number.isSafeInteger(at) && typeof id === 'string') return { at: at!, id }
  } catch {
    // The error below reports it.
  }
  throw new ApiError('invalid_input', {
    attr: 'cursor',
    detail: '"cursor" must be the value of "next" of a previous response. Omit it for the first page.',
  })
}

/** ms since the epoch. */
interface Period {
  readonly from: number | undefined
  readonly until: number | undefined
}

interface Condition {
  readonly text: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Returns the condition that the session has one of some values, of which there may be many. */
const isAmong = (column: string, name: string, values: readonly string[]): Condition => {
  const parts = inParts(values)
  return {
    text: parts.map((_, index) => `${column} IN {${name}${index}:Array(String)}`).join(' OR ') || 'false',
    params: Object.fromEntries(parts.map((part, index) => [`${name}${index}`, part])),
  }
}

/** Returns the conditions on sessions, after their rows are grouped. */
const conditionsOf = (
  request: RecordingsRequest,
  { from, until }: Period,
  distinctIds: readonly string[] | undefined,
): Condition[] => {
  const { events, page, minSeconds, maxSeconds, hasErrors, cursor } = request
  const ids = distinctIds && isAmong('id', 'distinctIds', distinctIds)
  const position = cursor === undefined ? undefined : cursorOf(cursor)
  const withErrors = `(max(has_errors) > 0 OR session_id IN (${bySession('exception')}))`
  return [
    ...(from === undefined ? [] : [{ text: 'started >= {from:Int64}', params: { from } }]),
    ...(until === undefined ? [] : [{ text: 'started < {until:Int64}', params: { until } }]),
    ...(ids
      ? [
          {
            text: `countIf(arrayExists(id -> ${ids.text}, distinct_ids)) > 0`,
            ...(ids.params ? { params: ids.params } : {}),
          },
        ]
      : []),
    ...events.map((event, index) => ({
      text: `session_id IN (${bySession(`event${index}`)})`,
      params: { [`event${index}`]: event },
    })),
    ...(page === undefined
      ? []
      : [
          {
            text: 'countIf(arrayExists(url -> positionCaseInsensitiveUTF8(url, {page:String}) > 0, urls)) > 0',
            params: { page },
          },
        ]),
    ...(minSeconds === undefined ? [] : [{ text: lasts('>= {minMs:Int64}'), params: { minMs: minSeconds * 1_000 } }]),
    ...(maxSeconds === undefined ? [] : [{ text: lasts('<= {maxMs:Int64}'), params: { maxMs: maxSeconds * 1_000 } }]),
    ...(hasErrors === undefined
      ? []
      : [{ text: hasErrors ? withErrors : `NOT ${withErrors}`, params: { exception: '$exception' } }]),
    ...(position
      ? [{ text: '(started, session_id) < ({at:Int64}, {id:String})', params: { at: position.at, id: position.id } }]
      : []),
  ]
}

export const createRecordings = ({
  queryRows,
  persons,
  projects,
  thread,
}: {
  readonly queryRows: QueryRows
  readonly persons: Pick<Persons, 'distinctIds'>
  readonly projects: Pick<Metadata['projects'], 'byId'>
  readonly thread: Pick<RecordingThread, 'play'>
}): Recordings => {
  const complete = async (
    projectId: number,
    found: readonly Summary[],
    signal: AbortSignal,
  ): Promise<RecordingView[]> => {
    if (!found.length) return []
    const times = found.flatMap(({ started_at, ended_at }) => [Date.parse(started_at), Date.parse(ended_at)])
    const params = {
      projectId,
      sessions: found.map(({ id }) => id),
      from: Math.min(...times) - DAY_MS,
      until: Math.max(...times) + DAY_MS,
    }
    const rows = await queryRows(projectId, { text: EXCEPTIONS, params }, signal)
    const exceptions = new Map(rows.map(([id, count]) => [String(id), Number(count)]))
    const ids = [...new Set(found.map(({ distinct_id }) => distinct_id))]
    const personIds = await personIdsOf(createOwners(queryRows), projectId, ids, signal)
    return found.map((each) => ({
      ...each,
      person_id: personIds.get(each.distinct_id)!,
      exceptions: exceptions.get(each.id) ?? 0,
    }))
  }

  /** Returns the figures of sessions, in this order. */
  const summariesOf = async (
    projectId: number,
    sessionIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Summary[]> => {
    if (!sessionIds.length) return []
    const text = `SELECT ${SUMMARY} FROM ${onOneClock('session_id IN {sessionIds:Array(String)}')} GROUP BY session_id`
    const rows = await queryRows(projectId, { text, params: { projectId, sessionIds } }, signal)
    const byId = new Map(rows.map(toSummary).map((summary) => [summary.id, summary]))
    // A session that was deleted in the meantime has no summary.
    return sessionIds.flatMap((id) => byId.get(id) ?? [])
  }

  const periodOf = async (projectId: number, { dateFrom, dateTo }: RecordingsRequest): Promise<Period> => {
    const zone = createZone((await projects.byId(projectId))?.timezone ?? 'UTC')
    const read = (attr: string, text: string | undefined) => {
      const date = text === undefined ? undefined : readDate(text, zone, Date.now())
      if (text !== undefined && !date)
        throw new ApiError('invalid_input', { attr, detail: `"${attr}" must be ${DATE_FORMS}.` })
      return date
    }
    return { from: read('date_from', dateFrom)?.from, until: read('date_to', dateTo)?.until }
  }

  const idsOf = async (projectId: number, { personIds, distinctId, signal }: RecordingsRequest) => {
    if (!personIds.length) return distinctId === undefined ? undefined : [distinctId]
    const ids = (await Promise.all(personIds.map((id) => persons.distinctIds(projectId, id, signal)))).flat()
    return distinctId === undefined ? ids : ids.filter((id) => id === distinctId)
  }

  return {
    async list(projectId, request) {
      const { limit, sessionIds, signal } = request
      const period = await periodOf(projectId, request)
      const { from, until } = period
      const conditions = conditionsOf(request, period, await idsOf(projectId, request))
      const sessions = sessionIds.length ? isAmong('session_id', 'sessions', sessionIds) : undefined
      const rows = await queryRows(
        projectId,
        {
          text: `SELECT session_id, ${ms('min(started_at)')} AS started, ${ms('max(ended_at)')} AS ended
            FROM db.${SESSIONS} WHERE ${OF_PROJECT}
            AND ended_at >= ${time('rowsFrom')} AND started_at < ${time('rowsUntil')} ${sessions ? `AND (${sessions.text})` : ''}
            GROUP BY session_id ${conditions.length ? `HAVING ${conditions.map(({ text }) => text).join(' AND ')}` : ''}
            ORDER BY started DESC, session_id DESC LIMIT {limit:UInt32}`,
          params: {
            projectId,
            limit: limit + 1,
            // A session lasts a day at most. Its rows before the time range decide when it started.
            rowsFrom: from === undefined ? 0 : from - DAY_MS,
            rowsUntil: until === undefined ? END_OF_TIME : until + DAY_MS,
            eventsFrom: from === undefined ? 0 : from - DAY_MS,
            eventsUntil: until === undefined ? END_OF_TIME : until + 2 * DAY_MS,
            ...sessions?.params,
            ...(Object.assign({}, ...conditions.map(({ params }) => params)) as Readonly<Record<string, unknown>>),
          },
        },
        signal,
      )
      const found = rows.slice(0, limit).map(([id, started]) => ({ id: String(id), at: Number(started) }))
      const last = found.at(-1)
      const ids = found.map(({ id }) => id)
      const summaries = await summariesOf(projectId, ids, signal)
      return {
        results: await complete(projectId, summaries, signal),
        next: last && rows.length > limit ? Buffer.from(JSON.stringify(last)).toString('base64url') : null,
      }
    },

    async get(projectId, sessionId, signal) {
      const params = { projectId, sessionId, limit: MAX_CHUNKS }
      const of = `FROM db.${CHUNKS} FINAL WHERE ${OF_PROJECT} AND session_id = {sessionId:String}`
      const read = (text: string) => queryRows(projectId, { text, params }, signal)
      const [row] = await read(
        `SELECT ${SUMMARY} FROM ${onOneClock('session_id = {sessionId:String}')} GROUP BY session_id`,
      )
      if (!row) throw noRecording()
      const chunks = await read(
        `SELECT ${CHUNK_COLUMNS} ${of} GROUP BY window_id, seq ORDER BY window_id, seq LIMIT {limit:UInt32}`,
      )
      const urls = await read(
        `SELECT url FROM (SELECT arrayJoin(urls) AS url, first_at ${of}) GROUP BY url ORDER BY min(first_at) LIMIT ${MAX_URLS}`,
      )
      const [summary] = await complete(projectId, [toSummary(row)], signal)
      return {
        ...summary!,
        urls: urls.map(([url]) => String(url)),
        windows_list: windowsOf(chunks.map(toChunk)),
      }
    },

    snapshots: createReadSnapshots({ queryRows, thread }),
  }
}
