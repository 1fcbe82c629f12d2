import type { Properties } from 'trailmark'
import type { BadEvent, ReceivedEvent } from './types'

type Fields = Record<string, unknown>

/** A body that no event can be read from. */
export class Unreadable extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export interface ReadEvent {
  token: string | undefined
  result: ReceivedEvent | BadEvent
}

const MAX_NAME = 200
const MAX_DISTINCT_ID = 1000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /[^\s\p{C}\p{Z}]/u.test(value) ? value : undefined
const idOf = (value: unknown): string | undefined => (Number.isFinite(value) ? String(value) : textOf(value))
const isTime = (value: unknown): boolean =>
  (value ?? null) === null ||
  Number.isFinite(value) ||
  (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && Number.isFinite(Date.parse(value)))

const idsOf = (event: Fields): unknown[] => [
  fieldsOf(event.properties).distinct_id,
  event.distinct_id,
  event.$distinct_id,
]
const distinctIdOf = (event: Fields): string | undefined => idsOf(event).map(idOf).find(Boolean)

/** The service's checks of an event, in its order (docs/reference/protocol.md#4.13). */
const CHECKS: readonly (readonly [code: string, reason: string, isWrong: (event: Fields) => boolean])[] = [
  ['missing_event_name', '"event" must be a string with a visible character.', ({ event }) => !textOf(event)],
  [
    'event_name_too_long',
    `"event" may have at most ${MAX_NAME} characters.`,
    ({ event }) => (event as string).length > MAX_NAME,
  ],
  [
    'invalid_properties',
    '"properties" must be an object, or absent.',
    ({ properties }) => (properties ?? null) !== null && !isFields(properties),
  ],
  [
    'missing_distinct_id',
    '"distinct_id" must be a number or a string with a visible character.',
    (event) => !distinctIdOf(event),
  ],
  [
    'distinct_id_too_long',
    `"distinct_id" may have at most ${MAX_DISTINCT_ID} characters.`,
    (event) => distinctIdOf(event)!.length > MAX_DISTINCT_ID,
  ],
  [
    'invalid_uuid',
    '"uuid" must be a UUID of 36 characters, or absent.',
    ({ uuid }) => (uuid ?? null) !== null && !(typeof uuid === 'string' && UUID.test(uuid)),
  ],
  [
    'invalid_timestamp',
    '"timestamp" must be an ISO 8601 string, a number of ms since 1970, or absent.',
    ({ timestamp }) => !isTime(timestamp),
  ],
]

const merged = (inner: unknown, outer: unknown): Properties | undefined =>
  isFields(inner) || isFields(outer) ? { ...fieldsOf(inner), ...fieldsOf(outer) } : undefined

const checked = (sample: unknown): ReceivedEvent | BadEvent => {
  if (!isFields(sample)) return { code: 'not_an_object', reason: 'An event must be an object.', sample }
  const wrong = CHECKS.find(([, , isWrong]) => isWrong(sample))
  const name = textOf(sample.event)
  if (wrong) return { ...(name ? { event: name } : {}), code: wrong[0], reason: wrong[1], sample }
  const { $set, $set_once, ...properties } = fieldsOf(sample.properties)
  const changes = { $set: merged($set, sample.$set), $set_once: merged($set_once, sample.$set_once) }
  return {
    event: name!,
    distinctId: distinctIdOf(sample)!,
    properties,
    ...(typeof sample.uuid === 'string' ? { uuid: sample.uuid } : {}),
    ...(changes.$set && { $set: changes.$set }),
    ...(changes.$set_once && { $set_once: changes.$set_once }),
    ...(Array.isArray(sample.$unset) && { $unset: sample.$unset as string[] }),
    ...(sample.timestamp === undefined ? {} : { timestamp: sample.timestamp }),
  }
}

const listOf = (body: unknown): readonly unknown[] => {
  if (Array.isArray(body)) return body
  const { batch, data, event } = fieldsOf(body)
  if (Array.isArray(batch)) return batch
  if (Array.isArray(data)) return data
  if (isFields(data)) return [data]
  if (event !== undefined) return [body]
  throw new Unreadable('invalid_input', 'The body has no events: it must be an event, a list, or have a "batch".')
}

/** Reads the events of a parsed body, as the service does. Throws `Unreadable`. */
export const readEvents = (body: unknown, queryToken?: string): ReadEvent[] => {
  const around = fieldsOf(body)
  return listOf(body).map((event) => {
    const own = fieldsOf(event)
    const tokens = [around.api_key, around.token, own.api_key, own.token, fieldsOf(own.properties).token, queryToken]
    return { token: tokens.map(textOf).find(Boolean), result: checked(event) }
  })
}

/** Parses a body. Throws `Unreadable`. */
export const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable('invalid_json', 'The body is not JSON.')
  }
}
