import { concatInSteps } from './concatInSteps.ts'
import { type NextStep, WITHOUT_PAUSE } from './timeSlices.ts'

/** Collects lines as bytes, because strings of many events would slow down the garbage collector. */
export interface LineBuffer {
  add(line: string): void
  /** Returns all lines, each with its line break. */
  bytes(next?: NextStep): Promise<Buffer>
}

// Encoding this much takes well under a millisecond.
const CHUNK_CHARS = 64 * 1024

export const createLineBuffer = (): LineBuffer => {
  const chunks: Buffer[] = []
  let text = ''
  const flush = () => {
    if (text) chunks.push(Buffer.from(text))
    text = ''
  }
  return {
    add(line) {
      text += `${line}\n`
      if (text.length > CHUNK_CHARS) flush()
    },
    bytes(next = WITHOUT_PAUSE) {
      flush()
      return concatInSteps(chunks, next)
    },
  }
}
