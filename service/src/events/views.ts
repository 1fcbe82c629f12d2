import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** Returns the schema of a page of results. `next`: the cursor of the next page, null on the last one. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ results: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) })

const Time = Type.String({ description: 'ISO 8601, UTC' })

const EVENT = {
  uuid: Type.String(),
  event: Type.String(),
  distinct_id: Type.String(),
  person_id: Type.String({ description: '`person.id` in queries, after merges' }),
  timestamp: Time,
  created_at: Type.String({ description: 'When the event was stored. ISO 8601, UTC' }),
  properties: Type.Record(Type.String(), Type.Unknown()),
  is_truncated: Type.Boolean({ description: 'Whether values were cut or left out. GET …/events/{uuid} returns all' }),
}

/** An event in a list. Its properties are cut to a bounded size. */
export const EVENT_VIEW = Type.Object(EVENT)
export type EventView = Static<typeof EVENT_VIEW>

/** An event of one person. */
export const TIMELINE_EVENT = Type.Object({
  ...EVENT,
  $session_id: Type.Union([Type.String(), Type.Null()]),
  starts_session: Type.Boolean({ description: 'Whether it is the first event of its session' }),
})
export type TimelineEvent = Static<typeof TIMELINE_EVENT>

const ARRIVED_EVENT = Type.Object({ type: Type.Literal('event'), ...EVENT })

const REJECTED_EVENT = Type.Object({
  type: Type.Literal('rejected_event'),
  id: Type.String(),
  uuid: Type.String({ description: 'As sent. Empty if missing or invalid, as are "event" and "distinct_id"' }),
  event: Type.String(),
  distinct_id: Type.String(),
  created_at: Type.String({ description: 'When the event was rejected. ISO 8601, UTC' }),
  code: Type.String(),
  reason: Type.String(),
  remedy: Type.String({ description: 'What to change so that the event is accepted' }),
  sample: Type.String({ description: 'The beginning of the event, as JSON' }),
})
export type RejectedView = Static<typeof REJECTED_EVENT>

/** Events in order of arrival. */
export const LIVE_EVENTS = Type.Object({
  results: Type.Array(Type.Union([ARRIVED_EVENT, REJECTED_EVENT]), {
    description: 'In order of arrival, oldest first',
  }),
  next: Type.String({ description: 'Pass it as "after" for what arrives later' }),
  has_more: Type.Boolean({ description: 'Whether more has arrived already' }),
})
export type LiveEvents = Static<typeof LIVE_EVENTS>

export const EVENT_DEFINITIONS = Type.Object({
  results: Type.Array(
    Type.Object({
      name: Type.String(),
      count: Type.Integer({ description: 'Events of the last "days" days' }),
      last_seen_at: Time,
    }),
    { description: 'Most frequent first' },
  ),
  days: Type.Integer(),
})
export type EventDefinitions = Static<typeof EVENT_DEFINITIONS>

export const PROPERTY_KINDS = ['string', 'number', 'boolean', 'datetime', 'list', 'object', 'mixed'] as const

export const PROPERTY_DEFINITIONS = Type.Object({
  results: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Union(PROPERTY_KINDS.map((kind) => Type.Literal(kind))),
      types: Type.Array(Type.String(), { description: 'Every type that a value has, in the order of the alphabet' }),
      share: Type.Number({ description: 'Share of the events or persons read that have the property, 0 to 1' }),
      examples: Type.Array(Type.String(), { description: 'Values as strings, cut to 100 characters' }),
    }),
    { description: 'Most frequent first' },
  ),
  sampled: Type.Integer({ description: 'Number of events or persons that were read' }),
})
export type PropertyDefinitions = Static<typeof PROPERTY_DEFINITIONS>

export const PROPERTY_VALUES = Type.Object({
  results: Type.Array(
    Type.Object({ value: Type.String(), count: Type.Integer({ description: 'In the events or persons read' }) }),
    { description: 'Most frequent first' },
  ),
})
export type PropertyValues = Static<typeof PROPERTY_VALUES>
