import { type Static, Type } from '@sinclair/typebox'
import { CLOSED } from '../../http/request.ts'
import { ANY_OBJECT, oneOf, orNull, TIME } from '../../http/schemas.ts'
import type { Cutoff } from '../policy.ts'
import { deletionDueAt } from '../retention.ts'
import type { Deletion, RetentionState } from '../store.ts'
import type { Target } from '../target.ts'

const MAX_DAYS = 36_500
const MAX_NAMES = 100
const MAX_NAME = 200
// The table of heatmaps keeps points no longer.
const MAX_HEATMAP_DAYS = 90
const MAX_RECORDING_DAYS = 365

const days = (maximum: number, description: string) =>
  orNull(Type.Integer({ minimum: 1, maximum, description: `${description}. null: no limit` }))

const EVENT_NAME = Type.String({ minLength: 1, maxLength: MAX_NAME })

/** Retention policy. */
export const POLICY = Type.Object(
  {
    days: days(MAX_DAYS, 'Days that events are kept'),
    events: Type.Array(
      Type.Object({ event: EVENT_NAME, days: days(MAX_DAYS, 'Days that events with this name are kept') }, CLOSED),
      { maxItems: MAX_NAMES, description: 'Names whose events are kept for another time, such as "$exception"' },
    ),
    heatmap_days: days(MAX_HEATMAP_DAYS, 'Days that points of heatmaps are kept, 90 at most'),
    recording_days: days(MAX_RECORDING_DAYS, 'Days from the start of a session that its recording is kept'),
  },
  CLOSED,
)

const HIDDEN_BEFORE = orNull(TIME)

export const RETENTION = Type.Object({
  ...POLICY.properties,
  hidden_before: Type.Object(
    { events: HIDDEN_BEFORE, heatmaps: HIDDEN_BEFORE, recordings: HIDDEN_BEFORE },
    { description: 'Older data is in no result' },
  ),
  changed_at: orNull(TIME),
  changed_by: orNull(Type.String()),
  deletes_at: orNull(Type.String({ format: 'date-time', description: 'When hidden data is deleted next' })),
})

const toTime = (cutoff: Cutoff) => (cutoff === null ? null : new Date(cutoff).toISOString())

export const viewOfRetention = (state: RetentionState): Static<typeof RETENTION> => {
  const { policy, hidden, changedAt = null, changedBy = null } = state
  return {
    ...policy,
    events: [...policy.events],
    hidden_before: {
      events: toTime(hidden.events),
      heatmaps: toTime(hidden.heatmaps),
      recordings: toTime(hidden.recordings),
    },
    changed_at: changedAt,
    changed_by: changedBy,
    deletes_at: deletionDueAt(state)?.toISOString() ?? null,
  }
}

/** Target of a deletion: events that meet all of these conditions. */
export const TARGET = Type.Object(
  {
    events: Type.Optional(Type.Array(EVENT_NAME, { minItems: 1, maxItems: 50, description: 'Names of events' })),
    properties: Type.Optional(
      Type.Array(
        Type.Object(
          {
            key: Type.String({ minLength: 1, maxLength: MAX_NAME }),
            value: Type.String({ minLength: 1, maxLength: 1_000, description: 'A string, or another value as JSON' }),
          },
          CLOSED,
        ),
        { minItems: 1, maxItems: 10, description: 'Properties with their values' },
      ),
    ),
    date_from: Type.Optional(TIME),
    date_to: Type.Optional(Type.String({ format: 'date-time', description: 'Not included. Default: now' })),
  },
  { ...CLOSED, minProperties: 1 },
)

/** Returns the target of a request at `now`. Events that arrive later are not part of it. */
export const targetOf = (body: Static<typeof TARGET>, now: number): Target => {
  const until = Math.min(now, body.date_to ? Date.parse(body.date_to) : now)
  return {
    ...(body.events ? { events: body.events } : {}),
    ...(body.properties ? { properties: body.properties } : {}),
    ...(body.date_from ? { from: new Date(body.date_from).toISOString() } : {}),
    until: new Date(until).toISOString(),
  }
}

const COUNTS = Type.Record(Type.String(), Type.Integer(), { description: 'Numbers of rows, by table' })

export const DELETION = Type.Object({
  id: Type.String(),
  kind: oneOf(['events', 'retention', 'policy']),
  state: oneOf(['counting', 'counted', 'queued', 'deleting', 'done', 'failed', 'canceled']),
  target: ANY_OBJECT,
  found: orNull(COUNTS),
  people: orNull(Type.Integer()),
  first: orNull(TIME),
  last: orNull(TIME),
  deleted: orNull(COUNTS),
  table: orNull(Type.String({ description: 'The table that is being rewritten' })),
  parts_left: orNull(Type.Integer({ description: 'Files of the table that are not rewritten yet' })),
  error: orNull(Type.String()),
  created_by: Type.String(),
  created_at: TIME,
  ended_at: orNull(TIME),
})

export const viewOfDeletion = (deletion: Deletion): Static<typeof DELETION> => {
  const { id, kind, state, target, result, actor, createdAt, endedAt } = deletion
  return {
    id,
    kind,
    state,
    target: target as Record<string, unknown>,
    found: result.found ?? null,
    people: result.people ?? null,
    first: result.first ?? null,
    last: result.last ?? null,
    deleted: result.deleted ?? null,
    table: state === 'deleting' ? (result.table ?? null) : null,
    parts_left: state === 'deleting' ? (result.partsLeft ?? null) : null,
    error: result.error ?? null,
    created_by: actor,
    created_at: createdAt,
    ended_at: endedAt,
  }
}
