import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { TraceMap } from '@jridgewell/trace-mapping'
import { type BuiltPosition, mapPositions, type OpenedMap, openMap, type SourcePosition, unzip } from './mapFile.ts'

/** A request to the worker. `bytes`: the gzipped map; absent: the worker may have it. */
export interface MapRequest {
  readonly id: number
  readonly key: string
  readonly bytes?: Uint8Array
  readonly positions: readonly BuiltPosition[]
}

/** Asks the worker to check a gzipped map. */
export interface InspectRequest {
  readonly id: number
  readonly inspect: Uint8Array
}

/** `hash`: SHA-256 of an inspected map, uncompressed. `isMissing`: the worker does not have the map, so the request is to be sent again with its bytes. */
export type MapResponse =
  | { readonly id: number; readonly results: readonly (SourcePosition | null)[] }
  | { readonly id: number; readonly isMissing: true }
  | { readonly id: number; readonly hash: string }
  | { readonly id: number; readonly error: string }

/** Maximum bytes of the opened maps. The least recently used are forgotten beyond it. */
const MAX_OPENED = 256 * 1024 * 1024

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

const open = ({ key, bytes }: MapRequest): TraceMap | undefined => {
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

const respond = (request: MapRequest | InspectRequest): MapResponse => {
  const { id } = request
  try {
    if ('inspect' in request) return { id, hash: inspect(request.inspect) }
    const { positions } = request
    const map = open(request)
    return map ? { id, results: mapPositions(map, positions) } : { id, isMissing: true }
  } catch (error) {
    return { id, error: (error as Error).message }
  }
}

parentPort!.on('message', (request: MapRequest | InspectRequest) => parentPort!.postMessage(respond(request)))
