import type { Module } from '../module.ts'
import { PEOPLE } from '../persons/module.ts'
import { createQueryRows, LOOKUP_SECONDS } from '../persons/queryRows.ts'
import { createChunkStore } from './chunkStore.ts'
import { createDayBudget } from './dayBudget.ts'
import { createIngestRecording } from './ingest.ts'
import { createRecordings } from './readRecordings.ts'
import { createRemoveRecordings, type RemoveRecordings } from './removeRecordings.ts'
import { RECORDING_ROUTES, type RecordingParts } from './routes.ts'
import { RECORDING_SCHEMA } from './schema.ts'
import { createRecordingSettings } from './settings.ts'
import { createRecordingThread } from './thread.ts'

/** Session recordings. One thread reads bodies, another reads stored chunks. */
export const RECORDINGS: Module<RecordingParts & { readonly removeRecordings: RemoveRecordings }> = {
  create({ gate, queryRows, metadata, metrics, programs, turns, onStop, use }) {
    const reading = createRecordingThread(programs.recordings, turns)
    const playing = createRecordingThread(programs.recordings, turns)
    onStop(() => Promise.all([reading.close(), playing.close()]))
    // Does not use the slots of runs: these lookups are short, and recordings must not wait for a project's queries.
    const lookUpRows = createQueryRows(gate.lookups, LOOKUP_SECONDS)
    const recordingSettings = createRecordingSettings(metadata)
    const removeRecordings = createRemoveRecordings(gate.background, queryRows, metadata.deletedRecordings)
    return {
      ingestRecording: createIngestRecording({
        thread: reading,
        chunks: createChunkStore(gate.ingest),
        budget: createDayBudget(lookUpRows),
        settings: recordingSettings,
        projectByToken: metadata.projects.byToken,
        deleted: metadata.deletedRecordings,
        remove: removeRecordings.rows,
        queryRows: lookUpRows,
        count: metrics.count,
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
  eraser: ({ removeRecordings }) => ({ erase: removeRecordings.ofPerson }),
}
