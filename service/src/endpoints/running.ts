import { ApiError } from '../lib/apiError.ts'

/** The active runs that have a `client_query_id`. */
export interface Running {
  /** Registers a run. `signal` is aborted when the run is cancelled or `given` is aborted; call `end` when the run ends. Throws `ApiError` if the id is in use. */
  begin(
    projectId: number,
    clientQueryId: string | undefined,
    given: AbortSignal,
  ): { readonly signal: AbortSignal; readonly end: () => void }
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
    cancel(projectId, clientQueryId) {
      const found = cancels.get(keyOf(projectId, clientQueryId))
      found?.abort(new ApiError('query_cancelled'))
      return found !== undefined
    },
  }
}
