import { createFairQueue } from './fairQueue.ts'

/**
 * Call between two short steps of a long computation. Returns `undefined` while the time slice lasts. Otherwise returns a
 * promise to await before the next step, which resolves in a later turn of the event loop.
 */
export type NextStep = () => Promise<void> | undefined

export interface TimeSlices {
  /** Returns `NextStep` for one client. Clients take turns. */
  next(client: string): Promise<void> | undefined
}

/** Never pauses, for computations that are known to be short. */
export const WITHOUT_PAUSE: NextStep = () => undefined

/** A computation in short steps. It yields between two of them. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Returns the result of a computation, without a pause. */
export const runSteps = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Resolves with the result of a computation, which pauses when its time slice is over. */
export const runInSlices = async <T>(steps: Steps<T>, next: NextStep): Promise<T> => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const pause = next()
    if (pause) await pause
  }
}

// Short enough that a turn whose last step overruns its slice still ends within 50 ms.
const SLICE_MS = 8

/** End of the time slice of this turn of the event loop. `undefined` until a computation starts it. */
let endsAt: number | undefined
/** Queue with one item per waiting computation, by kind. An item resumes the next computation of its kind. */
const turns = createFairQueue<() => void>()
let kinds = 0

const endTurn = () => {
  endsAt = undefined
  turns.take()?.()
}

/**
 * Creates the time slices of one kind of long computation. All kinds of the thread together get one time slice per turn,
 * then I/O continues. Kinds take turns, and so do the clients of a kind.
 */
export const createTimeSlices = (sliceMs = SLICE_MS): TimeSlices => {
  const kind = String((kinds += 1))
  const waiting = createFairQueue<() => void>()
  const begin = () => (endsAt = performance.now() + sliceMs)
  const resumeNext = () => {
    begin()
    setImmediate(endTurn)
    waiting.take()!()
  }

  return {
    next(client) {
      if (endsAt === undefined) {
        begin()
        // The first immediate runs in the same turn if I/O or a timer started the computation.
        setImmediate(() => setImmediate(endTurn))
      } else if (performance.now() >= endsAt) {
        return new Promise((resume) => {
          waiting.add(client, resume)
          turns.add(kind, resumeNext)
        })
      }
      return undefined
    },
  }
}
