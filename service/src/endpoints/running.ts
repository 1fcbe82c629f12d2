import { createHash } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import type { Progress, Storage } from '../storage/storage.ts'

/** The active runs that have a `client_query_id`. */
export interface Running {
  /**
   * Registers a run. `signal` is aborted when the run is canceled or `given` is aborted; call `end` when the run ends.
   * Throws `ApiError` if the id is in use.
   */
  begin(
    projectId: number,
    clientQueryId: string | undefined,
    given: AbortSignal,
  ): { readonly signal: AbortSignal; readonly end: () => void }
  /** Whether this process has an active run with this id. */
  has(projectId: number, clientQueryId: string): boolean
  /** Cancels a run. Returns whether there was one with this id. */
  cancel(projectId: number, clientQueryId: string): boolean
}

export const createRunning = (): Running => {
  const cancels = new Map<string, AbortController>()
  const keyOf = (projectId: number, clientQueryId: string) => `${projectId} ${clientQueryId}`

  return {
    begin(projectId, clientQueryId, given) {
      if (clientQueryId === undefined) return { signal: given, end: () => {} }
      const key = keyOf(projectId, clientQueryId)
      if (cancels.has(key))
        throw new ApiError('invalid_input', {
          detail: 'A run with this "client_query_id" is already active. Use a unique id for each run.',
          attr: 'client_query_id',
        })
      const cancel = new AbortController()
      cancels.set(key, cancel)
      return { signal: AbortSignal.any([given, cancel.signal]), end: () => void cancels.delete(key) }
    },
    has: (projectId, clientQueryId) => cancels.has(keyOf(projectId, clientQueryId)),
    cancel(projectId, clientQueryId) {
      const found = cancels.get(keyOf(projectId, clientQueryId))
      found?.abort(new ApiError('query_cancelled'))
      return found !== undefined
    },
  }
}

/** Returns how the ids of a run's statements begin in the engine: the same in every process. */
export const statementPrefix = (projectId: number, clientQueryId: string): string =>
  `${createHash('sha256')
    .update(JSON.stringify([projectId, clientQueryId]))
    .digest('hex')}-`

export interface RunProgress extends Progress {
  /** `queued`: the engine is not executing a statement of the run, because it waits for its turn or for an equal run. */
  readonly status: 'running' | 'queued'
}

/** Returns the progress of a run by its `client_query_id`, or `undefined` if no such run is in progress. */
export type ProgressOf = (
  projectId: number,
  clientQueryId: string,
  signal: AbortSignal,
) => Promise<RunProgress | undefined>

/** Finds runs of every process in the engine. Queued runs are known to their own process only. */
export const createProgressOf =
  (storage: Pick<Storage, 'progress'>, running: Pick<Running, 'has'>): ProgressOf =>
  async (projectId, clientQueryId, signal) => {
    const progress = await storage.progress({ projectId, idPrefix: statementPrefix(projectId, clientQueryId) }, signal)
    if (progress) return { status: 'running', ...progress }
    return running.has(projectId, clientQueryId)
      ? { status: 'queued', readRows: 0, totalRows: 0, elapsedMs: 0 }
      : undefined
  }
