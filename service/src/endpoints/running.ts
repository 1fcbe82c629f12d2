import { ApiError } from '../lib/apiError.ts'

/** The runs under way that their callers have given a name. */
export interface Running {
  /** A signal that is aborted when the run is cancelled or `given` is; `end` forgets the run. Throws `ApiError` if the project runs one of this name. */
  begin(
    projectId: number,
    clientQueryId: string | undefined,
    given: AbortSignal,
  ): { readonly signal: AbortSignal; readonly end: () => void }
  /** Whether there was a run of this name to cancel. */
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
          detail: 'A run with this "client_query_id" is under way: give each run its own.',
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
