import { Worker } from 'node:worker_threads'
import type { BuiltPosition, SourcePosition } from './mapFile.ts'
import type { InspectRequest, MapRequest, MapResponse } from './mapWorker.ts'

/** Maps positions in a worker, so that a large or hostile map delays nothing else. */
export interface Mapper {
  /**
   * Returns the source of each position in the file of a map. `key` identifies the map's content, `load` reads its gzipped
   * bytes. Rejects with `MapError` if the map is not valid or takes too long.
   */
  map(
    key: string,
    positions: readonly BuiltPosition[],
    load: () => Promise<Uint8Array>,
  ): Promise<readonly (SourcePosition | null)[]>
  /** Returns the SHA-256 of a gzipped map, uncompressed. Rejects with `MapError` if it is not a source map. */
  inspect(bytes: Uint8Array): Promise<string>
  close(): Promise<void>
}

/** A source map that cannot be used. The message says why. */
export class MapError extends Error {
  override name = 'MapError'
}

const MAX_HEAP_MB = 1_024
/** Maximum time of a request. The largest map takes about three seconds. */
export const MAX_JOB_MS = 10_000
/** A worker without requests ends after this time, and with it the memory of the maps that it holds. */
const IDLE_MS = 60_000

/** Creates a mapper. Its worker, the file `script`, starts with the first request and ends when it exceeds `maxMs`. */
export const createMapper = (script: string, maxMs = MAX_JOB_MS): Mapper => {
  let worker: Worker | undefined
  let lastId = 0
  let queue: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined

  const end = async () => {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }
  const request = (message: Omit<MapRequest, 'id'> | Omit<InspectRequest, 'id'>): Promise<MapResponse> => {
    worker ??= new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } })
    // A worker that does nothing does not keep the process alive.
    worker.unref()
    const current = worker
    const id = (lastId += 1)
    return new Promise<MapResponse>((resolve, reject) => {
      const settle = (run: () => void) => {
        clearTimeout(timer)
        current.off('message', onMessage).off('error', onError)
        run()
      }
      const fail = (reason: string) => settle(() => void end().finally(() => reject(new MapError(reason))))
      const onMessage = (response: MapResponse) => {
        if (response.id === id) settle(() => resolve(response))
      }
      const onError = (error: Error) => fail(error.message)
      const timer = setTimeout(() => fail(`it takes more than ${maxMs / 1_000} seconds to read`), maxMs)
      current.on('message', onMessage).on('error', onError)
      current.postMessage({ ...message, id })
    })
  }
  const mapNow: Mapper['map'] = async (key, positions, load) => {
    let response = await request({ key, positions })
    if ('isMissing' in response) response = await request({ key, positions, bytes: await load() })
    if ('results' in response) return response.results
    throw new MapError('error' in response ? response.error : 'it could not be opened')
  }

  const inspectNow = async (bytes: Uint8Array): Promise<string> => {
    const response = await request({ inspect: bytes })
    if ('hash' in response) return response.hash
    throw new MapError('error' in response ? response.error : 'it could not be opened')
  }
  /** Runs one request at a time, so that the time limit is that of one map. */
  const inTurn = <Value>(run: () => Promise<Value>): Promise<Value> => {
    clearTimeout(idle)
    const result = queue.then(run)
    const done = result
      .catch(() => {})
      .then(() => {
        if (queue === done) idle = setTimeout(() => void end(), IDLE_MS).unref()
      })
    queue = done
    return result
  }

  return {
    map: (key, positions, load) => inTurn(() => mapNow(key, positions, load)),
    inspect: (bytes) => inTurn(() => inspectNow(bytes)),
    close() {
      clearTimeout(idle)
      return end()
    },
  }
}
