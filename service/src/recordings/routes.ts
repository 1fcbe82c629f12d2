import type { IngestRecording } from './ingest.ts'
import type { Recordings } from './readRecordings.ts'
import type { RemoveRecordings } from './removeRecordings.ts'
import { Type } from '@sinclair/typebox'
import { clientOf } from '../lib/clientOf.ts'
import { MAX_SENT_BYTES } from './readBody.ts'
import { RECORDING_SETTINGS, type RecordingSettingsStore } from './settings.ts'
import { RECORDING_DETAILS, RECORDINGS_PAGE } from './views.ts'
import { orElse } from '../http/query.ts'
import { invalidInput, publicBody } from '../http/request.ts'
import { type Handler, routesWith } from '../http/route.ts'
import { EVENT_NAMES, PERSON_ID } from '../http/lists.ts'

/** What the routes use. */
export interface RecordingParts {
  readonly ingestRecording: IngestRecording
  readonly recordings: Recordings
  readonly removeRecordings: Pick<RemoveRecordings, 'sessions'>
  readonly recordingSettings: RecordingSettingsStore
}

const route = routesWith<RecordingParts>()

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200
const MAX_SESSIONS = 200
const MAX_PERSONS = 100
const MAX_SECONDS = 1_000_000

const receive: Handler<RecordingParts, Buffer | undefined> = async ({ ingestRecording }, request) => {
  const { query, receivedAt, ip } = request
  const { refused, isLimited } = await ingestRecording({
    body: publicBody(request),
    compression: query.compression,
    token: query.token ?? query.api_key,
    sentAt: query._,
    receivedAt,
    address: ip,
  })
  // Status 200 in any case: SDKs treat another status as a failure and retry.
  return {
    body: {
      status: 1,
      ...(refused.length ? { refused } : {}),
      ...(isLimited ? { quota_limited: ['recordings'] } : {}),
    },
  }
}

const RECORDINGS = '/api/projects/:projectId/session_recordings'
const SETTINGS = '/api/projects/:projectId/session_recording_settings'
const ALL_SETTINGS = Type.Required(RECORDING_SETTINGS)

const SECONDS = Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description: 'In seconds' })
const SEQ = Type.Integer({ minimum: 0, description: 'Sequence number of a chunk, included' })

/** Session recordings: ingestion of chunks from browsers, and reads of the console. */
export const RECORDING_ROUTES = [
  route({
    method: 'POST',
    path: '/s',
    access: 'public',
    body: 'raw',
    maxBytes: MAX_SENT_BYTES,
    isRecording: true,
    handler: receive,
  }),
  route({
    method: 'GET',
    path: RECORDINGS,
    access: 'session_recording:read',
    summary: 'List the recordings of sessions, latest first. Paged by "cursor", which is the value of "next"',
    query: {
      date_from: Type.String({ description: 'Only sessions that started at or after this date, such as -7d' }),
      date_to: Type.String({ description: 'Only sessions that started until this date, such as 2026-01-31' }),
      person_id: Type.Array(PERSON_ID, {
        maxItems: MAX_PERSONS,
        description: 'Only sessions of these persons. Repeat the parameter for several',
      }),
      distinct_id: Type.String(),
      session_id: Type.Array(Type.String(), {
        maxItems: MAX_SESSIONS,
        description: 'Only these sessions. Repeat the parameter for several',
      }),
      event: EVENT_NAMES,
      page: Type.String({ description: 'A part of the URL of a page, in any case' }),
      min_duration: SECONDS,
      max_duration: SECONDS,
      has_errors: Type.Boolean({ description: 'Whether there were errors in the console or exceptions' }),
      limit: orElse(Type.Integer({ minimum: 1, maximum: MAX_LIMIT }), DEFAULT_LIMIT),
      cursor: Type.String({ description: 'The value of "next" of the previous page' }),
    },
    response: RECORDINGS_PAGE,
    handler: async ({ recordings }, { projectId, values, signal }) => ({
      body: await recordings.list(projectId, {
        limit: values.limit,
        cursor: values.cursor,
        dateFrom: values.date_from,
        dateTo: values.date_to,
        personIds: values.person_id,
        distinctId: values.distinct_id,
        sessionIds: values.session_id,
        events: values.event,
        page: values.page,
        minSeconds: values.min_duration,
        maxSeconds: values.max_duration,
        hasErrors: values.has_errors,
        signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${RECORDINGS}/:session_id`,
    access: 'session_recording:read',
    summary: 'Get a recording: its figures, windows, full snapshots and gaps',
    response: RECORDING_DETAILS,
    handler: async ({ recordings }, { projectId, params, signal }) => ({
      body: await recordings.get(projectId, params.session_id!, signal),
    }),
  }),
  route({
    method: 'GET',
    path: `${RECORDINGS}/:session_id/snapshots`,
    access: 'session_recording:read',
    summary: 'Stream the events of a window as lines of JSON, sanitized',
    query: { window_id: Type.String(), from: SEQ, to: SEQ },
    handler: async ({ recordings }, { projectId, params, query, values, ip, signal }) => {
      // As it was sent, because the id may be empty.
      const windowId = query.window_id
      if (windowId === undefined)
        throw invalidInput('window_id', 'Pass "window_id", the id of a window of the recording.')
      const stream = await recordings.snapshots(projectId, params.session_id!, {
        windowId,
        from: values.from ?? 0,
        to: values.to ?? Number.MAX_SAFE_INTEGER,
        client: clientOf(ip),
        signal,
      })
      return { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' }, body: stream }
    },
  }),
  route({
    method: 'DELETE',
    path: `${RECORDINGS}/:session_id`,
    access: 'session_recording:write',
    summary: 'Delete a recording, and reject its late chunks. Responds once it is deleted',
    handler: async ({ recordings, removeRecordings }, { projectId, params, signal }) => {
      const { id } = await recordings.get(projectId, params.session_id!, signal)
      await removeRecordings.sessions(projectId, [id])
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: SETTINGS,
    access: 'session_recording:read',
    summary: 'Read how long recordings are stored, and how many per day',
    response: ALL_SETTINGS,
    handler: async ({ recordingSettings }, { projectId }) => ({ body: await recordingSettings.get(projectId) }),
  }),
  route({
    method: 'PATCH',
    path: SETTINGS,
    access: 'session_recording:write',
    summary: 'Change how long recordings are stored, and how many per day',
    body: RECORDING_SETTINGS,
    response: ALL_SETTINGS,
    handler: async ({ recordingSettings }, { projectId, body }) => ({
      body: await recordingSettings.change(projectId, body),
    }),
  }),
]
