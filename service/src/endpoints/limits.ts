import { ApiError } from '../lib/apiError.ts'

/** Maximum bytes of a result that becomes a JSON response. Streams have no such limit. */
export const MAX_RESULT_BYTES = 5_000_000

/** The limits of one key's runs. */
export interface RunAllowance {
  readonly seconds: number
  readonly memoryBytes: number
  /** Maximum rows of a JSON response. */
  readonly rows: number
  /** Maximum rows of a CSV or NDJSON response. */
  readonly streamRows: number
  readonly perMinute: number
  readonly perHour: number
  /** Maximum concurrent runs. */
  readonly atOnce: number
}

const WINDOWS = [
  { limit: 'perMinute', ms: 60_000, words: 'a minute' },
  { limit: 'perHour', ms: 3_600_000, words: 'an hour' },
] as const

// A run may end at any time.
const NEXT_SLOT_SECONDS = 1

const SWEEP_MS = 60_000

interface Usage {
  running: number
  readonly windows: { startedAt: number; count: number }[]
}

export interface Gate {
  /** Counts a run. Returns a function to call, at least once, when it ends. Throws `ApiError` if a limit is used up. */
  enter(keyId: string, allowance: Pick<RunAllowance, 'perMinute' | 'perHour' | 'atOnce'>): () => void
}

/**
 * Limits the runs of each key or run token: concurrent ones, and those begun in the current minute and hour. `what`: what
 * they run, for the message.
 */
export const createGate = (now: () => number = Date.now, what = 'endpoints'): Gate => {
  const usages = new Map<string, Usage>()

  // There are few keys, but there may be one run token per visitor.
  let sweptAt = now()
  const sweep = () => {
    if (now() - sweptAt < SWEEP_MS) return
    sweptAt = now()
    for (const [id, { running, windows }] of usages) {
      if (!running && WINDOWS.every(({ ms }, at) => now() - windows[at]!.startedAt >= ms)) usages.delete(id)
    }
  }

  const usageOf = (keyId: string): Usage => {
    const usage = usages.get(keyId) ?? { running: 0, windows: WINDOWS.map(() => ({ startedAt: now(), count: 0 })) }
    usages.set(keyId, usage)
    WINDOWS.forEach(({ ms }, at) => {
      if (now() - usage.windows[at]!.startedAt >= ms) usage.windows[at] = { startedAt: now(), count: 0 }
    })
    return usage
  }

  return {
    enter(keyId, allowance) {
      sweep()
      const usage = usageOf(keyId)
      WINDOWS.forEach(({ limit, ms, words }, at) => {
        const { startedAt, count } = usage.windows[at]!
        if (count < allowance[limit]) return
        throw new ApiError('rate_limited', {
          detail: `This key or token may run at most ${allowance[limit]} ${what} ${words}.`,
          retryAfterSeconds: Math.ceil((startedAt + ms - now()) / 1_000),
        })
      })
      if (usage.running >= allowance.atOnce) {
        throw new ApiError('too_many_at_once', {
          detail: `This key or token may run at most ${allowance.atOnce} ${what} at the same time.`,
          retryAfterSeconds: NEXT_SLOT_SECONDS,
        })
      }
      usage.running += 1
      for (const window of usage.windows) window.count += 1
      let isOver = false
      return () => {
        if (!isOver) usage.running -= 1
        isOver = true
      }
    },
  }
}
