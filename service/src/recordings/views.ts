import { type Static, Type } from '@sinclair/typebox'

const TIME = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, by the clock of the service' })
const COUNT = Type.Integer({ minimum: 0 })

const SUMMARY = {
  id: Type.String({ description: '`$session_id` of the events' }),
  distinct_id: Type.String({ description: 'The last id of the visitor in the session' }),
  person_id: Type.String(),
  started_at: TIME,
  ended_at: TIME,
  duration_ms: COUNT,
  active_ms: Type.Integer({ minimum: 0, description: 'Time in which the visitor did something, in steps of 5 s' }),
  clicks: COUNT,
  keypresses: COUNT,
  console_errors: COUNT,
  exceptions: Type.Integer({ minimum: 0, description: '`$exception` events of the session' }),
  start_url: Type.Union([Type.String(), Type.Null()]),
  pages: Type.Integer({ minimum: 0, description: 'Different URLs' }),
  windows: COUNT,
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of the recorded events, before compression' }),
  is_playable: Type.Boolean({ description: 'Whether a full snapshot arrived' }),
  expires_on: Type.String({ description: 'Day on which the recording is deleted, such as 2026-01-31' }),
}

/** A recording in a list. */
export const RECORDING = Type.Object(SUMMARY)
export type RecordingView = Static<typeof RECORDING>

const CHUNK = Type.Object({
  seq: Type.Integer({ minimum: 0 }),
  started_at: TIME,
  ended_at: TIME,
  bytes: COUNT,
  is_anchor: Type.Boolean({ description: 'Whether it has a full snapshot, from which playing can begin' }),
  is_active: Type.Boolean({ description: 'Whether the visitor did something' }),
})

const GAP = Type.Object({
  from_seq: Type.Integer({ minimum: 0, description: 'The first missing chunk' }),
  to_seq: Type.Integer({ minimum: 0, description: 'The last missing chunk' }),
  started_at: TIME,
  ended_at: Type.Union([TIME, Type.Null()], {
    description: 'When the next full snapshot was taken, from which playback of the window can continue. Null: never',
  }),
})

const WINDOW = Type.Object({
  id: Type.String({ description: '`$window_id` of the events' }),
  started_at: TIME,
  ended_at: TIME,
  policy: Type.String({ description: 'Masking policy that the recorder named, such as `strict`. Empty: none' }),
  dropped: Type.Integer({
    minimum: 0,
    description:
      'Events left out: by the recorder, to stay within its budget, and by the service, if nested too deeply or unreadable',
  }),
  chunks: Type.Array(CHUNK),
  gaps: Type.Array(GAP),
})
export type WindowView = Static<typeof WINDOW>

/** A recording with what a player needs to know before it reads snapshots. */
export const RECORDING_DETAILS = Type.Object({
  ...SUMMARY,
  urls: Type.Array(Type.String(), { description: 'URLs of the pages in order, at most 200' }),
  windows_list: Type.Array(WINDOW),
})
export type RecordingDetails = Static<typeof RECORDING_DETAILS>

export const RECORDINGS_PAGE = Type.Object({
  results: Type.Array(RECORDING),
  next: Type.Union([Type.String(), Type.Null()], { description: 'Value of "cursor" for the next page' }),
})
export type RecordingsPage = Static<typeof RECORDINGS_PAGE>
