import type { ApiError } from '../lib/apiError.ts'
import type { Part } from './deliveryParts.ts'
import type { Unstorable } from './storeBatch.ts'

/** A part that waits to be stored. */
export interface Waiting extends Part {
  /** Whether the caller of this part has its outcome. */
  isDone: boolean
  /** Whether no batch that contains it has failed. */
  isFirstTry: boolean
  readonly deadline: number
  /**
   * Whether it is stored without others: it is part of a large delivery, or made a batch fail for an unknown reason.
   */
  isAlone: boolean
  readonly settle: (outcome: readonly Unstorable[] | ApiError) => void
}

/** The parts that wait to be stored, in order of arrival. */
export interface BatchQueue {
  readonly isEmpty: boolean
  add(part: Waiting): void
  /** Removes and returns the parts of the next batch. */
  takeBatch(): Waiting[]
  /** Removes and returns the next part that is stored without others, as a batch of at most one. */
  takeAlone(): Waiting[]
}

// Size of one insert: large enough to clear a backlog in a few inserts, small enough that the next one starts soon.
// If each row has thousands of unique properties, the engine takes about a second for a million characters.
const MAX_ROWS = 5_000
const MAX_CHARS = 4_000_000

export const createBatchQueue = (): BatchQueue => {
  let waiting: Waiting[] = []
  return {
    get isEmpty() {
      return !waiting.length
    },
    add: (part) => void waiting.push(part),
    takeBatch() {
      let rows = 0
      let chars = 0
      waiting = waiting.filter(({ isDone }) => !isDone)
      const batch: Waiting[] = []
      for (const each of waiting) {
        if (each.isAlone) continue
        rows += each.rows.length
        chars += each.chars
        if (batch.length && (rows > MAX_ROWS || chars > MAX_CHARS)) break
        batch.push(each)
      }
      const taken = new Set(batch)
      waiting = waiting.filter((each) => !taken.has(each))
      return batch
    },
    takeAlone() {
      const alone = waiting.find(({ isAlone, isDone }) => isAlone && !isDone)
      waiting = waiting.filter((each) => each !== alone)
      return alone ? [alone] : []
    },
  }
}
