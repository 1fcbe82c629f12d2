import { ApiError } from '../lib/apiError.ts'
import type { ParsedQuery } from '../sql/compile.ts'
import {
  type ReadLimits,
  type Statement,
  StorageError,
  type StorageErrorKind,
  storageApiError,
} from '../storage/storage.ts'
import { engineApiError } from './definitions/engineApiError.ts'
import { MAX_RESULT_BYTES, type RunAllowance } from './limits.ts'
import type { MemoryRun } from './materialization/memory/cellStore.ts'
import type { MaterializedTable } from './materialization/tables/state.ts'
import type { RunPlan } from './planRun.ts'

// 4xx, because a query that exceeds a limit would do so again.
const ENGINE_ERRORS: Readonly<
  Record<
    Exclude<StorageErrorKind, 'unavailable' | 'full' | 'capacity'>,
    (error: StorageError, parsed: ParsedQuery | undefined, allowance: RunAllowance) => ApiError
  >
> = {
  timeout: (_error, _parsed, { seconds }) =>
    new ApiError('query_timeout', {
      detail: `The query took longer than ${seconds} s. Read fewer events, for example over a shorter time range.`,
    }),
  memory: (_error, _parsed, { memoryBytes }) =>
    new ApiError('query_memory_limit', {
      detail: `The query needed more than ${Math.floor(memoryBytes / 1_000_000)} MB of memory. Group by fewer values, or read fewer events.`,
    }),
  size: (_error, parsed) =>
    new ApiError(
      'query_too_large',
      parsed
        ? {}
        : {
            detail:
              'The result has too many rows. Use a smaller "breakdown_limit", longer intervals or a shorter range.',
          },
    ),
  bytes: (_error, parsed) =>
    new ApiError('query_too_large', {
      detail: `The result has more than ${MAX_RESULT_BYTES / 1_000_000} MB as JSON. ${
        parsed
          ? 'Request the format "ndjson" or "csv", which have no such limit, or select fewer rows or shorter values.'
          : 'Use a smaller "breakdown_limit", longer intervals or a shorter range.'
      }`,
    }),
  query: (error, parsed) => engineApiError(error, parsed),
  data: () => new ApiError('query_failed'),
}

/** Returns the API error for an engine error, and any other error as it is. `parsed`: the query, if it is SQL. */
export const toRunError = (error: unknown, parsed: ParsedQuery | undefined, allowance: RunAllowance): unknown =>
  error instanceof StorageError
    ? (storageApiError(error) ?? ENGINE_ERRORS[error.kind as keyof typeof ENGINE_ERRORS](error, parsed, allowance))
    : error

// A table may have been dropped, or written by an engine of another version. The events are still there.
const isTableLost = (error: unknown): boolean => error instanceof StorageError && error.kind === 'query'

/** Results of a plan's statements, in their order. */
export interface Executed<Value> {
  readonly results: readonly Value[]
  /** The table that was read in addition to the events, if any. */
  readonly table?: MaterializedTable
  /** Whether the service computed the result from what it has in memory of the table. */
  readonly isFromMemory?: boolean
  /** Whether there was a table that could not be read. */
  readonly isTableLost?: boolean
}

/**
 * Executes a plan: from its table if there is one and it can be read, otherwise live. `execute` sends one statement to the engine.
 * `finish` returns the results without the plan's statements, or `undefined` if it cannot. Rejects with `ApiError` if the
 * query fails, and with any other error as it is.
 */
export const executeRun = async <Value>(
  { sources, limits, parsed, allowance }: Pick<RunPlan, 'sources' | 'limits' | 'parsed' | 'allowance'>,
  execute: (statement: Statement, limits: ReadLimits) => Promise<Value>,
  finish: (cells: MemoryRun) => Promise<readonly Value[] | undefined> = async () => undefined,
): Promise<Executed<Value>> => {
  // Sequentially, because each statement takes one of the engine's slots.
  const executeAll = async (statements: readonly Statement[], tables: readonly string[] = []) => {
    const results: Value[] = []
    for (const statement of statements) results.push(await execute(statement, { ...limits, tables }))
    return results
  }

  try {
    const { stored, live } = sources()
    if (stored) {
      const { table, statements, cells } = stored
      try {
        const finished = cells && (await finish(cells))
        if (finished) return { table, isFromMemory: true, results: finished }
        return { table, results: await executeAll(statements(), [table.table]) }
      } catch (error) {
        if (!isTableLost(error)) throw error
        return { isTableLost: true, results: await executeAll(live()) }
      }
    }
    return { results: await executeAll(live()) }
  } catch (error) {
    throw toRunError(error, parsed, allowance)
  }
}
