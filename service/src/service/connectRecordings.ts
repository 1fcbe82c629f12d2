import type { Dependencies } from '../http/route.ts'
import type { JobTurns } from '../lib/jobThread.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createQueryRows } from '../persons/queryRows.ts'
import { createPersons } from '../persons/lookup.ts'
import { createChunkStore } from '../recordings/chunkStore.ts'
import { createDayBudget } from '../recordings/dayBudget.ts'
import { createIngestRecording } from '../recordings/ingest.ts'
import { createRecordings } from '../recordings/readRecordings.ts'
import { createRemoveRecordings, type RemoveRecordings } from '../recordings/removeRecordings.ts'
import { createRecordingSettings } from '../recordings/settings.ts'
import { createRecordingThread } from '../recordings/thread.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

const MAX_SECONDS = 20

interface RecordingsOptions {
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly metrics: Metrics
  /** Path of the compiled program of the threads. */
  readonly program: string
  readonly turns: JobTurns
  /** Called with functions that stop the parts. */
  readonly onStop: (stop: () => unknown) => void
}

interface ConnectedRecordings {
  readonly removeRecordings: RemoveRecordings
  /** What the routes of recordings call. */
  readonly dependencies: Pick<Dependencies, 'ingestRecording' | 'recordings' | 'removeRecordings' | 'recordingSettings'>
}

/** Connects session recordings with the engine. One thread reads bodies, another reads stored chunks. */
export const connectRecordings = ({
  gate,
  metadata,
  metrics,
  program,
  turns,
  onStop,
}: RecordingsOptions): ConnectedRecordings => {
  const reading = createRecordingThread(program, turns)
  const playing = createRecordingThread(program, turns)
  onStop(() => Promise.all([reading.close(), playing.close()]))
  const queryRows = createQueryRows(gate.runs, MAX_SECONDS)
  // Does not use the slots of runs: these lookups are short, and recordings must not wait for a project's queries.
  const lookUpRows = createQueryRows(gate.lookups, MAX_SECONDS)
  const recordingSettings = createRecordingSettings(metadata)
  const removeRecordings = createRemoveRecordings(gate.background, queryRows, metadata.deletedRecordings)
  return {
    removeRecordings,
    dependencies: {
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
        persons: createPersons(gate.runs),
        projects: metadata.projects,
        thread: playing,
      }),
      removeRecordings,
      recordingSettings,
    },
  }
}
