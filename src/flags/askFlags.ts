import { later } from '../lib/guard'
import { reportCaught } from '../lib/log'

/** What asking for flags brought: the parsed body of the answer, or why there is none. */
export interface FlagsAnswer {
  body?: Record<string, unknown>
  /** `timeout`, `connection_error`, `api_error_503`, … (docs/reference/protocol.md#13.2). */
  error?: string
}

// Long enough for init, identify and group of one task to become one request, too short to be seen.
const TOGETHER_MS = 5
// After so many requests without an answer, the next one waits: twice as long each time, up to the maximum.
const MAX_UNANSWERED = 3
const PAUSE_MS = 30_000
const MAX_PAUSE_MS = 600_000

interface Asking {
  send(): Promise<FlagsAnswer>
  apply(answer: FlagsAnswer): void
  /** Whom the question is about. An answer about somebody else is not applied. */
  about(): string
}

/**
 * When `/flags` is requested: calls that come together are one request, and one request is under way at a time, so an
 * older answer never comes after a newer one. A call meanwhile asks once more afterwards.
 */
export const createAsking = ({ send, apply, about }: Asking) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let underWay = false
  let again = false
  let unanswered = 0
  let pausedUntil = 0
  let stopped = false

  const run = async () => {
    timer = undefined
    underWay = true
    const asked = about()
    const answer = await send().catch((error): FlagsAnswer => {
      reportCaught(error)
      return { error: 'unknown_error' }
    })
    underWay = false
    if (stopped) return
    unanswered = answer.error === 'connection_error' ? unanswered + 1 : 0
    if (unanswered >= MAX_UNANSWERED)
      pausedUntil = performance.now() + Math.min(PAUSE_MS * 2 ** (unanswered - MAX_UNANSWERED), MAX_PAUSE_MS)
    if (asked === about()) apply(answer)
    // Also where another tab has made the visitor another, who has not been asked about.
    if (again || asked !== about()) ask()
  }
  /** Requests flags. Returns false when no answer comes soon: the network is down, or this has ended. */
  const ask = (): boolean => {
    again = underWay
    if (stopped) return false
    if (underWay) return true
    const pauseMs = pausedUntil - performance.now()
    timer ??= later(run, Math.max(TOGETHER_MS, pauseMs))
    return pauseMs <= 0
  }
  return {
    ask,
    isStopped: (): boolean => stopped,
    /** The network is back: ends the pause. */
    wake: (): void => {
      if (unanswered < MAX_UNANSWERED) return
      unanswered = pausedUntil = 0
      clearTimeout(timer)
      timer = undefined
      ask()
    },
    stop: (): void => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
