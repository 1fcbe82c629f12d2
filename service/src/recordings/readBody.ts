import { ApiError } from '../lib/apiError.ts'
import { countValues } from '../lib/countValues.ts'
import { idOf, nameOf } from '../lib/names.ts'
import { isDeeperThan } from '../lib/storableJson.ts'
import { decode, parseJson } from '../ingest/decode.ts'
import { type InflateBudget, openCompressedFields } from './compressedFields.ts'
import { figuresOf } from './figures.ts'
import { EVENT_TYPE, type Fields, isFields, isRecordedEvent, type RecordedEvent } from './rrweb.ts'

/** Maximum bytes of a body, as sent and decompressed. */
export const MAX_SENT_BYTES = 4 * 1024 * 1024
export const MAX_BODY_BYTES = 20 * 1024 * 1024
/** Maximum decompressed size of a body's compressed fields, in bytes. */
export const MAX_FIELD_BYTES = 40 * 1024 * 1024
/** Maximum keys and values of a body, and of its compressed fields. They decide how much memory and time parsing takes. */
export const MAX_VALUES = 2_000_000
/** Maximum items of a body, and events of an item. */
export const MAX_ITEMS = 1_000
export const MAX_ITEM_EVENTS = 20_000
/** Maximum nesting of an event. Each level of a page takes two. Parsers of HTML stop at 512 levels, scripts may add more. */
export const MAX_EVENT_DEPTH = 3_000
/** Maximum bytes of a stored row. */
export const MAX_ROW_BYTES = 1_000_000

const MAX_ID = 200
const MAX_DISTINCT_ID = 1_000
const MAX_SEQUENCE = 1_000_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Clock skew above this is corrected. */
const TRUSTED_SKEW_MS = 60_000
/** Events that waited on the visitor's device for longer are dropped. SDKs keep them for a week. */
export const MAX_AGE_MS = 8 * DAY_MS
const MAX_AHEAD_MS = HOUR_MS

/** Reasons for which chunks are rejected, with the messages for the sender. */
export const CHUNK_REJECTIONS = {
  not_an_object: 'A chunk must be an object.',
  not_a_snapshot: '"event" must be "$snapshot". Send other events to /e/.',
  invalid_session: `"$session_id" must be a string of 1 to ${MAX_ID} characters, at least one of them visible.`,
  invalid_window: `"$window_id" must be absent or a string of at most ${MAX_ID} characters, at least one of them visible.`,
  missing_distinct_id: `"distinct_id" must be a number or a string of 1 to ${MAX_DISTINCT_ID} characters, at least one of them visible.`,
  invalid_data: `"$snapshot_data" must be a list of at most ${MAX_ITEM_EVENTS} rrweb events.`,
  no_events: 'The chunk has no event that can be stored.',
  unknown_token: 'No project has this token.',
} as const
export type ChunkRejection = keyof typeof CHUNK_REJECTIONS

/** A chunk of a recording, ready to be stored. */
export interface Chunk {
  readonly token: string | undefined
  readonly sessionId: string
  /** Time of the first event, in ms since the epoch by the service's clock. */
  readonly firstAt: number
  /** Bytes of the events. */
  readonly bytes: number
  /** The rows: JSON objects of columns without the opening brace, to which the caller adds more columns. */
  readonly rows: readonly Uint8Array[]
  /** The row of its session, in the same form. */
  readonly session: Uint8Array
  /** Events that could not be read. */
  readonly badEvents: number
}

export interface RecordingBody {
  readonly body: Uint8Array
  readonly compression: string | undefined
  /** Query parameter `token`. */
  readonly token: string | undefined
  /** Query parameter `_`: when the body was sent, in ms since the epoch. */
  readonly sentAt: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
}

/** The chunks of a body in order, or why each was rejected. */
export type ReadChunk = Chunk | { readonly code: ChunkRejection; readonly token: string | undefined }

const atMost = (maxLength: number, text: string | undefined): string | undefined =>
  text !== undefined && text.length <= maxLength ? text : undefined

const textOf = (value: unknown, maxLength: number): string | undefined => atMost(maxLength, nameOf(value))

const countOf = (value: unknown, max: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max ? value : undefined

const timeOf = (value: unknown): number | undefined => {
  const ms =
    typeof value === 'number' ? value : typeof value === 'string' && value.length < 64 ? Date.parse(value) : NaN
  return Number.isFinite(ms) ? ms : undefined
}

/** Splits bytes of UTF-8 at characters. */
export const splitBytes = (bytes: Buffer, maxBytes: number): Buffer[] => {
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + maxBytes, bytes.length)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1
    parts.push(bytes.subarray(start, end))
    start = end
  }
  return parts
}

/** Returns how far the visitor's clock is behind the service's, in ms. 0: it is about right. */
const shiftOf = (sentAt: number | undefined, receivedAt: number): number => {
  const skew = sentAt === undefined ? 0 : receivedAt - sentAt
  return Math.abs(skew) > TRUSTED_SKEW_MS ? Math.round(skew) : 0
}

interface ReadEvents {
  /** Events to store. */
  readonly events: RecordedEvent[]
  /** Events that are nested too deeply or cannot be decompressed. The recording has their number, and when they happened. */
  readonly leftOut: RecordedEvent[]
}

const readEvents = (
  data: readonly unknown[],
  budget: InflateBudget,
  isInTime: (timestamp: number) => boolean,
): ReadEvents => {
  const events: RecordedEvent[] = []
  const leftOut: RecordedEvent[] = []
  for (const value of data) {
    if (!isRecordedEvent(value) || !isInTime(value.timestamp)) continue
    try {
      const event = openCompressedFields(value, budget)
      ;(isDeeperThan(event, MAX_EVENT_DEPTH) ? leftOut : events).push(event)
    } catch {
      leftOut.push(value) // One unreadable event is no reason to lose the others.
    }
  }
  return { events, leftOut }
}

interface Envelope {
  readonly token: string | undefined
  readonly sentAt: unknown
  readonly receivedAt: number
  readonly budget: InflateBudget
}

/** Returns a row as a line of JSON without its brace. */
const toLine = (columns: Fields): Buffer => Buffer.from(`${JSON.stringify(columns).slice(1)}\n`)

const toChunk = (
  { sessionId, windowId, distinctId }: Readonly<Record<'sessionId' | 'windowId' | 'distinctId', string>>,
  properties: Fields,
  { events, leftOut }: ReadEvents,
  shiftMs: number,
): Pick<Chunk, 'firstAt' | 'bytes' | 'rows' | 'session' | 'sessionId'> => {
  const times = [...events, ...leftOut].map(({ timestamp }) => timestamp)
  // Not Math.min(...times): a chunk may have more events than a function may have arguments.
  const first = Math.round(times.reduce((least, time) => Math.min(least, time)))
  const last = Math.round(times.reduce((most, time) => Math.max(most, time)))
  const figures = figuresOf(events, shiftMs)
  const payload = Buffer.from(events.map((event) => JSON.stringify(event)).join('\n'))
  const parts = payload.length ? splitBytes(payload, MAX_ROW_BYTES) : [payload]
  const isAnchor = events.some(({ type }) => type === EVENT_TYPE.fullSnapshot)
  const rows = parts.map((part, index) => {
    const isFirst = index === 0
    const columns = {
      session_id: sessionId,
      window_id: windowId,
      // Other SDKs send no numbers. Their chunks are ordered by time, which is greater than any number.
      seq: countOf(properties.$snapshot_sequence, MAX_SEQUENCE) ?? first,
      part: index,
      distinct_id: distinctId,
      first_at: first + shiftMs,
      last_at: last + shiftMs,
      shift_ms: shiftMs,
      // A split snapshot can be played from its last part on.
      is_anchor: isAnchor && index === parts.length - 1 ? 1 : 0,
      is_last_part: index === parts.length - 1 ? 1 : 0,
      events: isFirst ? events.length : 0,
      clicks: isFirst ? figures.clicks : 0,
      keypresses: isFirst ? figures.keypresses : 0,
      console_errors: isFirst ? figures.consoleErrors : 0,
      active_slots: isFirst ? figures.activeSlots : [],
      urls: isFirst ? figures.urls : [],
      policy: textOf(properties.$snapshot_policy, 20) ?? '',
      dropped: isFirst ? (countOf(properties.$snapshot_dropped, MAX_SEQUENCE) ?? 0) + leftOut.length : 0,
      bytes: part.length,
      payload: part.toString('utf8'),
    }
    return toLine(columns)
  })
  const session = toLine({
    session_id: sessionId,
    distinct_ids: [distinctId],
    started_at: first + shiftMs,
    ended_at: last + shiftMs,
    has_errors: figures.consoleErrors ? 1 : 0,
    urls: figures.urls,
  })
  return { sessionId, firstAt: first + shiftMs, bytes: payload.length, rows, session }
}

const readItem = (item: unknown, { token: around, sentAt, receivedAt, budget }: Envelope): ReadChunk => {
  if (!isFields(item)) return { code: 'not_an_object', token: around }
  const properties = isFields(item.properties) ? item.properties : {}
  const token = around ?? textOf(item.api_key, MAX_ID) ?? textOf(properties.token, MAX_ID)
  const reject = (code: ChunkRejection) => ({ code, token })
  if (item.event !== '$snapshot') return reject('not_a_snapshot')
  const sessionId = textOf(properties.$session_id, MAX_ID)
  if (!sessionId) return reject('invalid_session')
  const windowId = properties.$window_id ? textOf(properties.$window_id, MAX_ID) : ''
  if (windowId === undefined) return reject('invalid_window')
  const distinctId = atMost(MAX_DISTINCT_ID, idOf(properties.distinct_id) ?? idOf(item.distinct_id))
  if (!distinctId) return reject('missing_distinct_id')
  const data = properties.$snapshot_data
  if (!Array.isArray(data) || data.length > MAX_ITEM_EVENTS) return reject('invalid_data')
  const shiftMs = shiftOf(timeOf(item.sent_at ?? sentAt), receivedAt)
  const isInTime = (timestamp: number) =>
    timestamp + shiftMs > receivedAt - MAX_AGE_MS && timestamp + shiftMs < receivedAt + MAX_AHEAD_MS
  const read = readEvents(data, budget, isInTime)
  if (!read.events.length && !read.leftOut.length) return reject('no_events')
  return {
    token,
    badEvents: data.length - read.events.length,
    ...toChunk({ sessionId, windowId, distinctId }, properties, read, shiftMs),
  }
}

/**
 * Reads the chunks of a body. Takes up to seconds of computation, so it runs in a separate thread.
 * Rejects with `ApiError` if the body as a whole is invalid.
 */
export const readBody = async ({
  body,
  compression,
  token,
  sentAt,
  receivedAt,
}: RecordingBody): Promise<ReadChunk[]> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const json = await decode(bytes, compression, { maxBytes: MAX_BODY_BYTES })
  if (countValues(json) > MAX_VALUES)
    throw new ApiError('body_too_large', {
      detail: `A body of a recording may have at most ${MAX_VALUES} keys and values. Send it in smaller parts.`,
    })
  const parsed = parseJson(json)
  const envelope: Fields = isFields(parsed) ? parsed : {}
  const list = Array.isArray(parsed)
    ? parsed
    : (envelope.batch ?? envelope.data ?? ('event' in envelope ? [envelope] : undefined))
  if (!Array.isArray(list))
    throw new ApiError('invalid_input', {
      detail: 'The body must be a list of chunks, or an object with a "batch" of them.',
    })
  if (list.length > MAX_ITEMS)
    throw new ApiError('body_too_large', { detail: `A request may have at most ${MAX_ITEMS} chunks.` })
  const budget: InflateBudget = { bytes: MAX_FIELD_BYTES, values: MAX_VALUES }
  return list.map((item) =>
    readItem(item, {
      token: textOf(envelope.api_key, MAX_ID) ?? textOf(envelope.token, MAX_ID) ?? token,
      sentAt: envelope.sent_at ?? (sentAt !== undefined && /^\d{12,14}$/.test(sentAt) ? Number(sentAt) : undefined),
      receivedAt,
      budget,
    }),
  )
}
