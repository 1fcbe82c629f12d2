import { Readable } from 'node:stream'
import type { NextStep } from './timeSlices.ts'

/**
 * Returns a stream of chunks that pauses when the time slice of the event loop is over. The reader processes each chunk
 * when it reads it, so its work is paced, too.
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
