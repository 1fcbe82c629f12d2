import { createFairQueue } from './fairQueue.ts'

export interface Lane {
  /** Runs `work` as soon as a place is free. Clients take turns. */
  run<Value>(client: string, work: () => Promise<Value>): Promise<Value>
}

/** Creates a lane that runs at most `places` pieces of work at the same time. */
export const createLane = (places: number): Lane => {
  const waiting = createFairQueue<() => void>()
  let free = places
  return {
    async run(client, work) {
      if (free > 0) free -= 1
      else await new Promise<void>((start) => waiting.add(client, start))
      try {
        return await work()
      } finally {
        const start = waiting.take()
        // Passes the place on to the next.
        if (start) start()
        else free += 1
      }
    },
  }
}
