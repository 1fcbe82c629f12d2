import type { NextStep } from './timeSlices.ts'

/** Copying this many bytes takes well under a millisecond. */
const ONE_STEP_BYTES = 512 * 1024

/** `Buffer.concat` in short steps. Each chunk is one step. */
export const concatInSteps = async (chunks: readonly Buffer[], next: NextStep): Promise<Buffer> => {
  if (chunks.length === 1) return chunks[0]!
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length <= ONE_STEP_BYTES) return Buffer.concat(chunks)
  // Not zeroed: the operating system allocates pages when they are written.
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    const turn = next()
    if (turn) await turn
    at += chunk.copy(joined, at)
  }
  return joined
}
