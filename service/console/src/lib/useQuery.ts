import { useState } from 'preact/hooks'
import { type Query, type QueryProgress, type QueryResult, runQuery } from '../api/query.ts'
import { useProject } from '../project.ts'
import { type Loaded, useLoad } from './useLoad.ts'

export interface LoadedQuery extends Loaded<QueryResult> {
  /** Share of the rows that have been read, from 0 to 1. Absent: not known. */
  readonly share: number | undefined
}

/**
 * Runs a query of the current project for a component. Leaving the page, or another query, cancels it. `undefined` runs
 * nothing.
 */
export const useQuery = (
  query: Query | undefined,
  options: {
    readonly variables?: Readonly<Record<string, unknown>> | undefined
    readonly limit?: number | undefined
    readonly debug?: boolean | undefined
    readonly maxAgeSeconds?: number | undefined
  } = {},
): LoadedQuery => {
  const { id } = useProject()
  const [progress, setProgress] = useState<QueryProgress>()
  const key = query && JSON.stringify([id, query, options.variables, options.limit, options.debug])
  const loaded = useLoad(key, ({ signal, force }) => {
    setProgress(undefined)
    return runQuery(id, query!, { ...options, signal, force, onProgress: setProgress })
  })
  const share = progress?.totalRows ? Math.min(1, progress.readRows / progress.totalRows) : undefined
  return { ...loaded, share: loaded.isLoading ? share : undefined }
}
