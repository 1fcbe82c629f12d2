import { createFairQueue } from './fairQueue.ts'

export interface Lane {
  /** Runs `work` as soon as a slot is free. Clients take turns. */
  run<Value>(client: string, work: () => Promise<Value>): Promise<Value>
}

/** Creates a lane that runs at most `slots` tasks at the same time. */
export const createLane = (slots: number): Lane => {
  const waiting = createFairQueue<() => void>()
  let free = slots
  return {
    async run(client, work) {
      if (free > 0) free -= 1
      else await new Promise<void>((start) => waiting.add(client, start))
      try {
        return await work()
      } finally {
        const start = waiting.take()
        // Passes the slot on to the next.
        if (start) start()
        else free += 1
      }
    },
  }
}
