import { serveJobs } from '../lib/jobThread.ts'
import { readBody, type RecordingBody } from './readBody.ts'
import type { RecordingJob } from './thread.ts'
import { type StoredChunk, toPlayable } from './toPlayable.ts'

// The program of a thread: reads bodies and prepares chunks for the player, so that neither blocks requests.
serveJobs(async ({ kind, input }: RecordingJob) => {
  if (kind === 'play') return { value: toPlayable(input as StoredChunk) }
  const value = await readBody(input as RecordingBody)
  const rows = value.flatMap((chunk) => ('rows' in chunk ? chunk.rows : []))
  // Small buffers share their memory with others and are copied.
  const own = rows.filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
  return { value, transfer: own.map(({ buffer }) => buffer as ArrayBuffer) }
})
