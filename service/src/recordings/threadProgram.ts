import { parentPort, type Transferable } from 'node:worker_threads'
import { ApiError } from '../lib/apiError.ts'
import { readBody, type RecordingBody } from './readBody.ts'
import { type StoredChunk, toPlayable } from './toPlayable.ts'
import type { ThreadFailure, ThreadJob } from './thread.ts'

// The program of a thread: reads bodies and prepares chunks for the player, so that neither blocks requests.

const run = async (job: ThreadJob): Promise<{ value: unknown; transfer: Transferable[] }> => {
  if (job.kind === 'play') {
    const value = toPlayable(job.input as StoredChunk)
    return { value, transfer: [] }
  }
  const value = await readBody(job.input as RecordingBody)
  const rows = value.flatMap((chunk) => ('rows' in chunk ? chunk.rows : []))
  // Small buffers share their memory with others and are copied.
  const own = rows.filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
  return { value, transfer: own.map(({ buffer }) => buffer as ArrayBuffer) }
}

parentPort!.on('message', (job: ThreadJob) => {
  run(job).then(
    ({ value, transfer }) => parentPort!.postMessage({ value }, transfer),
    (error: unknown) => {
      const failure: ThreadFailure =
        error instanceof ApiError
          ? { code: error.code, details: error.details }
          : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
      parentPort!.postMessage({ failure })
    },
  )
})
