import { type Static, type TSchema, Type } from '@sinclair/typebox'

const TIME = Type.String({ format: 'date-time' })
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const ISSUE_STATES = ['active', 'resolved', 'ignored'] as const

export const RELEASE = Type.Object({
  /** The first 200 characters of `$release_id`. '': the events have none. */
  release: Type.String(),
  count: Type.Integer(),
  first_seen: TIME,
  last_seen: TIME,
})

const ISSUE = {
  id: Type.String(),
  type: Type.String({ description: 'Type of the first event, or the name from a fingerprint rule' }),
  value: Type.String({ description: 'Message of the first event' }),
  culprit: Type.String({ description: 'Where it was thrown: file and function. Empty if unknown' }),
  state: Type.Unsafe<(typeof ISSUE_STATES)[number]>({ type: 'string', enum: [...ISSUE_STATES] }),
  first_seen: TIME,
  last_seen: TIME,
  count: Type.Integer({ description: 'Events in the period' }),
  people: Type.Integer({ description: 'Distinct persons in the period' }),
  series: Type.Array(Type.Object({ date: Type.String(), count: Type.Integer() }), {
    description: 'Events per day (UTC) of the period. Days without events are missing',
  }),
  releases: Type.Array(RELEASE, { description: 'By first event of the project, newest first' }),
  resolved_at: orNull(TIME),
  reopened_at: orNull(TIME),
  ignored_events: orNull(
    Type.Integer({ description: 'Events after which an ignored issue becomes active. Null: it is ignored forever' }),
  ),
}

/** An issue in the list. */
export const ISSUE_VIEW = Type.Object(ISSUE)
export type IssueView = Static<typeof ISSUE_VIEW>

/** One issue. */
export const ISSUE_DETAILS = Type.Object({
  ...ISSUE,
  fingerprints: Type.Array(
    Type.Object({ fingerprint: Type.String(), count: Type.Integer(), example: orNull(Type.String()) }),
  ),
})
export type IssueDetails = Static<typeof ISSUE_DETAILS>

const FRAME = Type.Object({
  filename: Type.String(),
  function: Type.String(),
  line: orNull(Type.Integer()),
  column: orNull(Type.Integer()),
  in_app: Type.Boolean(),
  is_mapped: Type.Boolean({ description: 'Whether a source map was applied' }),
  map_id: Type.String({ description: 'Debug id of the built file. Empty if it has none' }),
  source: orNull(
    Type.Object({ before: Type.Array(Type.String()), line: Type.String(), after: Type.Array(Type.String()) }),
  ),
})

/** An event of an issue. */
export const ISSUE_EVENT = Type.Object({
  uuid: Type.String(),
  timestamp: TIME,
  distinct_id: Type.String(),
  person_id: Type.String(),
  session_id: orNull(Type.String()),
  release: Type.String(),
  url: orNull(Type.String()),
  browser: orNull(Type.String()),
  exceptions: Type.Array(
    Type.Object({
      type: Type.String(),
      value: Type.String(),
      is_handled: Type.Boolean(),
      frames: Type.Array(FRAME, { description: 'The throwing frame first, then its callers' }),
    }),
  ),
  steps: Type.Array(Type.Record(Type.String(), Type.Unknown())),
})
export type IssueEvent = Static<typeof ISSUE_EVENT>

export const SOURCE_MAP = Type.Object({
  id: Type.String(),
  hash: Type.String({ description: 'SHA-256 of the file before it was gzipped' }),
  bytes: Type.Integer({ description: 'Bytes of the gzipped file' }),
  created_at: TIME,
})
