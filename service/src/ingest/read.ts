import { ApiError } from '../lib/apiError.ts'
import { isUuid, uuidv7 } from '../lib/uuid.ts'
import { eventTime } from './clock.ts'
import { MAX_CHANGE_BYTES, MAX_VALUE_BYTES } from '../persons/bounds.ts'
import {
  countChanges,
  type IdentityUpdate,
  identityUpdateOf,
  isTooLarge,
  MAX_CHANGES,
  SEEN,
} from '../persons/identityUpdate.ts'
import type { Fields } from '../lib/fields.ts'
import { idOf, nameOf } from '../lib/names.ts'
import { isDeeperThan, MAX_DEPTH, storableJson, wellFormed } from '../lib/storableJson.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_VALUES, MAX_EVENTS, type Piece } from './split.ts'
import { firstTokenIn } from './tokens.ts'
import { own } from '../lib/own.ts'
import type { Claim, Enrich, Rejections } from './sink.ts'
import { visitMembers } from './visitValues.ts'

/** An event as it will be stored. */
export interface ReadEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** ms since the epoch, by the service's clock. */
  readonly timestamp: number
  /** JSON text of an object. */
  readonly properties: string
  /** The properties that are objects or arrays. */
  readonly structured: readonly string[]
  /** Members of the event's line with the columns that describe its visit. */
  readonly visit: string
  readonly elementsChain: string
  readonly sessionId: string
  readonly windowId: string
  /** Action of a module's sink on the event. */
  readonly claim?: Claim
  /** The update of its person and groups. */
  readonly identity: IdentityUpdate
}

const MAX_NAME = 200
const MAX_DISTINCT_ID = 1_000
/** Maximum characters of the id of a session or a window. */
const MAX_VISIT_ID = 200

/** Reasons for which events are rejected, besides those of modules. */
export const REJECTIONS = {
  not_an_object: {
    message: 'An event must be an object.',
    remedy: 'Send each event as a JSON object, in "batch" or on its own.',
  },
  missing_event_name: {
    message: '"event" must be a string with a visible character, the name of the event.',
    remedy: 'Pass the name of the event as the first argument of capture().',
  },
  event_name_too_long: {
    message: `"event" may have at most ${MAX_NAME} characters.`,
    remedy: 'Use a short, constant name, and put what varies into properties.',
  },
  missing_distinct_id: {
    message: '"distinct_id" must be a number or a string with a visible character, inside "properties" or next to it.',
    remedy: 'Send "distinct_id" with each event. SDKs do so. On a server, pass the id of the user.',
  },
  distinct_id_too_long: {
    message: `"distinct_id" may have at most ${MAX_DISTINCT_ID} characters.`,
    remedy: 'Use the id of the user in your database, or a hash of it.',
  },
  invalid_uuid: {
    message: '"uuid" must be a UUID of 36 characters, or absent.',
    remedy: 'Omit "uuid", or send one that crypto.randomUUID() returns.',
  },
  invalid_properties: {
    message: '"properties" must be an object, or absent.',
    remedy: 'Send "properties" as an object of names and values.',
  },
  invalid_timestamp: {
    message: '"timestamp" must be an ISO 8601 string, a number of ms since 1970, or absent.',
    remedy: 'Send new Date().toISOString(), or omit "timestamp" for events that happen now.',
  },
  properties_too_deep: {
    message: `"properties" may be nested at most ${MAX_DEPTH} levels deep.`,
    remedy: 'Flatten the nested objects, or send only the fields that you query.',
  },
  event_too_large: {
    message: `An event may have at most ${MAX_EVENT_BYTES} bytes as JSON.`,
    remedy: 'Remove large values such as documents and images, and send their ids instead.',
  },
  too_many_values: {
    message: `An event may have at most ${MAX_EVENT_VALUES} keys and values, including nested ones.`,
    remedy: 'Send fewer properties, or shorten lists and nested objects.',
  },
  too_many_changes: {
    message: `An event may change at most ${MAX_CHANGES} properties of its person and groups.`,
    remedy: 'Set fewer properties of persons and groups per event.',
  },
  changes_too_large: {
    message: `A property of a person or group may have at most ${MAX_VALUE_BYTES} bytes as JSON, and all that an event sets ${MAX_CHANGE_BYTES}.`,
    remedy: 'Set short values, such as ids and names. Send long texts as properties of the event, outside "$set".',
  },
  unknown_token: {
    message: 'No project has this token.',
    remedy: 'Pass the project token that the project settings show to init().',
  },
  unstorable: {
    message: 'The event cannot be stored.',
    remedy: 'Look at the sample for values that differ from other events, and send them in another form.',
  },
} satisfies Rejections

/** One event of a body: the event to store, or why it is rejected. */
export interface Reading {
  readonly index: number
  /** Project token of the event. `undefined`: it has no token. */
  readonly token: string | undefined
  /** The event's UUID as sent, if it is valid. */
  readonly uuid: string | undefined
  /** A string is the code of its rejection. */
  readonly result: ReadEvent | string
  /** A rejected event as it was sent. */
  readonly rejectedEvent: unknown
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

// Person updates are next to the properties or inside them. Those next to them win (docs/reference/protocol.md#4.13).
const PERSON_UPDATES = ['$set', '$set_once', '$unset'] as const

const withPersonUpdates = (properties: Fields, event: Fields): Fields => {
  const outer = PERSON_UPDATES.filter((name) => event[name] !== undefined)
  if (!outer.length) return properties
  const merge = (inner: unknown, next: unknown) => (isFields(inner) && isFields(next) ? { ...inner, ...next } : next)
  return { ...properties, ...Object.fromEntries(outer.map((name) => [name, merge(properties[name], event[name])])) }
}

// The property keeps an id that is too long for the column.
const visitId = (value: unknown): string => {
  const id = idOf(value) ?? ''
  return id.length <= MAX_VISIT_ID ? id : ''
}

const NONE: readonly string[] = []
const isStructured = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Returns the names of properties that are objects or arrays, as they are stored. */
const structuredIn = (properties: Fields): readonly string[] => {
  // Most events have no nested properties, and values alone are read several times as fast.
  if (!Object.values(properties).some(isStructured)) return NONE
  return Object.entries(properties).flatMap(([name, value]) => (isStructured(value) ? [wellFormed(name)] : []))
}

const withoutChain = ({ $elements_chain: _, ...rest }: Fields): Fields => rest

export interface Reader {
  /** Query parameter `token`. */
  readonly queryToken: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Functions that return properties to store in addition to the event's own, or the code of its rejection. */
  readonly enrich?: readonly Enrich[]
  /** Lets a module read an event. Returns what to do with it, or the code of its rejection. */
  readonly claim?: (name: string, properties: Fields, uuid: string) => Claim | string | undefined
}

const readEvent = (
  value: unknown,
  sentAt: unknown,
  token: string | undefined,
  { receivedAt, enrich = [], claim: claimOf }: Reader,
): ReadEvent | string => {
  if (!isFields(value)) return 'not_an_object'
  const name = nameOf(value.event)
  if (!name) return 'missing_event_name'
  if (name.length > MAX_NAME) return 'event_name_too_long'
  if (value.properties !== undefined && value.properties !== null && !isFields(value.properties))
    return 'invalid_properties'
  if (isDeeperThan(value, MAX_DEPTH)) return 'properties_too_deep'
  const received = withPersonUpdates(fieldsOf(value.properties), value)
  const distinctId = idOf(received.distinct_id) ?? idOf(value.distinct_id) ?? idOf(value.$distinct_id)
  if (!distinctId) return 'missing_distinct_id'
  if (distinctId.length > MAX_DISTINCT_ID) return 'distinct_id_too_long'
  if (value.uuid !== undefined && value.uuid !== null && !isUuid(value.uuid)) return 'invalid_uuid'
  const timestamp = eventTime(
    { timestamp: value.timestamp, offset: value.offset, sentAt: value.sent_at ?? sentAt },
    receivedAt,
  )
  if (timestamp === undefined) return 'invalid_timestamp'
  const chain = typeof received.$elements_chain === 'string' ? received.$elements_chain : ''
  const properties = typeof received.$elements_chain === 'string' ? withoutChain(received) : received
  // Changes the parsed event, which nothing else uses. A copy would cost as much as reading it.
  for (const enrichBy of enrich) {
    const more = enrichBy(properties, token, name)
    if (typeof more === 'string') return more
    Object.assign(properties, more)
  }
  const uuid = isUuid(value.uuid) ? value.uuid.toLowerCase() : uuidv7(receivedAt)
  const claim = claimOf?.(name, properties, uuid)
  if (typeof claim === 'string') return claim
  if (claim?.properties) Object.assign(properties, claim.properties)
  if (countChanges(properties) > MAX_CHANGES) return 'too_many_changes'
  const identity = identityUpdateOf(name, distinctId, properties)
  if (identity !== SEEN && isTooLarge(identity)) return 'changes_too_large'
  return {
    uuid,
    event: name,
    distinctId,
    timestamp,
    properties: claim?.isDiverted ? '{}' : storableJson(properties),
    structured: structuredIn(properties),
    visit: visitMembers(properties),
    elementsChain: wellFormed(chain),
    sessionId: visitId(properties.$session_id),
    windowId: visitId(properties.$window_id),
    ...(claim ? { claim } : {}),
    identity,
  }
}

const tokenOf = (value: unknown): string | undefined => {
  const event = fieldsOf(value)
  return nameOf(event.api_key) ?? nameOf(event.token) ?? nameOf(fieldsOf(event.properties).token)
}

/** The events of a body, and the fields around them. */
export interface Events {
  /** Name of the field with the list of events. '': the body is the list, or there is no list. */
  readonly list: string
  readonly events: readonly unknown[]
  readonly envelope: Fields
}

const listOf = (body: unknown): Events => {
  if (Array.isArray(body)) return { list: '', events: body, envelope: {} }
  if (!isFields(body))
    throw new ApiError('invalid_input', {
      detail: 'The body must be an event, a list of events, or an object with a "batch" of events.',
    })
  for (const name of ['batch', 'data']) {
    const list = own(body, name)
    if (Array.isArray(list)) return { list: name, events: list, envelope: body }
    if (name === 'data' && isFields(list)) return { list: '', events: [list], envelope: body }
    if (list !== undefined && !('event' in body))
      throw new ApiError('invalid_input', { detail: `"${name}" must be a list of events.`, attr: name })
  }
  if ('event' in body) return { list: '', events: [body], envelope: body }
  throw new ApiError('invalid_input', {
    detail: 'The body has no events. Send {"api_key", "batch": [...]}, a list of events, or one event.',
  })
}

/** Returns the events of a body of any supported shape. Throws `ApiError` if there are none or too many. */
export const eventsOf = (body: unknown): Events => {
  const found = listOf(body)
  if (found.events.length > MAX_EVENTS)
    throw new ApiError('body_too_large', {
      detail: `A request may have at most ${MAX_EVENTS} events, this one has ${found.events.length}.`,
    })
  return found
}

/** Reads one event with its token. A token around the events applies to all of them. */
export const readOne = (event: unknown, index: number, envelope: Fields, reader: Reader): Reading => {
  const { uuid } = fieldsOf(event)
  const token = nameOf(envelope.api_key) ?? nameOf(envelope.token) ?? tokenOf(event) ?? reader.queryToken
  const result = readEvent(event, envelope.sent_at, token, reader)
  return {
    index,
    token,
    uuid: isUuid(uuid) ? uuid : undefined,
    result,
    rejectedEvent: typeof result === 'string' ? event : undefined,
  }
}

// Bytes of a rejected event that are stored.
const MAX_SAMPLE_BYTES = 2_000

/** Returns an event that is rejected without being parsed. */
export const readUnparsed = (
  { bytes, fault }: { readonly bytes: Buffer; readonly fault: NonNullable<Piece['fault']> },
  index: number,
  envelope: Fields,
  queryToken: string | undefined,
): Reading => ({
  index,
  token: nameOf(envelope.api_key) ?? nameOf(envelope.token) ?? firstTokenIn(bytes) ?? queryToken,
  uuid: undefined,
  result: fault,
  rejectedEvent: bytes.toString('utf8', 0, MAX_SAMPLE_BYTES),
})
