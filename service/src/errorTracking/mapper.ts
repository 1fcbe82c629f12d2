import { createJobThread, JobEndedError, type JobTurns } from '../lib/jobThread.ts'
import type { BuiltPosition, SourcePosition } from './mapFile.ts'
import type { MapJob, MapResult } from './mapWorker.ts'

/** Reads source maps in a thread, so that a large or hostile map delays nothing else. Projects take turns. */
export interface Mapper {
  /**
   * Returns the source of each position in the file of a map. `key` identifies the map's content in the project, `load`
   * reads its gzipped bytes. Rejects with `MapError` if the map is not valid or takes too long.
   */
  map(
    projectId: number,
    key: string,
    positions: readonly BuiltPosition[],
    load: () => Promise<Uint8Array>,
  ): Promise<readonly (SourcePosition | null)[]>
  /** Returns the SHA-256 of a gzipped map, uncompressed. Rejects with `MapError` if it is not a source map. */
  inspect(projectId: number, bytes: Uint8Array): Promise<string>
  close(): Promise<void>
}

/** A source map that cannot be used. The message says why. */
export class MapError extends Error {
  override name = 'MapError'
}

/** Maximum time of a job. The largest map takes about two seconds, and many times as long on a busy machine. */
export const MAX_JOB_MS = 60_000
const MAX_HEAP_MB = 512

/** Creates a mapper. `program`: path of its thread's compiled program. */
export const createMapper = (program: string, turns: JobTurns): Mapper => {
  const thread = createJobThread<MapJob, MapResult>(program, {
    maxMs: MAX_JOB_MS,
    maxHeapMb: MAX_HEAP_MB,
    // The thread keeps the map of its last jobs, which is often that of the next one.
    maxIdleMsIfLarge: 1_000,
    turns,
  })
  const run = async (projectId: number, job: MapJob) => {
    const result = await thread.run(String(projectId), job).catch((error: unknown) => {
      if (error instanceof JobEndedError) throw new MapError(error.message)
      throw error
    })
    if ('error' in result) throw new MapError(result.error)
    return result
  }
  return {
    async map(projectId, key, positions, load) {
      const job = { key: `${projectId}:${key}`, positions }
      let result = await run(projectId, job)
      if ('isMissing' in result) result = await run(projectId, { ...job, bytes: await load() })
      if ('positions' in result) return result.positions
      throw new MapError('it could not be opened')
    },
    async inspect(projectId, bytes) {
      const result = await run(projectId, { inspect: bytes })
      if ('hash' in result) return result.hash
      throw new MapError('it could not be opened')
    },
    close: thread.close,
  }
}
