import { ApiError } from '../lib/apiError.ts'
import { type Result, type Statement, type Storage, StorageError, storageApiError } from '../storage/storage.ts'

/** Returns the rows of a statement about one project. An aborted `signal` ends it. Rejects with `ApiError`. */
export type QueryRows = (projectId: number, statement: Statement, signal?: AbortSignal) => Promise<Result['rows']>

const MAX_MEMORY_BYTES = 1_000_000_000
const MAX_ROWS = 1_000_000

/** Creates the function. Statements run as the read-only user, which sees the rows of one project only. */
export const createQueryRows =
  ({ run }: Pick<Storage, 'run'>, maxSeconds: number): QueryRows =>
  async (projectId, statement, signal) => {
    try {
      return (
        await run(statement, { projectId, maxSeconds, maxMemoryBytes: MAX_MEMORY_BYTES, maxRows: MAX_ROWS }, signal)
      ).rows
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      const isTooExpensive = error.kind === 'timeout' || error.kind === 'memory' || error.kind === 'size'
      throw storageApiError(error) ?? (isTooExpensive ? new ApiError('query_timeout', { retryAfterSeconds: 5 }) : error)
    }
  }
