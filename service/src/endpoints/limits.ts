import { ApiError } from '../lib/apiError.ts'

/** What the runs of one key may take. */
export interface RunAllowance {
  readonly seconds: number
  readonly memoryBytes: number
  /** Of one answer in JSON. */
  readonly rows: number
  /** Of one answer in CSV or NDJSON. */
  readonly streamRows: number
  readonly perMinute: number
  readonly perHour: number
  /** Runs under way at the same time. */
  readonly atOnce: number
}

const WINDOWS = [
  { limit: 'perMinute', ms: 60_000, words: 'a minute' },
  { limit: 'perHour', ms: 3_600_000, words: 'an hour' },
] as const

// A place is free as soon as any run ends, which none can say in advance.
const NEXT_PLACE_SECONDS = 1

const SWEEP_MS = 60_000

interface Usage {
  running: number
  readonly windows: { startedAt: number; count: number }[]
}

export interface Gate {
  /** Returns what to call when the run is over, once or more often. Throws `ApiError` if the key has used up what it may. */
  enter(keyId: string, allowance: RunAllowance): () => void
}

/** Counts the runs of each key or run token: how many are under way, and how many began in the current minute and hour. */
export const createGate = (now: () => number = Date.now): Gate => {
  const usages = new Map<string, Usage>()

  // Keys are few, but who makes run tokens makes one for each visitor.
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
          detail: `This key or token may run ${allowance[limit]} endpoints ${words}.`,
          retryAfterSeconds: Math.ceil((startedAt + ms - now()) / 1_000),
        })
      })
      if (usage.running >= allowance.atOnce) {
        throw new ApiError('too_many_at_once', {
          detail: `This key or token may run ${allowance.atOnce} endpoints at the same time.`,
          retryAfterSeconds: NEXT_PLACE_SECONDS,
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
