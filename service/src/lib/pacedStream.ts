import { Readable } from 'node:stream'
import type { NextStep } from './timeSlices.ts'

/**
 * Returns a stream of chunks. Whoever reads it does its work for a chunk when the chunk leaves, so the stream makes that
 * work share the time slices of the event loop too.
 */
export const pacedStream = (chunks: AsyncIterable<Buffer> | Iterable<Buffer>, next: NextStep): Readable => {
  const all = async function* () {
    for await (const chunk of chunks) {
      yield chunk
      const turn = next()
      if (turn) await turn
    }
  }
  return Readable.from(all(), { objectMode: false })
}
