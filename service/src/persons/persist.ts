import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/wait.ts'
import { MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

export interface PersistOptions {
  readonly log: Log
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<void>
}

const RETRY_MS = 500
// Longer than it takes to notice an engine that hangs, and to restart it.
const MAX_FAILING_MS = 120_000

/** Whether the same step may succeed later. Disk space must be freed first. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof StorageError) return error.kind !== 'full'
  if (error instanceof ApiError) return error.code !== 'disk_full' && error.details.retryAfterSeconds !== undefined
  return error instanceof MetadataUnavailable
}

/** Returns why a step failed. Messages of the engine may contain the person's ids. */
const reasonOf = (error: unknown): string => {
  if (error instanceof StorageError) return error.engineCode ?? error.kind
  return error instanceof ApiError ? error.code : (error as Error).message
}

/** Whether other runs of the project keep the engine busy. */
export const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'query_capacity'

/**
 * Returns a function that runs the steps of one erasure. It repeats a step while the stores are busy or restart, and rejects when
 * they have failed for two minutes. `mayRepeat`: whether a step is repeated after an error.
 */
export const createPersist = ({ log, now = Date.now, wait = pause }: PersistOptions) => {
  let failingSince: number | undefined
  const persist = async <Value>(step: () => Promise<Value>, mayRepeat = isPassing): Promise<Value> => {
    try {
      const value = await step()
      failingSince = undefined
      return value
    } catch (error) {
      failingSince ??= now()
      if (!mayRepeat(error) || now() - failingSince >= MAX_FAILING_MS) throw error
      log(`Erasing a person continues after a failure: ${reasonOf(error)}`, { level: 'warn' })
      await wait(RETRY_MS)
      return persist(step, mayRepeat)
    }
  }
  return persist
}
