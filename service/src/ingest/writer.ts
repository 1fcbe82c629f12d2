import { ApiError } from '../lib/apiError.ts'
import type { Storage } from '../storage/storage.ts'
import { createBatchQueue, type Waiting } from './batchQueue.ts'
import { type Part, partsOf } from './deliveryParts.ts'
import { type BatchHooks, createStoreBatch, type Row, type Unstorable } from './storeBatch.ts'
import { createStoreWithRetries } from './storeWithRetries.ts'
import { createWriterRoom } from './writerRoom.ts'

export interface Writer {
  /**
   * Stores the rows whose ids the project does not have yet. `lines` has one line per row, with a line break after
   * each. Resolves when all rows are in the engine, by this call or an earlier one, with the rows the engine will never
   * accept. Rejects with `engine_unavailable` if the engine stays unavailable, `disk_full`, or `ingest_overloaded` if
   * too much is waiting already. A retry never stores a row twice.
   */
  write(rows: readonly Row[], lines: Buffer): Promise<readonly Unstorable[]>
  /**
   * Throws the error `write` would reject with for at least so many characters of a project. Call it before parsing
   * them.
   */
  assertRoom(projectId: number, chars: number): void
  /** Runs `work` while no batch is in progress. Deliveries wait until it has ended. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** Events and characters that are not stored yet. */
  waiting(): { readonly events: number; readonly chars: number }
  /** Accepts no more deliveries. Resolves when every delivery has an outcome. */
  close(): Promise<void>
}

export interface WriterOptions extends Partial<Omit<BatchHooks, 'onInserted'>> {
  /** Maximum time that a write waits for the engine. */
  readonly waitMs?: number
  readonly now?: () => number
  /** Runs `work` while no other process stores events. Otherwise, one could store the same ids between a lookup and its insert. */
  readonly withLock?: <Value>(work: () => Promise<Value>) => Promise<Value>
  /** Maximum characters that wait in memory. Twice as many if several projects send. */
  readonly maxChars?: number
  /** Called when a batch fails for an unknown reason. */
  readonly onFault?: (error: Error) => void
  /** Called when the engine's disk becomes full, and when it has space again. */
  readonly onFull?: (isFull: boolean) => void
}

// Clients give up on a request after 60 s. A restart of the engine takes about one second.
const DEFAULT_WAIT_MS = 15_000
/** Maximum wait for all parts of a delivery, as a multiple of the wait for one part. */
const MAX_WAITS = 3
const RETRY_AFTER_SECONDS = 5
const MAX_WAITING_CHARS = 64_000_000

const unavailable = () => new ApiError('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })

/**
 * Creates the only writer of events to the engine. It stores one batch at a time across all processes that share
 * `withLock`, so a lookup of stored ids stays valid until the batch is stored, and a repeated id waits for the batch
 * that has it. Rows that arrive in the meantime form the next batch.
 */
export const createWriter = (
  storage: Pick<Storage, 'rows' | 'insert' | 'ready'>,
  {
    waitMs = DEFAULT_WAIT_MS,
    now = Date.now,
    before = async () => {},
    onStoring = async () => {},
    onChange = async () => {},
    withLock = (work) => work(),
    maxChars = MAX_WAITING_CHARS,
    onBatch = () => {},
    onFault = () => {},
    onFull = () => {},
    recentIds,
  }: WriterOptions = {},
): Writer => {
  const queue = createBatchQueue()
  let isFull = false
  let flushing: Promise<void> | undefined
  let closed = false
  const room = createWriterRoom(maxChars)

  const setFull = (next: boolean) => {
    if (isFull !== next) onFull(next)
    isFull = next
  }

  const storeBatch = createStoreBatch(storage, {
    before,
    onStoring,
    onChange,
    onBatch,
    onInserted: () => setFull(false),
    recentIds,
  })

  const store = async (batch: readonly Waiting[], isFirstTry: boolean) => {
    const unstorable = await storeBatch(batch, { isFirstTry })
    batch.forEach((each, index) => each.settle(unstorable[index]!))
  }

  let turn: Promise<unknown> = Promise.resolve()
  const between = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(() => withLock(work))
    turn = done.catch(() => {}) // the caller handles it
    return done
  }

  const storeWithRetries = createStoreWithRetries({
    storage,
    now,
    store: (batch, isFirstTry) => between(() => store(batch, isFirstTry)),
    requeue: queue.add,
    onFault,
    onFull: () => setFull(true),
  })

  const flush = async () => {
    while (!queue.isEmpty) {
      await storeWithRetries(queue.takeBatch())
      const alone = queue.takeAlone()
      await storeWithRetries(
        alone,
        alone.every(({ isFirstTry }) => isFirstTry),
      )
    }
  }

  const start = () => {
    flushing ??= flush().finally(() => {
      flushing = undefined
      if (!queue.isEmpty) start()
    })
    flushing.catch(() => {}) // Each delivery receives its outcome separately.
  }

  const assertRoom = (projectId: number, chars: number) => {
    if (closed) throw unavailable()
    room.assertRoom(projectId, chars)
  }

  /** Resolves with the outcome of a part, no later than `deadline`. */
  const enqueue = ({ rows, lines, chars }: Part, isAlone: boolean, deadline: number): Promise<readonly Unstorable[]> =>
    new Promise((resolve, reject) => {
      const settle = (outcome: readonly Unstorable[] | ApiError) => {
        if (each.isDone) return
        each.isDone = true
        clearTimeout(timer)
        if (outcome instanceof ApiError) reject(outcome)
        else resolve(outcome)
      }
      const each: Waiting = { rows, lines, chars, isDone: false, isFirstTry: true, isAlone, deadline, settle }
      // Rejects at the deadline even while the engine hangs.
      const timer = setTimeout(() => settle(unavailable()), deadline - now())
      queue.add(each)
      start()
    })

  return {
    async write(rows, lines) {
      if (!rows.length) return []
      const parts = partsOf(rows, lines)
      const chars = parts.reduce((sum, part) => sum + part.chars, 0)
      const { projectId } = rows[0]!
      assertRoom(projectId, chars)
      room.hold(projectId, rows.length, chars)
      try {
        const unstorable: Unstorable[] = []
        const lastDeadline = now() + waitMs * MAX_WAITS
        for (const part of parts) {
          const deadline = Math.min(now() + waitMs, lastDeadline)
          unstorable.push(...(await enqueue(part, parts.length > 1, deadline)))
        }
        return unstorable
      } finally {
        room.hold(projectId, -rows.length, -chars)
      }
    },
    assertRoom,
    between,
    waiting: () => room.held,
    async close() {
      closed = true
      while (flushing) await flushing.catch(() => {})
    },
  }
}
