import type { Readable } from 'node:stream'
import { type Statement, type Storage, StorageError } from './storage.ts'

/** What a statement is for. Each class has places of its own, so that one class never takes those of another. */
export type WorkClass = 'runs' | 'validation' | 'lookups' | 'background'

interface ClassLimits {
  /** Statements under way at the same time, of all projects. */
  readonly places: number
  /** A project takes another place while it holds fewer than this many times the free ones, so that some always stay free for others. */
  readonly share: number
  /** How long a statement waits for a place before it is refused. */
  readonly waitMs: number
  /** Statements of one project that may wait at the same time. */
  readonly mostWaiting: number
}

/** What `TRAILMARK_ENGINE_RUNS` may be; the pool of connections to the engine has room for as many. */
export const MAX_RUN_PLACES = 60

/**
 * - `runs`: runs, streams and lookups of persons, which a person or a program waits for. One project alone gets 11 places of 16.
 * - `validation`: the checks of queries that are created, changed or previewed. One project alone gets 2 places.
 * - `lookups`: stored properties for flags, one batch of each project at a time.
 * - `background`: builds, checks and sweeps of tables. Nobody waits for them, so they are never refused.
 *
 * The embedded engine lets its reader run as many statements as these classes together send; see `READER_PLACES`.
 */
export const WORK_CLASSES: Readonly<Record<WorkClass, ClassLimits>> = {
  runs: { places: 16, share: 2, waitMs: 5_000, mostWaiting: 100 },
  validation: { places: 4, share: 1, waitMs: 5_000, mostWaiting: 50 },
  lookups: { places: 8, share: 1, waitMs: 2_000, mostWaiting: 100 },
  background: { places: 2, share: 1, waitMs: Infinity, mostWaiting: Infinity },
}

/** The most statements that all classes together send as the user who only reads, at the most places that can be configured. */
export const READER_PLACES = MAX_RUN_PLACES + WORK_CLASSES.validation.places + WORK_CLASSES.background.places

/** What rooms do with the engine, each call in a place of its class. */
export type GatedStorage = Pick<Storage, 'rowsDatabase' | 'run' | 'stream' | 'rows' | 'command' | 'work'>

/** What the writer does with the engine: there is one, it stores one batch at a time, and it never waits for a place. */
export type IngestStorage = Pick<Storage, 'rowsDatabase' | 'rows' | 'insert' | 'work' | 'ready'>

/** The only way to the engine: rooms receive the gate, never the storage behind it. */
export interface EngineGate extends Readonly<Record<WorkClass, GatedStorage>>, Pick<Storage, 'ready' | 'close'> {
  readonly ingest: IngestStorage
}

/** Returns what to call when the statement is over. Rejects with `StorageError` of kind `capacity`. */
type Enter = (projectId: number, signal?: AbortSignal) => Promise<() => void>

interface Waiting {
  readonly projectId: number
  readonly go: () => void
}

/** Places of one class, shared between projects: of those who wait, the project with the fewest places is next. */
export const createPlaces = ({ places, share, waitMs, mostWaiting }: ClassLimits): Enter => {
  const held = new Map<number, number>()
  let free = places
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

  const capacity = () => new StorageError('capacity', 'The project has its share of the engine in use')
  const givenUp = () => new StorageError('unavailable', 'The query was given up')

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
    // Those who wait come first: a project that asks again and again never passes them.
    if (!waitsAlready && mayEnter(projectId)) return take(projectId)
    if (waitsAlready >= mostWaiting) throw capacity()
    return wait(projectId, signal)
  }
}

/** The project that one of the service's own statements is for, by its parameter of this name; 0 is the service itself. */
const projectOf = ({ params }: Statement): number => Number(params?.projectId ?? 0)

const gated = (storage: Storage, enter: Enter): GatedStorage => {
  const inPlace = async <Answer>(projectId: number, ask: () => Promise<Answer>, signal?: AbortSignal) => {
    const leave = await enter(projectId, signal)
    try {
      return await ask()
    } finally {
      leave()
    }
  }

  return {
    rowsDatabase: storage.rowsDatabase,
    run: (statement, limits, signal) => inPlace(limits.projectId, () => storage.run(statement, limits, signal), signal),
    async stream(statement, limits, format, signal): Promise<Readable> {
      const leave = await enter(limits.projectId, signal)
      try {
        // Until the last row has been read, the engine holds the answer.
        return (await storage.stream(statement, limits, format, signal)).once('close', leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    rows: (statement) => inPlace(projectOf(statement), () => storage.rows(statement)),
    command: (statement) => inPlace(0, () => storage.command(statement)),
    work: (statement, limits, signal) =>
      inPlace(projectOf(statement), () => storage.work(statement, limits, signal), signal),
  }
}

/** Puts the gate before a storage. `runPlaces`: as many runs at the same time as the engine is good for. */
export const createEngineGate = (storage: Storage, runPlaces = WORK_CLASSES.runs.places): EngineGate => {
  const limitsOf = (name: WorkClass) =>
    name === 'runs' ? { ...WORK_CLASSES.runs, places: runPlaces } : WORK_CLASSES[name]
  const classOf = (name: WorkClass) => gated(storage, createPlaces(limitsOf(name)))
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
