import { ApiError } from '../lib/apiError.ts'
import { pause } from '../lib/wait.ts'
import { type Storage, StorageError, type StorageErrorKind } from '../storage/storage.ts'
import type { Waiting } from './batchQueue.ts'

const RETRY_MS = 100
// An operator must free disk space first. Earlier retries are pointless.
const RETRY_WHEN_FULL_SECONDS = 30

/** Failures after which the engine may accept the same rows later. */
const TRANSIENT: ReadonlySet<StorageErrorKind> = new Set(['unavailable', 'capacity', 'memory', 'timeout'])

const noRoom = () => new ApiError('disk_full', { retryAfterSeconds: RETRY_WHEN_FULL_SECONDS })

interface RetryOptions {
  readonly storage: Pick<Storage, 'ready'>
  readonly now: () => number
  /** Stores a batch and settles its parts. `isFirstTry`: no earlier try may have stored some of its rows. */
  readonly store: (batch: readonly Waiting[], isFirstTry: boolean) => Promise<void>
  /** Adds a part to the end of the queue. */
  readonly requeue: (part: Waiting) => void
  /** Called when a part fails for an unknown reason. */
  readonly onFault: (error: Error) => void
  /** Called when the engine's disk is full. */
  readonly onFull: () => void
}

/** Returns a function that stores a batch and resolves when each of its parts is settled or in the queue again. */
export const createStoreWithRetries = ({ storage, now, store, requeue, onFault, onFull }: RetryOptions) => {
  /** Waits until the engine may accept the batch. */
  const waitForEngine = async (batch: readonly Waiting[]) => {
    await storage.ready(Math.max(0, ...batch.map(({ deadline }) => deadline - now())))
    await pause(RETRY_MS)
  }

  /**
   * Handles a delivery that fails alone. After a permanent engine error it is retried until its deadline, after any
   * other error it fails.
   */
  const giveUp = async (each: Waiting, error: unknown) => {
    if (!(error instanceof StorageError)) {
      onFault(error as Error)
      return each.settle(new ApiError('internal_error'))
    }
    each.isAlone = true
    each.isFirstTry = false
    requeue(each)
    await pause(RETRY_MS)
  }

  /** Stores a batch. After a permanent failure, bisects it to find the delivery that causes it. */
  const storeOrSplit = async (all: readonly Waiting[], isFirstTry = true): Promise<void> => {
    let batch = all
    for (let isFirst = isFirstTry; batch.length; isFirst = false) {
      try {
        return await store(batch, isFirst)
      } catch (error) {
        batch = batch.filter(({ isDone }) => !isDone)
        const kind = error instanceof StorageError ? error.kind : undefined
        // Waiting for disk space would fill the memory. Duplicates still succeed, because a lookup needs no space.
        if (kind === 'full') {
          onFull()
          for (const each of batch) each.settle(noRoom())
          return
        }
        if (kind === undefined || !TRANSIENT.has(kind)) {
          if (batch.length < 2) return batch[0] && giveUp(batch[0], error)
          const half = batch.length >> 1
          await storeOrSplit(batch.slice(0, half), false)
          return storeOrSplit(batch.slice(half), false)
        }
        if (batch.length) await waitForEngine(batch)
        batch = batch.filter(({ isDone }) => !isDone)
      }
    }
  }

  return storeOrSplit
}
