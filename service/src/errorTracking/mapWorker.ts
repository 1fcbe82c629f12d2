import { createHash } from 'node:crypto'
import type { TraceMap } from '@jridgewell/trace-mapping'
import { serveJobs } from '../lib/jobThread.ts'
import { type BuiltPosition, mapPositions, type OpenedMap, openMap, type SourcePosition, unzip } from './mapFile.ts'

/**
 * A job of the thread: positions in the file of a map, or a gzipped map to check. `bytes`: the gzipped map; absent: the
 * thread may have it.
 */
export type MapJob =
  | { readonly key: string; readonly positions: readonly BuiltPosition[]; readonly bytes?: Uint8Array }
  | { readonly inspect: Uint8Array }

/**
 * `hash`: SHA-256 of a checked map, uncompressed. `isMissing`: the thread does not have the map, so the job is to be sent
 * again with its bytes. `error`: why the map cannot be used.
 */
export type MapResult =
  | { readonly positions: readonly (SourcePosition | null)[] }
  | { readonly isMissing: true }
  | { readonly hash: string }
  | { readonly error: string }

/** Maximum bytes of the opened maps. The least recently used are forgotten beyond it. */
const MAX_OPENED = 128 * 1024 * 1024

const opened = new Map<string, OpenedMap>()

/** Forgets maps until one of `size` bytes fits. */
const makeRoom = (size: number): void => {
  let total = [...opened.values()].reduce((sum, each) => sum + each.size, size)
  for (const [oldest, each] of opened) {
    if (total <= MAX_OPENED) return
    opened.delete(oldest)
    total -= each.size
  }
}

const open = (key: string, bytes: Uint8Array | undefined): TraceMap | undefined => {
  const known = opened.get(key)
  if (known) {
    // The last entry is the most recently used.
    opened.delete(key)
    opened.set(key, known)
    return known.map
  }
  if (!bytes) return undefined
  const json = unzip(bytes)
  makeRoom(json.length)
  const added = openMap(json)
  makeRoom(added.size)
  opened.set(key, added)
  return added.map
}

const inspect = (bytes: Uint8Array): string => {
  const json = unzip(bytes)
  openMap(json)
  return createHash('sha256').update(json).digest('hex')
}

const run = (job: MapJob): MapResult => {
  try {
    if ('inspect' in job) return { hash: inspect(job.inspect) }
    const map = open(job.key, job.bytes)
    return map ? { positions: mapPositions(map, job.positions) } : { isMissing: true }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

serveJobs((job: MapJob) => ({ value: run(job) }))
