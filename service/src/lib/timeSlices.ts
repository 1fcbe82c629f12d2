import { createFairQueue } from './fairQueue.ts'

export interface TimeSlices {
  /**
   * Call between two small steps of a long computation. `undefined`: there is time left in this turn of the event loop.
   * Otherwise wait for the promise, which resolves in a later turn. Clients take turns.
   */
  next(client: string): Promise<void> | undefined
}

// Short enough that a step that overruns its slice still ends within 50 ms.
const SLICE_MS = 8

/** Lets long computations share the event loop: in each turn of it they get one time slice together, then I/O goes on. */
export const createTimeSlices = (sliceMs = SLICE_MS): TimeSlices => {
  const waiting = createFairQueue<() => void>()
  /** End of the slice of this turn; `undefined`: none has begun. */
  let endsAt: number | undefined

  const begin = () => {
    endsAt = performance.now() + sliceMs
    setImmediate(() => {
      endsAt = undefined
      const resume = waiting.take()
      if (!resume) return
      begin()
      resume()
    })
  }

  return {
    next(client) {
      if (endsAt === undefined) begin()
      else if (performance.now() >= endsAt) return new Promise((resume) => waiting.add(client, resume))
      return undefined
    },
  }
}
