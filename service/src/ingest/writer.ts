import { Refusal } from '../lib/refusal.ts'
import { pause } from '../lib/wait.ts'
import { type Storage, StorageError } from '../storage/storage.ts'
import type { ReadEvent } from './read.ts'

/** An event with the project that it belongs to. */
export interface Row {
  readonly projectId: number
  readonly event: ReadEvent
  /** The columns of its groups, by their types. */
  readonly groupIndexes: ReadonlyMap<string, number>
}

/** What became of a row: stored (by this call or an earlier one), or impossible to store. */
export type Outcome = 'stored' | 'unstorable'

export interface Writer {
  /**
   * Stores the rows whose ids the project does not have yet. Resolves when all of them are in the engine.
   * Rejects with `engine_unavailable` when the engine stays away; the rows may be sent again, they never count twice.
   */
  write(rows: readonly Row[]): Promise<Outcome[]>
  /** Resolves when everything that was handed over has an outcome. Nothing is accepted any more. */
  close(): Promise<void>
}

export interface WriterOptions {
  /** How long a write may wait for the engine. */
  readonly waitMs?: number
  readonly now?: () => number
  /** Hears rows that are about to be stored, and stores what follows from them. What it has stored before the rows are in may come again. */
  readonly before?: (rows: readonly Row[]) => Promise<void>
  /** Hears that a project's rows may have become visible, before whoever sent them does. */
  readonly onChange?: (projectId: number) => void
}

interface Waiting {
  readonly rows: readonly Row[]
  readonly chars: number
  /** Whether its caller has been answered. */
  isDone: boolean
  readonly deadline: number
  readonly settle: (outcome: Outcome[] | Refusal) => void
}

// One insert's size: large enough that a backlog clears in few parts, small enough to be built in memory at once.
const MAX_ROWS = 5_000
const MAX_CHARS = 32_000_000
const RETRY_MS = 100
// Clients give up on a request after 60 s; a restart of the engine takes about one.
const DEFAULT_WAIT_MS = 15_000
const RETRY_AFTER_SECONDS = 5
// What may wait in memory while the engine is away.
const MAX_WAITING_CHARS = 256_000_000

const keyOf = ({ projectId, event }: Row) => `${projectId}:${event.uuid}`

const sizeOf = (rows: readonly Row[]) => rows.reduce((sum, { event }) => sum + event.properties.length + event.elementsChain.length + 300, 0)

/** A row as a line of JSON with the columns of `db.events`. */
export const toLine = ({ projectId, event, groupIndexes }: Row): string => {
  const columns = JSON.stringify({
    project_id: projectId,
    uuid: event.uuid,
    event: event.event,
    distinct_id: event.distinctId,
    timestamp: new Date(event.timestamp).toISOString(),
    elements_chain: event.elementsChain,
    $session_id: event.sessionId,
    $window_id: event.windowId,
    ...Object.fromEntries(event.profile.groups.flatMap(({ type, key }) => (groupIndexes.has(type) ? [[`$group_${groupIndexes.get(type)}`, key]] : []))),
  })
  return `${columns.slice(0, -1)},"properties":${event.properties}}`
}

/**
 * The one place where events enter the engine, one batch at a time. So a look at what is stored stays true until the batch
 * is in, and an id that comes again waits for the batch that carries it. Whatever arrives meanwhile forms the next batch.
 */
export const createWriter = (storage: Pick<Storage, 'rows' | 'insert' | 'ready'>, { waitMs = DEFAULT_WAIT_MS, now = Date.now, before = async () => {}, onChange = () => {} }: WriterOptions = {}): Writer => {
  let waiting: Waiting[] = []
  let flushing: Promise<void> | undefined
  let closed = false

  const storedKeys = async (rows: readonly Row[]): Promise<Set<string>> => {
    const found = new Set<string>()
    for (const projectId of new Set(rows.map((row) => row.projectId))) {
      const stored = await storage.rows<{ uuid: string }>({
        text: 'SELECT uuid FROM db.events WHERE project_id = {projectId:UInt32} AND uuid IN {ids:Array(UUID)}',
        params: { projectId, ids: rows.filter((row) => row.projectId === projectId).map(({ event }) => event.uuid) },
      })
      for (const { uuid } of stored) found.add(`${projectId}:${uuid}`)
    }
    return found
  }

  // A row that the engine cannot store is found by halves, so that it takes no other row with it.
  const insert = async (rows: readonly Row[]): Promise<Set<string>> => {
    if (!rows.length) return new Set()
    try {
      await storage.insert('db.events', rows.map(toLine))
      return new Set()
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'data') throw error
      if (rows.length === 1) return new Set(rows.map(keyOf))
      const half = rows.length >> 1
      return new Set([...(await insert(rows.slice(0, half))), ...(await insert(rows.slice(half)))])
    }
  }

  const store = async (batch: readonly Waiting[]) => {
    const rows = new Map(batch.flatMap((each) => each.rows).reverse().map((row) => [keyOf(row), row])) // reversed: of two with one id the first is kept
    const all = [...rows.values()].reverse()
    const stored = await storedKeys(all)
    let unstorable: Set<string>
    const fresh = all.filter((row) => !stored.has(keyOf(row)))
    try {
      // Before the rows: those that are in are not heard of again.
      await before(fresh)
      unstorable = await insert(fresh)
    } finally {
      // Also after a failure, which may come after the rows, and for repeats, whose first insert may have been such a one.
      for (const projectId of new Set(all.map((row) => row.projectId))) onChange(projectId)
    }
    for (const each of batch) each.settle(each.rows.map((row) => (unstorable.has(keyOf(row)) ? 'unstorable' : 'stored')))
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
      while (batch.length) {
        try {
          await store(batch)
          break
        } catch (error) {
          if (!(error instanceof StorageError)) {
            for (const each of batch) each.settle(new Refusal('internal_error'))
            throw error
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

  return {
    write(rows) {
      if (!rows.length) return Promise.resolve([])
      const chars = sizeOf(rows)
      if (closed || waiting.reduce((sum, each) => sum + each.chars, chars) > MAX_WAITING_CHARS) return Promise.reject(new Refusal('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
      return new Promise((resolve, reject) => {
        const settle = (outcome: Outcome[] | Refusal) => {
          each.isDone = true
          clearTimeout(timer)
          if (outcome instanceof Refusal) reject(outcome)
          else resolve(outcome)
        }
        const each: Waiting = { rows, chars, isDone: false, deadline: now() + waitMs, settle }
        // Also while an engine that hangs keeps the batch from coming to an end.
        const timer = setTimeout(() => settle(new Refusal('engine_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })), waitMs)
        waiting.push(each)
        start()
      })
    },
    async close() {
      closed = true
      while (flushing) await flushing.catch(() => {})
    },
  }
}
