import { askInParts } from '../lib/parts.ts'
import { Refusal } from '../lib/refusal.ts'
import { pause } from '../lib/wait.ts'
import { type JsonLine, type Storage, StorageError } from '../storage/storage.ts'
import type { Profile } from './profile.ts'

/** What is to be known of an event while it waits; its columns are in its line. */
export interface Row {
  /** Its place in the body that it came in. */
  readonly index: number
  readonly projectId: number
  readonly uuid: string
  /** The uuid as it was sent. Absent: it came without one, and the service has just given it its own. */
  readonly sentUuid: string | undefined
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
  readonly profile: Profile
  /** The columns of its groups, by their types. */
  readonly groupIndexes: ReadonlyMap<string, number>
}

/** A row that is impossible to store, with its line. */
export interface Unstorable {
  readonly row: Row
  readonly line: JsonLine
}

export interface Writer {
  /**
   * Stores the rows whose ids the project does not have yet; `lines` are theirs, in the same order, with a line break after each.
   * Resolves when all of them are in the engine, by this call or an earlier one, with those that never can be.
   * Rejects with `engine_unavailable` when the engine stays away, `disk_full` when it has no room, `ingest_overloaded` when
   * too much waits already; the rows may be sent again, they never count twice.
   */
  write(rows: readonly Row[], lines: Buffer): Promise<readonly Unstorable[]>
  /** Throws what `write` would reject with for rows of at least so many characters, before anyone has made rows of them. */
  assertRoom(chars: number): void
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
  /** What may wait in memory, in characters. */
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
  readonly deadline: number
  readonly settle: (outcome: readonly Unstorable[] | Refusal) => void
}

// One insert's size: large enough that a backlog clears in few parts, small enough to be built in memory at once.
const MAX_ROWS = 5_000
const MAX_CHARS = 32_000_000
const RETRY_MS = 100
// Clients give up on a request after 60 s; a restart of the engine takes about one.
const DEFAULT_WAIT_MS = 15_000
const RETRY_AFTER_SECONDS = 5
const MAX_WAITING_CHARS = 64_000_000
// Somebody has to free space; whoever asks sooner asks in vain.
const RETRY_WHEN_FULL_SECONDS = 30

const unavailable = () => new Refusal('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const overloaded = () => new Refusal('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const noRoom = () => new Refusal('disk_full', { retryAfterSeconds: RETRY_WHEN_FULL_SECONDS })

const keyOf = ({ projectId, uuid }: Row) => `${projectId}:${uuid}`

// What a row takes up beside its line, about.
const ROW_CHARS = 200

const toldApart = ({ rows, lines }: Pick<Waiting, 'rows' | 'lines'>): Unstorable[] => {
  // JSON has no line break of its own.
  const texts = lines.toString().split('\n')
  return rows.map((row, place) => ({ row, line: texts[place]! }))
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

  // A row that the engine cannot store is found by halves, so that it takes no other row with it.
  const insertByHalves = async (all: readonly Unstorable[]): Promise<readonly Unstorable[]> => {
    if (!all.length) return []
    try {
      await storage.insert(
        'db.events',
        all.map(({ line }) => line),
      )
      return []
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'data') throw error
      if (all.length === 1) return all
      const half = all.length >> 1
      return [...(await insertByHalves(all.slice(0, half))), ...(await insertByHalves(all.slice(half)))]
    }
  }

  const insert = async (batch: readonly Waiting[], repeats: ReadonlySet<Row>): Promise<readonly Unstorable[]> => {
    const fresh = (each: Waiting) => toldApart(each).filter(({ row }) => !repeats.has(row))
    const parts = batch.map((each) =>
      each.rows.some((row) => repeats.has(row))
        ? Buffer.from(
            fresh(each)
              .map(({ line }) => `${line}\n`)
              .join(''),
          )
        : each.lines,
    )
    try {
      await storage.insert('db.events', Buffer.concat(parts))
      return []
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'data') throw error
      return insertByHalves(batch.flatMap(fresh))
    }
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
    let count = 0
    waiting = waiting.filter(({ isDone }) => !isDone)
    for (const each of waiting) {
      rows += each.rows.length
      chars += each.chars
      if (count > 0 && (rows > MAX_ROWS || chars > MAX_CHARS)) break
      count += 1
    }
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return batch
  }

  const flush = async () => {
    while (waiting.length) {
      let batch = takeBatch()
      let isFirstTry = true
      while (batch.length) {
        try {
          await between(() => store(batch, isFirstTry))
          break
        } catch (error) {
          isFirstTry = false
          if (!(error instanceof StorageError)) {
            onFault(error as Error)
            for (const each of batch) each.settle(new Refusal('internal_error'))
            throw error
          }
          // Waiting for space would fill the memory instead; a look-up needs none, so repeats are still answered.
          if (error.kind === 'full') {
            sayFull(true)
            for (const each of batch) each.settle(noRoom())
            break
          }
          batch = batch.filter(({ isDone }) => !isDone)
          if (!batch.length) break
          await storage.ready(Math.max(0, ...batch.map(({ deadline }) => deadline - now())))
          await pause(RETRY_MS)
          batch = batch.filter(({ isDone }) => !isDone)
        }
      }
    }
  }

  const start = () => {
    flushing ??= flush().finally(() => {
      flushing = undefined
      if (waiting.length) start()
    })
    flushing.catch(() => {}) // those who wait have been told
  }

  // A delivery that comes alone is taken whatever its size, which the routes bound.
  const assertRoom = (chars: number) => {
    if (closed) throw unavailable()
    if (held.chars > 0 && held.chars + chars > maxChars) throw overloaded()
  }

  return {
    async write(rows, lines) {
      if (!rows.length) return []
      const chars = lines.length + rows.length * ROW_CHARS
      assertRoom(chars)
      held.events += rows.length
      held.chars += chars
      return new Promise((resolve, reject) => {
        const settle = (outcome: readonly Unstorable[] | Refusal) => {
          if (each.isDone) return
          each.isDone = true
          held.events -= rows.length
          held.chars -= chars
          clearTimeout(timer)
          if (outcome instanceof Refusal) reject(outcome)
          else resolve(outcome)
        }
        const each: Waiting = { rows, lines, chars, isDone: false, deadline: now() + waitMs, settle }
        // Also while an engine that hangs keeps the batch from coming to an end.
        const timer = setTimeout(() => settle(unavailable()), waitMs)
        waiting.push(each)
        start()
      })
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
