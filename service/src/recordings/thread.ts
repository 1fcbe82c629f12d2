import { Worker } from 'node:worker_threads'
import { ApiError, type ApiErrorCode, type ApiErrorDetails } from '../lib/apiError.ts'
import { createLane } from '../lib/lane.ts'
import type { ReadChunk, RecordingBody } from './readBody.ts'
import type { StoredChunk } from './toPlayable.ts'

/** A job as it is sent to the thread. */
export interface ThreadJob {
  readonly kind: 'read' | 'play'
  readonly input: RecordingBody | StoredChunk
}

/** Why a job failed: an error of the API, or an unexpected one. */
export type ThreadFailure =
  { readonly code: ApiErrorCode; readonly details: ApiErrorDetails } | { readonly message: string }

/** A thread that runs one job at a time. It starts with the first job, and restarts after it has crashed. */
export interface Thread {
  /** Reads a body. The bytes of `body` are copied. Clients take turns. */
  read(client: string, body: RecordingBody): Promise<ReadChunk[]>
  /** Returns the events of a stored chunk as lines of JSON, without anything that a page could run or load. */
  play(client: string, chunk: StoredChunk): Promise<string>
  close(): Promise<void>
}

/** Maximum time of a job. The largest body takes about a second. */
export const MAX_JOB_MS = 15_000
const MAX_HEAP_MB = 512

const tooExpensive = () =>
  new ApiError('body_too_large', { detail: 'The recording takes too long to read. Send it in smaller parts.' })

/** Creates the thread. `program`: path of its compiled program. */
export const createThread = (program: string): Thread => {
  const lane = createLane(1)
  let worker: Worker | undefined

  const start = () => {
    const next = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } })
    next.unref()
    // A job that is running has its own listener.
    next.on('error', () => {})
    next.once('exit', () => {
      if (worker === next) worker = undefined
    })
    return next
  }

  const run = (job: ThreadJob): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const current = (worker ??= start())
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        current.off('message', onMessage)
        current.off('exit', onExit)
        finish()
      }
      const onMessage = ({ value, failure }: { value?: unknown; failure?: ThreadFailure }) =>
        settle(() => {
          if (!failure) resolve(value)
          else if ('code' in failure) reject(new ApiError(failure.code, failure.details))
          else reject(new Error(failure.message))
        })
      // Out of memory.
      const onExit = () => settle(() => reject(tooExpensive()))
      const timer = setTimeout(() => void current.terminate(), MAX_JOB_MS)
      current.on('message', onMessage)
      current.once('exit', onExit)
      current.postMessage(job)
    })

  return {
    read: (client, input) => lane.run(client, () => run({ kind: 'read', input }) as Promise<ReadChunk[]>),
    play: (client, input) => lane.run(client, () => run({ kind: 'play', input }) as Promise<string>),
    async close() {
      await worker?.terminate()
    },
  }
}
