import type { NextStep } from './timeSlices.ts'

/** Up to this size a copy takes well under a millisecond. */
const ONE_STEP_BYTES = 512 * 1024

/** `Buffer.concat` in short steps. Each chunk is copied in one step. */
export const concatInSteps = async (chunks: readonly Buffer[], next: NextStep): Promise<Buffer> => {
  if (chunks.length === 1) return chunks[0]!
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length <= ONE_STEP_BYTES) return Buffer.concat(chunks)
  // Without filling it: pages of memory are taken when they are written.
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    const turn = next()
    if (turn) await turn
    at += chunk.copy(joined, at)
  }
  return joined
}
