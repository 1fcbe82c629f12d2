import type { Metadata } from '../storage/metadata/metadata.ts'

export interface LastRuns {
  /** Records that an endpoint ran. `at`: an ISO timestamp. */
  note(endpointId: string, at: string): void
  /** Writes pending records. `note` must not be called afterwards. */
  close(): Promise<void>
}

const WRITE_MS = 1_000
// A write waits for the disk, and every write makes all processes read their metadata again.
const PAUSE_MS = 10_000

/** Stores when endpoints last ran: soon, and then at most every ten seconds. */
export const createLastRuns = ({
  endpoints,
}: {
  readonly endpoints: Pick<Metadata['endpoints'], 'touch'>
}): LastRuns => {
  const noted = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let writtenAt = -Infinity
  let writing = Promise.resolve()

  const write = () => {
    timer = undefined
    writtenAt = performance.now()
    const runs = [...noted]
    noted.clear()
    writing = writing.then(async () => {
      for (const [id, at] of runs) await endpoints.touch(id, at).catch(() => {}) // The next run records it again.
    })
    return writing
  }

  return {
    note(endpointId, at) {
      noted.set(endpointId, at)
      timer ??= setTimeout(() => void write(), Math.max(WRITE_MS, writtenAt + PAUSE_MS - performance.now())).unref()
    },
    async close() {
      clearTimeout(timer)
      await write()
    },
  }
}
