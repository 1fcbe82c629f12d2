import type { Module } from '../module.ts'
import { PEOPLE } from '../persons/module.ts'
import { createQueryRows, LOOKUP_SECONDS } from '../persons/queryRows.ts'
import { createChunkStore } from './chunkStore.ts'
import { createDayBudget } from './dayBudget.ts'
import { createDeletedRecordingStore } from './store.ts'
import { createIngestRecording } from './ingest.ts'
import { RECORDING_REMOTE_SETTINGS } from './recordingConfig.ts'
import { createRecordings } from './readRecordings.ts'
import { createRemoveRecordings, type RemoveRecordings } from './removeRecordings.ts'
import { RECORDING_ROUTES, type RecordingParts } from './routes.ts'
import { RECORDING_SCHEMA } from './schema.ts'
import { createRecordingSettings } from './settings.ts'
import { createRecordingThread } from './thread.ts'

/**
 * Session recordings. One thread reads bodies, another reads stored chunks.
 *
 * Recordings are chunks. A row of `recording_chunks` is one megabyte of a chunk at most, ordered by session, window and
 * sequence number. A repeated chunk replaces itself, and all figures of a session are computed from its chunks, so
 * retries and late chunks need no counters. The day of expiry is the partition. It follows from the start of the
 * session, which the session's id begins with, so every process and every retry computes the same. Sessions that were
 * deleted are in the metadata: a delivery checks them before and after it stores a chunk. Lists find sessions in
 * `recording_sessions`, a row per session without sums, so that a repeated chunk does not change it.
 */
export const RECORDINGS: Module<RecordingParts & { readonly removeRecordings: RemoveRecordings }> = {
  create({ gate, queryRows, metadata, metrics, programs, turns, onStop, use }) {
    const reading = createRecordingThread(programs.recordings, turns)
    const playing = createRecordingThread(programs.recordings, turns)
    onStop(() => Promise.all([reading.close(), playing.close()]))
    // Does not use the slots of runs: these lookups are short, and recordings must not wait for a project's queries.
    const lookUpRows = createQueryRows(gate.lookups, LOOKUP_SECONDS)
    const recordingSettings = createRecordingSettings(metadata)
    const deleted = metadata.store(createDeletedRecordingStore)
    const removeRecordings = createRemoveRecordings(gate.background, queryRows, deleted)
    return {
      ingestRecording: createIngestRecording({
        thread: reading,
        chunks: createChunkStore(gate.ingest),
        budget: createDayBudget(lookUpRows),
        settings: recordingSettings,
        projectByToken: metadata.projects.byToken,
        deleted,
        remove: removeRecordings.rows,
        queryRows: lookUpRows,
        countReceived: metrics.counter('trailmark_recording_chunks_total'),
        countRejected: metrics.counter('trailmark_recording_chunks_refused_total'),
      }),
      recordings: createRecordings({
        queryRows,
        persons: use(PEOPLE).persons,
        projects: metadata.projects,
        thread: playing,
      }),
      removeRecordings,
      recordingSettings,
    }
  },
  routes: RECORDING_ROUTES,
  schema: RECORDING_SCHEMA,
  metrics: {
    trailmark_recording_chunks_total: { type: 'counter', labels: [], help: 'Chunks of session recordings received.' },
    trailmark_recording_chunks_refused_total: {
      type: 'counter',
      labels: [],
      help: 'Chunks of session recordings rejected individually.',
    },
  },
  remoteSettings: RECORDING_REMOTE_SETTINGS,
  eraser: ({ removeRecordings }) => ({ erase: removeRecordings.ofPerson }),
}
