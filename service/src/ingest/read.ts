import { ApiError } from '../lib/apiError.ts'
import { isUuid, uuidv7 } from '../lib/uuid.ts'
import { eventTime } from './clock.ts'
import { countChanges, type IdentityUpdate, identityUpdateOf, MAX_CHANGES } from '../persons/identityUpdate.ts'
import { isDeeperThan, MAX_DEPTH, storableJson, wellFormed } from '../lib/storableJson.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_VALUES, MAX_EVENTS, type Piece } from './split.ts'
import { firstTokenIn } from './tokens.ts'

/** An event as it will be stored. */
export interface ReadEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** ms since the epoch, by the service's clock. */
  readonly timestamp: number
  /** JSON text of an object. */
  readonly properties: string
  readonly elementsChain: string
  readonly sessionId: string
  readonly windowId: string
  /** What it says about its person and groups. */
  readonly identity: IdentityUpdate
}

/** Why one event of a body is refused. */
export type EventFault =
  | 'not_an_object'
  | 'missing_event_name'
  | 'event_name_too_long'
  | 'missing_distinct_id'
  | 'distinct_id_too_long'
  | 'invalid_uuid'
  | 'invalid_properties'
  | 'invalid_timestamp'
  | 'properties_too_deep'
  | 'event_too_large'
  | 'too_many_values'
  | 'too_many_changes'
  | 'unknown_token'
  | 'unstorable'

const MAX_NAME = 200
const MAX_DISTINCT_ID = 1_000

/** Messages for the senders of rejected events. */
export const EVENT_FAULTS: Readonly<Record<EventFault, string>> = {
  not_an_object: 'An event is an object.',
  missing_event_name: '"event" is the name of the event, a text that is not empty.',
  event_name_too_long: `"event" has at most ${MAX_NAME} characters.`,
  missing_distinct_id: '"distinct_id" is a text or a number, inside "properties" or beside them.',
  distinct_id_too_long: `"distinct_id" has at most ${MAX_DISTINCT_ID} characters.`,
  invalid_uuid: '"uuid" is a UUID of 36 characters, or absent.',
  invalid_properties: '"properties" is an object, or absent.',
  invalid_timestamp: '"timestamp" is an ISO 8601 text, or ms since 1970, or absent.',
  properties_too_deep: `"properties" is nested at most ${MAX_DEPTH} levels deep.`,
  event_too_large: `An event has at most ${MAX_EVENT_BYTES} bytes as JSON.`,
  too_many_values: `An event has at most ${MAX_EVENT_VALUES} keys and values, nested ones included.`,
  too_many_changes: `An event changes at most ${MAX_CHANGES} properties of its person and groups.`,
  unknown_token: 'No project has this token.',
  unstorable: 'The event cannot be stored as it is.',
}

/** One event of a body: what to store, or why not. */
export interface Reading {
  readonly index: number
  /** The project's token that this event carries; `undefined` if it carries none. */
  readonly token: string | undefined
  /** The event's id if it came with a good one, as it was sent. */
  readonly uuid: string | undefined
  readonly result: ReadEvent | EventFault
  /** As it was sent, for an event that is refused. */
  readonly given: unknown
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? wellFormed(value) : undefined

const asId = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : asText(value)

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

// Person updates travel beside the properties or inside them; those beside win (docs/reference/protocol.md#4.13).
const PERSON_UPDATES = ['$set', '$set_once', '$unset'] as const

const withPersonUpdates = (properties: Fields, event: Fields): Fields => {
  const outer = PERSON_UPDATES.filter((name) => event[name] !== undefined)
  if (!outer.length) return properties
  const merge = (inner: unknown, beside: unknown) =>
    isFields(inner) && isFields(beside) ? { ...inner, ...beside } : beside
  return { ...properties, ...Object.fromEntries(outer.map((name) => [name, merge(properties[name], event[name])])) }
}

const withoutChain = ({ $elements_chain: _, ...rest }: Fields): Fields => rest

export interface Reader {
  /** The address's `token`. */
  readonly queryToken: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** What to store of an event besides its properties. */
  readonly enrich?: (properties: Fields) => Fields
}

const readEvent = (
  value: unknown,
  sentAt: unknown,
  { receivedAt, enrich = () => ({}) }: Reader,
): ReadEvent | EventFault => {
  if (!isFields(value)) return 'not_an_object'
  const name = asText(value.event)
  if (!name?.trim()) return 'missing_event_name'
  if (name.length > MAX_NAME) return 'event_name_too_long'
  if (value.properties !== undefined && value.properties !== null && !isFields(value.properties))
    return 'invalid_properties'
  if (isDeeperThan(value, MAX_DEPTH)) return 'properties_too_deep'
  const told = withPersonUpdates(fieldsOf(value.properties), value)
  const distinctId = asId(told.distinct_id) ?? asId(value.distinct_id) ?? asId(value.$distinct_id)
  if (!distinctId) return 'missing_distinct_id'
  if (distinctId.length > MAX_DISTINCT_ID) return 'distinct_id_too_long'
  if (value.uuid !== undefined && value.uuid !== null && !isUuid(value.uuid)) return 'invalid_uuid'
  const timestamp = eventTime(
    { timestamp: value.timestamp, offset: value.offset, sentAt: value.sent_at ?? sentAt },
    receivedAt,
  )
  if (timestamp === undefined) return 'invalid_timestamp'
  const chain = typeof told.$elements_chain === 'string' ? told.$elements_chain : ''
  const properties = typeof told.$elements_chain === 'string' ? withoutChain(told) : told
  // Into what was read, of which nobody else has a use: a copy of every event would cost as much as reading it.
  Object.assign(properties, enrich(properties))
  if (countChanges(properties) > MAX_CHANGES) return 'too_many_changes'
  return {
    uuid: isUuid(value.uuid) ? value.uuid.toLowerCase() : uuidv7(receivedAt),
    event: name,
    distinctId,
    timestamp,
    properties: storableJson(properties),
    elementsChain: wellFormed(chain),
    sessionId: asText(properties.$session_id) ?? '',
    windowId: asText(properties.$window_id) ?? '',
    identity: identityUpdateOf(name, distinctId, properties),
  }
}

const tokenOf = (value: unknown): string | undefined => {
  const event = fieldsOf(value)
  return asText(event.api_key) ?? asText(event.token) ?? asText(fieldsOf(event.properties).token)
}

/** The events of a body, and what stands around them. */
export interface Events {
  /** Name of the list that they stand in; '' if they stand in none, or the body is the list. */
  readonly list: string
  readonly events: readonly unknown[]
  readonly envelope: Fields
}

const listOf = (body: unknown): Events => {
  if (Array.isArray(body)) return { list: '', events: body, envelope: {} }
  if (!isFields(body))
    throw new ApiError('invalid_input', {
      detail: 'The body is an event, a list of events, or an object with a "batch" of them.',
    })
  for (const name of ['batch', 'data']) {
    const list = body[name]
    if (Array.isArray(list)) return { list: name, events: list, envelope: body }
    if (name === 'data' && isFields(list)) return { list: '', events: [list], envelope: body }
    if (list !== undefined && !('event' in body))
      throw new ApiError('invalid_input', { detail: `"${name}" is a list of events.`, attr: name })
  }
  if ('event' in body) return { list: '', events: [body], envelope: body }
  throw new ApiError('invalid_input', {
    detail: 'The body has no events: send {"api_key", "batch": [...]}, a list of events, or one event.',
  })
}

/** The events of a body of any shape in use. Throws `ApiError` if there is nothing to read, or too many of them. */
export const eventsOf = (body: unknown): Events => {
  const found = listOf(body)
  if (found.events.length > MAX_EVENTS)
    throw new ApiError('body_too_large', {
      detail: `A request carries at most ${MAX_EVENTS} events, this one has ${found.events.length}.`,
    })
  return found
}

/** One event, with the token it carries. The token around the events speaks for all of them. */
export const readOne = (event: unknown, index: number, envelope: Fields, reader: Reader): Reading => {
  const { uuid } = fieldsOf(event)
  const result = readEvent(event, envelope.sent_at, reader)
  return {
    index,
    token: asText(envelope.api_key) ?? asText(envelope.token) ?? tokenOf(event) ?? reader.queryToken,
    uuid: isUuid(uuid) ? uuid : undefined,
    result,
    given: typeof result === 'string' ? event : undefined,
  }
}

// As much of its text as is kept of any refused event.
const MAX_SAMPLE_BYTES = 2_000

/** An event that is refused without being parsed. */
export const readUnparsed = (
  { bytes, fault }: { readonly bytes: Buffer; readonly fault: NonNullable<Piece['fault']> },
  index: number,
  envelope: Fields,
  queryToken: string | undefined,
): Reading => ({
  index,
  token: asText(envelope.api_key) ?? asText(envelope.token) ?? firstTokenIn(bytes) ?? queryToken,
  uuid: undefined,
  result: fault,
  given: bytes.toString('utf8', 0, MAX_SAMPLE_BYTES),
})
