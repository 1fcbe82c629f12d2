import type { Metadata } from '../storage/metadata/metadata.ts'

export interface LastRuns {
  /** An endpoint was run at `at`, an ISO time. */
  note(endpointId: string, at: string): void
  /** Writes what has been noted. Nothing is noted any more. */
  close(): Promise<void>
}

const WRITE_MS = 1_000

/**
 * Keeps in the definitions when endpoints were last run, at most once a second: a write waits for the disk, which takes longer than
 * a run that is answered from memory.
 */
export const createLastRuns = ({
  endpoints,
}: {
  readonly endpoints: Pick<Metadata['endpoints'], 'touch'>
}): LastRuns => {
  const noted = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = () => {
    timer = undefined
    const runs = [...noted]
    noted.clear()
    writing = writing.then(async () => {
      for (const [id, at] of runs) await endpoints.touch(id, at).catch(() => {}) // the next run says it again
    })
    return writing
  }

  return {
    note(endpointId, at) {
      noted.set(endpointId, at)
      timer ??= setTimeout(() => void write(), WRITE_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await write()
    },
  }
}
