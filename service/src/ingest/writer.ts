import { ApiError } from '../lib/apiError.ts'
import { pause } from '../lib/wait.ts'
import { type Storage, StorageError, type StorageErrorKind } from '../storage/storage.ts'
import { type BatchHooks, createStoreBatch, type Row, type Unstorable } from './storeBatch.ts'
import { createWriterRoom } from './writerRoom.ts'

export interface Writer {
  /**
   * Stores the rows whose ids the project does not have yet; `lines` are theirs, in the same order, with a line break after each.
   * Resolves when all of them are in the engine, by this call or an earlier one, with those that never can be.
   * Rejects with `engine_unavailable` when the engine stays away, `disk_full` when it has no room, `ingest_overloaded` when
   * too much waits already; the rows may be sent again, they never count twice.
   */
  write(rows: readonly Row[], lines: Buffer): Promise<readonly Unstorable[]>
  /** Throws what `write` would reject with for rows of a project of at least so many characters, before anyone has made rows of them. */
  assertRoom(projectId: number, chars: number): void
  /** Runs `work` while no batch is under way. Deliveries wait meanwhile. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** What has no outcome yet. */
  waiting(): { readonly events: number; readonly chars: number }
  /** Resolves when every delivery has an outcome. No more are accepted. */
  close(): Promise<void>
}

export interface WriterOptions extends Partial<Omit<BatchHooks, 'onInserted'>> {
  /** Maximum time that a write waits for the engine. */
  readonly waitMs?: number
  readonly now?: () => number
  /** Runs `work` while no other process stores events, so that none stores the same ids between a lookup and its insert. */
  readonly withLock?: <Value>(work: () => Promise<Value>) => Promise<Value>
  /** Maximum characters that wait in memory. Twice as much if several projects send. */
  readonly maxChars?: number
  /** Called when a batch fails for an unknown reason. */
  readonly onFault?: (error: Error) => void
  /** Called when the engine's disk is full, and when it has space again. */
  readonly onFull?: (isFull: boolean) => void
}

interface Waiting {
  readonly rows: readonly Row[]
  readonly lines: Buffer
  readonly chars: number
  /** Whether its caller has been answered. */
  isDone: boolean
  /** Whether no batch with it has failed yet. */
  isFirstTry: boolean
  readonly deadline: number
  /** Whether it is stored without others: it is part of a large delivery, or a batch failed because of it for an unknown reason. */
  isAlone: boolean
  readonly settle: (outcome: readonly Unstorable[] | ApiError) => void
}

// Size of one insert: large enough that a backlog clears in a few of them, small enough that the next one starts soon.
// Where each row has thousands of properties of its own, the engine takes about a second for a million characters.
const MAX_ROWS = 5_000
const MAX_CHARS = 4_000_000
/** A delivery of more than this is stored in parts, one between two batches of other deliveries. */
const MAX_PART_CHARS = 1_000_000
const RETRY_MS = 100
// Clients give up on a request after 60 s. A restart of the engine takes about one second.
const DEFAULT_WAIT_MS = 15_000
/** A delivery in parts may take so many times the wait of one part. */
const MAX_WAITS = 3
const RETRY_AFTER_SECONDS = 5
const MAX_WAITING_CHARS = 64_000_000
// An operator must free disk space first. Earlier retries are pointless.
const RETRY_WHEN_FULL_SECONDS = 30

/** Failures after which the engine may accept the same rows later. */
const TRANSIENT: ReadonlySet<StorageErrorKind> = new Set(['unavailable', 'capacity', 'memory', 'timeout'])

const unavailable = () => new ApiError('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const noRoom = () => new ApiError('disk_full', { retryAfterSeconds: RETRY_WHEN_FULL_SECONDS })

// What a row takes up beside its line, about.
const ROW_CHARS = 200
// A change of a property beside its name and value.
const CHANGE_CHARS = 100

/** What a row takes up beside its line, about. */
const weightOf = ({ identity: { person, groups, groupUpdate } }: Row): number => {
  let weight = ROW_CHARS + groups.length * CHANGE_CHARS
  for (const changes of [person?.set, person?.setOnce, groupUpdate?.set])
    for (const [name, json] of changes ?? []) weight += CHANGE_CHARS + name.length + json.length
  return weight
}

/** Rows of a delivery that are stored together. */
interface Part {
  readonly rows: readonly Row[]
  readonly lines: Buffer
  readonly chars: number
}

/** Cuts a delivery into parts that each take the engine a bounded time. */
const partsOf = (rows: readonly Row[], lines: Buffer): readonly Part[] => {
  const weights = rows.map(weightOf)
  const total = weights.reduce((sum, weight) => sum + weight, lines.length)
  if (total <= MAX_PART_CHARS) return [{ rows, lines, chars: total }]
  const parts: Part[] = []
  let [first, start, end, chars] = [0, 0, 0, 0]
  const cut = (next: number) => {
    if (next > first) parts.push({ rows: rows.slice(first, next), lines: lines.subarray(start, end), chars })
    first = next
    start = end
    chars = 0
  }
  for (const [index, weight] of weights.entries()) {
    const lineEnd = lines.indexOf(0x0a, end) + 1
    const added = weight + lineEnd - end
    if (chars + added > MAX_PART_CHARS) cut(index)
    chars += added
    end = lineEnd
  }
  cut(rows.length)
  return parts
}

/**
 * The only place where events enter the engine, one batch at a time across all processes that share `withLock`. So a lookup of
 * stored ids stays valid until the batch is stored, and a repeated id waits for the batch that has it. What arrives meanwhile
 * forms the next batch.
 */
export const createWriter = (
  storage: Pick<Storage, 'rows' | 'insert' | 'ready'>,
  {
    waitMs = DEFAULT_WAIT_MS,
    now = Date.now,
    before = async () => {},
    onChange = async () => {},
    withLock = (work) => work(),
    maxChars = MAX_WAITING_CHARS,
    onBatch = () => {},
    onFault = () => {},
    onFull = () => {},
  }: WriterOptions = {},
): Writer => {
  let waiting: Waiting[] = []
  let isFull = false
  let flushing: Promise<void> | undefined
  let closed = false
  const room = createWriterRoom(maxChars)

  const setFull = (next: boolean) => {
    if (isFull !== next) onFull(next)
    isFull = next
  }

  const storeBatch = createStoreBatch(storage, { before, onChange, onBatch, onInserted: () => setFull(false) })

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

  const takeBatch = (): Waiting[] => {
    let rows = 0
    let chars = 0
    waiting = waiting.filter(({ isDone }) => !isDone)
    const batch: Waiting[] = []
    for (const each of waiting) {
      if (each.isAlone) continue
      rows += each.rows.length
      chars += each.chars
      if (batch.length && (rows > MAX_ROWS || chars > MAX_CHARS)) break
      batch.push(each)
    }
    const taken = new Set(batch)
    waiting = waiting.filter((each) => !taken.has(each))
    return batch
  }

  const takeAlone = (): Waiting[] => {
    const alone = waiting.find(({ isAlone, isDone }) => isAlone && !isDone)
    waiting = waiting.filter((each) => each !== alone)
    return alone ? [alone] : []
  }

  /** Waits until the engine may accept the batch. */
  const waitForEngine = async (batch: readonly Waiting[]) => {
    await storage.ready(Math.max(0, ...batch.map(({ deadline }) => deadline - now())))
    await pause(RETRY_MS)
  }

  /** Retries a delivery that fails alone because of a permanent engine error until its deadline, and ends it after any other error. */
  const giveUp = async (each: Waiting, error: unknown) => {
    if (!(error instanceof StorageError)) {
      onFault(error as Error)
      return each.settle(new ApiError('internal_error'))
    }
    each.isAlone = true
    each.isFirstTry = false
    waiting.push(each)
    await pause(RETRY_MS)
  }

  /** Stores a batch. If it fails for good, halves find the delivery that makes it fail. */
  const storeOrSplit = async (all: readonly Waiting[], isFirstTry = true): Promise<void> => {
    let batch = all
    for (let isFirst = isFirstTry; batch.length; isFirst = false) {
      try {
        return await between(() => store(batch, isFirst))
      } catch (error) {
        batch = batch.filter(({ isDone }) => !isDone)
        const kind = error instanceof StorageError ? error.kind : undefined
        // Waiting for space would fill the memory. A lookup needs none, so repeats are still answered.
        if (kind === 'full') {
          setFull(true)
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

  const flush = async () => {
    while (waiting.length) {
      await storeOrSplit(takeBatch())
      const alone = takeAlone()
      await storeOrSplit(
        alone,
        alone.every(({ isFirstTry }) => isFirstTry),
      )
    }
  }

  const start = () => {
    flushing ??= flush().finally(() => {
      flushing = undefined
      if (waiting.length) start()
    })
    flushing.catch(() => {}) // each delivery has its outcome
  }

  const assertRoom = (projectId: number, chars: number) => {
    if (closed) throw unavailable()
    room.assertRoom(projectId, chars)
  }

  /** Resolves when the part has an outcome; it has until `deadline` for it. */
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
      // Also while the engine hangs.
      const timer = setTimeout(() => settle(unavailable()), deadline - now())
      waiting.push(each)
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
