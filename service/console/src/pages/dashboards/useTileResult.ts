import { useRef, useState } from 'preact/hooks'
import { type QueryProgress, type QueryResult, runEndpoint, runQuery } from '../../api/query.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import type { TileRequest } from './tileRequest.ts'

interface Shown {
  readonly kind: string
  readonly result: QueryResult
}

export interface TileResult {
  /** The last result. It stays while the next one loads, even if the next one is for other dates. */
  readonly shown: Shown | undefined
  readonly loaded: Loaded<QueryResult>
  /** Share of the rows that have been read, from 0 to 1. */
  readonly share: number | undefined
  readonly isCanceled: boolean
  readonly cancel: () => void
  readonly run: () => void
}

/** Runs a tile's query or endpoint. Leaving the page, or another request, cancels it in the engine. */
export const useTileResult = (request: TileRequest | undefined): TileResult => {
  const { id } = useProject()
  const [progress, setProgress] = useState<QueryProgress>()
  const [canceled, setCanceled] = useState<string>()
  const last = useRef<Shown>(undefined)
  const key = request && `tile ${id} ${JSON.stringify(request)}`
  const isCanceled = key !== undefined && key === canceled
  const loaded = useLoad(isCanceled ? undefined : key, ({ signal, force }) => {
    setProgress(undefined)
    const { variables } = request!
    const options = { signal, force, onProgress: setProgress, ...(variables ? { variables } : {}) }
    return 'endpoint' in request! ? runEndpoint(id, request.endpoint, options) : runQuery(id, request!.query, options)
  })
  if (loaded.data && request) last.current = { kind: request.kind, result: loaded.data }
  return {
    shown: last.current,
    loaded,
    share: loaded.isLoading && progress?.totalRows ? Math.min(1, progress.readRows / progress.totalRows) : undefined,
    isCanceled,
    cancel: () => setCanceled(key),
    run: () => (isCanceled ? setCanceled(undefined) : loaded.reload({ force: true })),
  }
}
