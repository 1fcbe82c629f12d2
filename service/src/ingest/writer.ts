import { askInParts } from '../lib/parts.ts'
import { ApiError } from '../lib/apiError.ts'
import { pause } from '../lib/wait.ts'
import { type Storage, StorageError, type StorageErrorKind } from '../storage/storage.ts'
import { insertAll, linesOf } from '../storage/insertRows.ts'
import type { IdentityRow } from '../persons/facts.ts'

/** What is needed of an event while it waits. Its columns are in its line. */
export interface Row extends IdentityRow {
  /** Index of the event in its body. */
  readonly index: number
  /** The uuid as it was sent. Undefined: the service generated one. */
  readonly sentUuid: string | undefined
}

/** A row that is impossible to store, with its line. */
export interface Unstorable {
  readonly row: Row
  /** JSON text, with the line break after it. */
  readonly line: Buffer
}

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
  /** Does `work` while no batch is under way. What arrives meanwhile waits. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** What has no outcome yet. */
  waiting(): { readonly events: number; readonly chars: number }
  /** Resolves when everything that was handed over has an outcome. Nothing is accepted any more. */
  close(): Promise<void>
}

export interface WriterOptions {
  /** How long a write may wait for the engine. */
  readonly waitMs?: number
  readonly now?: () => number
  /** Hears rows that are about to be stored, and stores what follows from them. What it has stored before the rows are in may come again. */
  readonly before?: (rows: readonly Row[]) => Promise<void>
  /** Hears that a project's rows may have become visible, before whoever sent them does. Where it rejects they are not told yet. */
  readonly onChange?: (projectId: number) => Promise<void>
  /** Does what it is given while no other process stores events, so that none stores the same between a look and its insert. */
  readonly alone?: <Value>(work: () => Promise<Value>) => Promise<Value>
  /** What may wait in memory, in characters; twice as much where several projects send. */
  readonly maxChars?: number
  /** Hears what became of each batch. */
  readonly onBatch?: (batch: { readonly stored: number; readonly repeats: number; readonly seconds: number }) => void
  /** Hears of a batch that failed for no reason that is known. */
  readonly onFault?: (error: Error) => void
  /** Hears when the engine's disk is full, and when it is not any more. */
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
// Most refused rows that are sent once more, each alone.
const MAX_ALONE = 20
const RETRY_MS = 100
// Clients give up on a request after 60 s; a restart of the engine takes about one.
const DEFAULT_WAIT_MS = 15_000
const RETRY_AFTER_SECONDS = 5
const MAX_WAITING_CHARS = 64_000_000
// How far the shares of projects may go beyond what may wait, so that what one sends never refuses another's.
const MAX_OVER = 2
// Somebody has to free space; whoever asks sooner asks in vain.
const RETRY_WHEN_FULL_SECONDS = 30

/** Failures of an engine that may take the same rows later. */
const PASSING: ReadonlySet<StorageErrorKind> = new Set(['unavailable', 'capacity', 'memory', 'timeout'])

const unavailable = () => new ApiError('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const overloaded = () => new ApiError('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const noRoom = () => new ApiError('disk_full', { retryAfterSeconds: RETRY_WHEN_FULL_SECONDS })

const keyOf = ({ projectId, uuid }: Row) => `${projectId}:${uuid}`

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

const toldApart = ({ rows, lines }: Pick<Waiting, 'rows' | 'lines'>): Unstorable[] => {
  const each = linesOf(lines)
  return rows.map((row, place) => ({ row, line: each[place]! }))
}

/**
 * The one place where events enter the engine, one batch at a time, of all processes that `alone` knows of. So a look at what is stored stays true until the batch
 * is in, and an id that comes again waits for the batch that carries it. Whatever arrives meanwhile forms the next batch.
 */
export const createWriter = (
  storage: Pick<Storage, 'rows' | 'insert' | 'ready'>,
  {
    waitMs = DEFAULT_WAIT_MS,
    now = Date.now,
    before = async () => {},
    onChange = async () => {},
    alone = (work) => work(),
    maxChars = MAX_WAITING_CHARS,
    onBatch = () => {},
    onFault = () => {},
    onFull = () => {},
  }: WriterOptions = {},
): Writer => {
  let waiting: Waiting[] = []
  // Of all that has no outcome, be it in the queue or in the batch under way.
  const held = { events: 0, chars: 0 }
  const charsOf = new Map<number, number>()
  let isFull = false
  let flushing: Promise<void> | undefined
  let closed = false

  /** Those of the rows that the engine has, or that stand before in the batch, so that of two with one id the first counts. */
  const repeatsOf = async (rows: readonly Row[]): Promise<ReadonlySet<Row>> => {
    const repeats = new Set<Row>()
    const firsts = new Map<string, Row>()
    for (const row of rows) {
      const key = keyOf(row)
      if (firsts.has(key)) repeats.add(row)
      else firsts.set(key, row)
    }
    for (const projectId of new Set(rows.map((row) => row.projectId))) {
      const uuids = [...firsts.values()].flatMap((row) => (row.projectId === projectId ? [row.uuid] : []))
      const stored = await askInParts(uuids, (ids) =>
        storage.rows<{ uuid: string }>({
          text: 'SELECT uuid FROM db.events WHERE project_id = {projectId:UInt32} AND uuid IN {ids:Array(UUID)}',
          params: { projectId, ids },
        }),
      )
      for (const { uuid } of stored) repeats.add(firsts.get(`${projectId}:${uuid}`)!)
    }
    return repeats
  }

  /** Rows without those that are stored. */
  const missingOf = async (rows: readonly Unstorable[]): Promise<readonly Unstorable[]> => {
    const stored = await repeatsOf(rows.map(({ row }) => row))
    return rows.filter(({ row }) => !stored.has(row))
  }

  /** Inserts the rows of a batch that are not repeats. Resolves with those that the engine refuses. */
  const insert = async (batch: readonly Waiting[], repeats: ReadonlySet<Row>): Promise<readonly Unstorable[]> => {
    const fresh = (each: Waiting) => toldApart(each).filter(({ row }) => !repeats.has(row))
    const parts = batch.map((each) =>
      each.rows.some((row) => repeats.has(row)) ? Buffer.concat(fresh(each).map(({ line }) => line)) : each.lines,
    )
    if (await insertAll(storage, 'db.events', Buffer.concat(parts))) return []
    const missing = await missingOf(batch.flatMap(fresh))
    if (missing.length > MAX_ALONE) return missing
    // A line that ends too soon takes the one after it with it, which is found by sending each alone.
    for (const { line } of missing) await insertAll(storage, 'db.events', line)
    return missingOf(missing)
  }

  const sayFull = (next: boolean) => {
    if (isFull !== next) onFull(next)
    isFull = next
  }

  const store = async (batch: readonly Waiting[], isFirstTry: boolean) => {
    const startedAt = performance.now()
    const all = batch.flatMap(({ rows }) => rows)
    // An id that the service has just given is nowhere yet, unless a try before this one has stored it.
    const repeats = await repeatsOf(isFirstTry ? all.filter(({ sentUuid }) => sentUuid !== undefined) : all)
    const fresh = repeats.size ? all.filter((row) => !repeats.has(row)) : all
    let unstorable: readonly Unstorable[] = []
    try {
      // Before the rows: those that are in are not heard of again.
      await before(fresh)
      if (fresh.length) {
        unstorable = await insert(batch, repeats)
        sayFull(false)
      }
    } finally {
      // Also after a failure, which may come after the rows, and for repeats, whose first insert may have been such a one.
      await Promise.all([...new Set(all.map((row) => row.projectId))].map(onChange))
    }
    onBatch({
      stored: fresh.length - unstorable.length,
      repeats: all.length - fresh.length,
      seconds: (performance.now() - startedAt) / 1_000,
    })
    const keys = new Set(unstorable.map(({ row }) => keyOf(row)))
    for (const each of batch) each.settle(keys.size ? toldApart(each).filter(({ row }) => keys.has(keyOf(row))) : [])
  }

  let turn: Promise<unknown> = Promise.resolve()
  const between = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(() => alone(work))
    turn = done.catch(() => {}) // whoever asked is told
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

  /** Waits for an engine that may take the batch another time. */
  const waitForEngine = async (batch: readonly Waiting[]) => {
    await storage.ready(Math.max(0, ...batch.map(({ deadline }) => deadline - now())))
    await pause(RETRY_MS)
  }

  /** Ends what fails alone for a reason that does not pass by itself. */
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

  /** Stores a batch, or finds the delivery in it for whose sake it fails. */
  const storeOrSplit = async (all: readonly Waiting[], isFirstTry = true): Promise<void> => {
    let batch = all
    for (let isFirst = isFirstTry; batch.length; isFirst = false) {
      try {
        return await between(() => store(batch, isFirst))
      } catch (error) {
        batch = batch.filter(({ isDone }) => !isDone)
        const kind = error instanceof StorageError ? error.kind : undefined
        // Waiting for space would fill the memory instead; a look-up needs none, so repeats are still answered.
        if (kind === 'full') {
          sayFull(true)
          for (const each of batch) each.settle(noRoom())
          return
        }
        if (kind === undefined || !PASSING.has(kind)) {
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
    flushing.catch(() => {}) // those who wait have been told
  }

  // Beyond the bound those projects are refused that hold more than their share of it, up to twice the bound. A delivery that
  // comes alone is taken whatever its size, which the routes bound.
  const assertRoom = (projectId: number, chars: number) => {
    if (closed) throw unavailable()
    const total = held.chars + chars
    if (held.chars === 0 || total <= maxChars) return
    const mine = (charsOf.get(projectId) ?? 0) + chars
    const projects = charsOf.size + (charsOf.has(projectId) ? 0 : 1)
    if (total > MAX_OVER * maxChars || mine > maxChars / projects) throw overloaded()
  }

  const hold = (projectId: number, events: number, chars: number) => {
    held.events += events
    held.chars += chars
    const mine = (charsOf.get(projectId) ?? 0) + chars
    if (mine > 0) charsOf.set(projectId, mine)
    else charsOf.delete(projectId)
  }

  /** Resolves when the part has an outcome; it has `waitMs` for it. */
  const enqueue = ({ rows, lines, chars }: Part, isAlone: boolean): Promise<readonly Unstorable[]> =>
    new Promise((resolve, reject) => {
      const settle = (outcome: readonly Unstorable[] | ApiError) => {
        if (each.isDone) return
        each.isDone = true
        clearTimeout(timer)
        if (outcome instanceof ApiError) reject(outcome)
        else resolve(outcome)
      }
      const deadline = now() + waitMs
      const each: Waiting = { rows, lines, chars, isDone: false, isFirstTry: true, isAlone, deadline, settle }
      // Also while an engine that hangs keeps the batch from coming to an end.
      const timer = setTimeout(() => settle(unavailable()), waitMs)
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
      hold(projectId, rows.length, chars)
      try {
        const unstorable: Unstorable[] = []
        for (const part of parts) unstorable.push(...(await enqueue(part, parts.length > 1)))
        return unstorable
      } finally {
        hold(projectId, -rows.length, -chars)
      }
    },
    assertRoom,
    between,
    waiting: () => held,
    async close() {
      closed = true
      while (flushing) await flushing.catch(() => {})
    },
  }
}
