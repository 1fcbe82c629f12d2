import { ApiError } from '../lib/apiError.ts'
import { createJobThread, JobEndedError, type JobTurns } from '../lib/jobThread.ts'
import type { ReadChunk, RecordingBody } from './readBody.ts'
import type { StoredChunk } from './toPlayable.ts'

/** A job as it is sent to the thread. */
export interface RecordingJob {
  readonly kind: 'read' | 'play'
  readonly input: RecordingBody | StoredChunk
}

/** A thread that reads recordings. */
export interface RecordingThread {
  /** Reads a body. Clients take turns. */
  read(client: string, body: RecordingBody): Promise<ReadChunk[]>
  /** Returns the events of a stored chunk as lines of JSON, without anything that a page could run or load. */
  play(client: string, chunk: StoredChunk): Promise<string>
  close(): Promise<void>
}

/** Maximum time of a job. The largest body takes about a second, and many times as long on a busy machine. */
export const MAX_JOB_MS = 60_000
const MAX_HEAP_MB = 256

/** Creates the thread. `program`: path of its compiled program. */
export const createRecordingThread = (program: string, turns: JobTurns): RecordingThread => {
  const thread = createJobThread<RecordingJob, unknown>(program, {
    maxMs: MAX_JOB_MS,
    maxHeapMb: MAX_HEAP_MB,
    maxIdleMsIfLarge: 0,
    turns,
  })
  const run = (client: string, job: RecordingJob) =>
    thread.run(client, job).catch((error: unknown) => {
      if (!(error instanceof JobEndedError)) throw error
      throw new ApiError('body_too_large', {
        detail: 'The recording takes too long to read. Send it in smaller parts.',
      })
    })
  return {
    read: (client, input) => run(client, { kind: 'read', input }) as Promise<ReadChunk[]>,
    play: (client, input) => run(client, { kind: 'play', input }) as Promise<string>,
    close: thread.close,
  }
}
