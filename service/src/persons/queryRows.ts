import { ApiError } from '../lib/apiError.ts'
import { type Result, type Statement, type Storage, StorageError, storageApiError } from '../storage/storage.ts'

/** Returns the rows of a statement about one project. An aborted `signal` ends it. Rejects with `ApiError`. */
export type QueryRows = (projectId: number, statement: Statement, signal: AbortSignal) => Promise<Result['rows']>

const MAX_MEMORY_BYTES = 1_000_000_000
const MAX_ROWS = 1_000_000
/** Maximum bytes of the rows as JSON. Statements that read stored values cut them, so that they stay below it. */
export const MAX_ROWS_BYTES = 10_000_000

/** Maximum duration of a query with a waiting user, in seconds. */
export const LOOKUP_SECONDS = 20

/** Creates the function. Statements run as the read-only user, which sees the rows of one project only. */
export const createQueryRows = ({ run }: Pick<Storage, 'run'>, maxSeconds: number): QueryRows => {
  const limits = { maxSeconds, maxMemoryBytes: MAX_MEMORY_BYTES, maxRows: MAX_ROWS, maxBytes: MAX_ROWS_BYTES }
  return async (projectId, statement, signal) => {
    try {
      return (await run(statement, { ...limits, projectId }, signal)).rows
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.kind === 'bytes')
        throw new ApiError('query_too_large', {
          detail: `The response would have more than ${MAX_ROWS_BYTES / 1_000_000} MB. Request fewer results, or export them with a query in the format "ndjson" or "csv".`,
        })
      const isTooExpensive = error.kind === 'timeout' || error.kind === 'memory' || error.kind === 'size'
      throw storageApiError(error) ?? (isTooExpensive ? new ApiError('query_timeout', { retryAfterSeconds: 5 }) : error)
    }
  }
}
