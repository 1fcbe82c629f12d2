import { findStructured } from '../sql/structured.ts'
import type { ReadLimits, Storage } from '../storage/storage.ts'

/** Assumptions of a run about properties. */
export interface PlainReader {
  /** Returns whether the run may assume that no event has an object or array in this property. */
  isPlain(key: string): boolean
  /** Whether all that was assumed is still true. Then it was true while the run's statements ran. */
  holds(): boolean
}

/**
 * Knows which properties of events have never been objects or arrays. Reading these takes half of the time of reading any property.
 * A property is known after the stored events were looked through, which begins when it is read often.
 */
export interface PlainProperties {
  reader(projectId: number): PlainReader
  /** Call before events are stored. `keys`: their properties that are objects or arrays. */
  note(projectId: number, keys: readonly string[]): void
}

export interface PlainPropertiesOptions {
  readonly storage: Pick<Storage, 'run'>
  /** Whether this process is the only one that stores events, on one server. Otherwise no property is known to be plain. */
  readonly isAlone: boolean
  /** Maximum time until the rows of a killed process's insert are visible. */
  readonly lagMs: number
  readonly now?: () => number
}

interface Known {
  asks: number
  askedAt: number
  /** Begin of the last look that found nothing. */
  lookedAt: number
  /** Time of the next attempt after a failure. */
  retryAt: number
}

/** Minimum runs within `OFTEN_MS` for which a look at the events pays off. */
const OFTEN = 5
const OFTEN_MS = 60_000
// Other programs may write to the engine: an import. Each look after the first reads new events only.
const VALID_MS = 60_000
const LOOK_AGAIN_MS = 30_000
const RETRY_MS = 600_000
const MAX_KEYS = 500
/** Maximum characters of the notes about a project. If they are longer, none of its properties counts as plain. */
const MAX_NOTED = 50_000
const LOOK: Omit<ReadLimits, 'projectId'> = {
  maxSeconds: 60,
  maxMemoryBytes: 500_000_000,
  maxRows: 1,
  maxBytes: 1_000,
  maxThreads: 1,
}

export const createPlainProperties = ({
  storage,
  isAlone,
  lagMs,
  now = Date.now,
}: PlainPropertiesOptions): PlainProperties => {
  const startedAt = now()
  /** By project and key, ordered by last use. */
  const known = new Map<string, Known>()
  /** Whether a look is in progress. There is one at a time, so that builds of tables are not kept waiting. */
  let isLooking = false
  const noted = new Map<number, { readonly keys: Set<string>; characters: number }>()

  const isNoted = (projectId: number, key: string): boolean => {
    const own = noted.get(projectId)
    return own !== undefined && (own.characters > MAX_NOTED || own.keys.has(key))
  }

  const note = (projectId: number, keys: readonly string[]) => {
    if (!isAlone || !keys.length) return
    const own = noted.get(projectId) ?? { keys: new Set(), characters: 0 }
    noted.set(projectId, own)
    for (const key of keys) {
      if (own.characters > MAX_NOTED) return
      if (own.keys.has(key)) continue
      own.keys.add(key)
      own.characters += key.length
    }
  }

  const knownOf = (projectId: number, key: string): Known => {
    const id = `${projectId} ${key}`
    const one = known.get(id) ?? { asks: 0, askedAt: -Infinity, lookedAt: -Infinity, retryAt: -Infinity }
    known.delete(id)
    known.set(id, one)
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KEYS) break
      known.delete(oldest)
    }
    return one
  }

  const look = async (projectId: number, key: string, one: Known) => {
    const at = now()
    const since = Number.isFinite(one.lookedAt) ? one.lookedAt - lagMs : undefined
    isLooking = true
    try {
      const limits = { ...LOOK, projectId }
      const { rows } = await storage.run(findStructured(projectId, key, since), limits, new AbortController().signal)
      if (rows.length) note(projectId, [key])
      else one.lookedAt = at
    } catch {
      one.retryAt = now() + RETRY_MS
    } finally {
      isLooking = false
    }
  }

  const ask = (projectId: number, key: string): boolean => {
    if (!isAlone || isNoted(projectId, key)) return false
    const at = now()
    const one = knownOf(projectId, key)
    if (at - one.askedAt >= OFTEN_MS) {
      one.askedAt = at
      one.asks = 0
    }
    one.asks += 1
    // An insert of the process before this one may become visible later.
    const mayLook = at - startedAt >= lagMs && at >= one.retryAt && !isLooking && one.asks >= OFTEN
    if (mayLook && at - one.lookedAt >= LOOK_AGAIN_MS) void look(projectId, key, one)
    return at - one.lookedAt < VALID_MS
  }

  return {
    note,
    reader(projectId) {
      const answers = new Map<string, boolean>()
      return {
        isPlain(key) {
          const answer = answers.get(key) ?? ask(projectId, key)
          answers.set(key, answer)
          return answer
        },
        holds: () => [...answers].every(([key, isPlain]) => !isPlain || !isNoted(projectId, key)),
      }
    },
  }
}
