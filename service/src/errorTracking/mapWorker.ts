import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { TraceMap } from '@jridgewell/trace-mapping'
import { type BuiltPosition, mapPositions, openMap, type SourcePosition, unzip } from './mapFile.ts'

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

/** Maximum characters of the opened maps. The least recently used are forgotten beyond it. */
const MAX_OPENED = 128 * 1024 * 1024

const opened = new Map<string, { readonly map: TraceMap; readonly size: number }>()

const open = ({ key, bytes }: MapRequest): TraceMap | undefined => {
  const known = opened.get(key)
  if (known) {
    // The last entry is the most recently used.
    opened.delete(key)
    opened.set(key, known)
    return known.map
  }
  if (!bytes) return undefined
  const text = unzip(bytes).toString()
  const map = openMap(text)
  opened.set(key, { map, size: text.length })
  let total = [...opened.values()].reduce((sum, { size }) => sum + size, 0)
  for (const [oldest, { size }] of opened) {
    if (total <= MAX_OPENED || oldest === key) break
    opened.delete(oldest)
    total -= size
  }
  return map
}

const inspect = (bytes: Uint8Array): string => {
  const text = unzip(bytes)
  openMap(text.toString())
  return createHash('sha256').update(text).digest('hex')
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
