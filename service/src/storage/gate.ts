import type { Readable } from 'node:stream'
import { type Statement, type Storage, StorageError } from './storage.ts'

/** Purpose of a statement. Each class has its own slots, so that no class can starve another. */
export type WorkClass = 'runs' | 'validation' | 'lookups' | 'background'

interface ClassLimits {
  /** Maximum concurrent statements of all projects. */
  readonly slots: number
  /**
   * A project may take another slot while it holds fewer than this many times the free slots, so that some stay free
   * for others.
   */
  readonly share: number
  /** Maximum time a statement waits for a slot, in ms. */
  readonly waitMs: number
  /** Maximum waiting statements of one project. */
  readonly maxWaiting: number
}

/** Range of `TRAILMARK_ENGINE_RUNS`. The connection pool is large enough for the maximum. */
export const MAX_RUN_SLOTS = 60

/**
 * - `runs`: runs, streams and lookups of persons. Clients wait for these. One project alone gets 11 of 16 slots.
 * - `validation`: checks of queries that are created, changed or previewed. One project alone gets 2 slots.
 * - `lookups`: stored properties for flags (one batch per project at a time), checks of arriving recordings, progress of
 *   runs.
 * - `background`: builds, checks and sweeps of tables. No client waits for them, so they are never rejected.
 *
 * The embedded engine's limit for its reader is the total of these classes (`READER_SLOTS`).
 */
export const WORK_CLASSES: Readonly<Record<WorkClass, ClassLimits>> = {
  runs: { slots: 16, share: 2, waitMs: 5_000, maxWaiting: 100 },
  validation: { slots: 4, share: 1, waitMs: 5_000, maxWaiting: 50 },
  lookups: { slots: 8, share: 1, waitMs: 2_000, maxWaiting: 100 },
  background: { slots: 2, share: 1, waitMs: Infinity, maxWaiting: Infinity },
}

const { validation, lookups, background } = WORK_CLASSES

/** Maximum concurrent statements of all classes as the read-only user, with the highest configuration. */
export const READER_SLOTS = MAX_RUN_SLOTS + validation.slots + lookups.slots + background.slots

/** Engine access for one class. Each call takes a slot of the class. */
export type GatedStorage = Pick<
  Storage,
  'rowsDatabase' | 'run' | 'stream' | 'progress' | 'rows' | 'command' | 'work' | 'remove'
>

/** Engine access of the writer. It stores one batch at a time and never waits for a slot. */
export type IngestStorage = Pick<Storage, 'rows' | 'insert' | 'remove' | 'ready'>

/** The only access to the engine. Rooms receive the gate, never the storage behind it. */
export interface EngineGate extends Readonly<Record<WorkClass, GatedStorage>>, Pick<Storage, 'ready' | 'close'> {
  readonly ingest: IngestStorage
}

/** Takes a slot. Returns a function that releases it. Rejects with `StorageError` of kind `capacity`. */
type Enter = (projectId: number, signal?: AbortSignal) => Promise<() => void>

interface Waiting {
  readonly projectId: number
  readonly go: () => void
}

/** Creates the slots of one class, shared fairly: the waiting project with the fewest slots is next. */
export const createSlots = ({ slots, share, waitMs, maxWaiting }: ClassLimits): Enter => {
  const held = new Map<number, number>()
  let free = slots
  let waiting: readonly Waiting[] = []

  const heldBy = (projectId: number) => held.get(projectId) ?? 0
  const mayEnter = (projectId: number) => free > 0 && heldBy(projectId) < share * free

  const nextToEnter = (): Waiting | undefined =>
    waiting
      .filter(({ projectId }) => mayEnter(projectId))
      .reduce<Waiting | undefined>(
        (best, each) => (best && heldBy(best.projectId) <= heldBy(each.projectId) ? best : each),
        undefined,
      )

  const take = (projectId: number) => {
    free -= 1
    held.set(projectId, heldBy(projectId) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      free += 1
      if (heldBy(projectId) > 1) held.set(projectId, heldBy(projectId) - 1)
      else held.delete(projectId)
      for (let next = nextToEnter(); next; next = nextToEnter()) next.go()
    }
  }

  const capacity = () => new StorageError('capacity', 'The engine has no free slot for the project')
  const givenUp = () => new StorageError('unavailable', 'The query was aborted')

  const wait = (projectId: number, signal: AbortSignal | undefined) =>
    new Promise<() => void>((resolve, reject) => {
      const settle = (finish: () => void) => {
        waiting = waiting.filter((each) => each !== entry)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        finish()
      }
      const entry: Waiting = { projectId, go: () => settle(() => resolve(take(projectId))) }
      const abort = () => settle(() => reject(givenUp()))
      const timer = Number.isFinite(waitMs)
        ? setTimeout(() => settle(() => reject(capacity())), waitMs).unref()
        : undefined
      signal?.addEventListener('abort', abort, { once: true })
      waiting = [...waiting, entry]
    })

  return async (projectId, signal) => {
    if (signal?.aborted) throw givenUp()
    const waitsAlready = waiting.filter((each) => each.projectId === projectId).length
    // Waiting statements come first, so a project that retries constantly cannot overtake them.
    if (!waitsAlready && mayEnter(projectId)) return take(projectId)
    if (waitsAlready >= maxWaiting) throw capacity()
    return wait(projectId, signal)
  }
}

/** Returns the parameter `projectId` of one of the service's own statements. 0: the service itself. */
const projectOf = ({ params }: Statement): number => Number(params?.projectId ?? 0)

const gated = (storage: Storage, enter: Enter): GatedStorage => {
  const inSlot = async <Value>(projectId: number, send: () => Promise<Value>, signal?: AbortSignal) => {
    const leave = await enter(projectId, signal)
    try {
      return await send()
    } finally {
      leave()
    }
  }

  return {
    rowsDatabase: storage.rowsDatabase,
    run: (statement, limits, signal) => inSlot(limits.projectId, () => storage.run(statement, limits, signal), signal),
    async stream(statement, limits, format, signal): Promise<Readable> {
      const leave = await enter(limits.projectId, signal)
      try {
        // The engine is busy until the last row has been read.
        return (await storage.stream(statement, limits, format, signal)).once('close', leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    progress: (of, signal) => inSlot(of.projectId, () => storage.progress(of, signal), signal),
    rows: (statement, bounds) => inSlot(projectOf(statement), () => storage.rows(statement, bounds), bounds.signal),
    command: (statement) => inSlot(0, () => storage.command(statement)),
    work: (statement, limits, signal) =>
      inSlot(projectOf(statement), () => storage.work(statement, limits, signal), signal),
    remove: (removal, limits) => inSlot(removal.params.projectId, () => storage.remove(removal, limits)),
  }
}

/** Creates the gate in front of a storage. `runSlots`: maximum concurrent runs. */
export const createEngineGate = (storage: Storage, runSlots = WORK_CLASSES.runs.slots): EngineGate => {
  const limitsOf = (name: WorkClass) =>
    name === 'runs' ? { ...WORK_CLASSES.runs, slots: runSlots } : WORK_CLASSES[name]
  const classOf = (name: WorkClass) => gated(storage, createSlots(limitsOf(name)))
  return {
    runs: classOf('runs'),
    validation: classOf('validation'),
    lookups: classOf('lookups'),
    background: classOf('background'),
    ingest: storage,
    ready: (withinMs, onFailure) => storage.ready(withinMs, onFailure),
    close: () => storage.close(),
  }
}
