import { later } from '../lib/guard'
import type { Stop } from '../types'

/** What asking for flags brought: the parsed body of the answer, or why there is none. */
export interface FlagsAnswer {
  body?: Record<string, unknown>
  /** `timeout`, `connection_error`, `api_error_503`, … (protocol.md §13.2). */
  error?: string
}

// Long enough for init, identify and group of one task to become one request, too short to be seen.
const TOGETHER_MS = 5
// After so many requests without any answer the network is given a rest until the browser says it is back.
const MOST_UNANSWERED = 3

interface Asking {
  send(): Promise<FlagsAnswer>
  apply(answer: FlagsAnswer): void
  /** Whom the question is about. An answer about somebody else is not applied. */
  about(): string
}

/**
 * When `/flags` is asked: calls that come together are one request, and one request is under way at a time, so an
 * older answer never comes after a newer one. A call meanwhile asks once more afterwards.
 */
export const createAsking = ({ send, apply, about }: Asking): { ask(): void; wake(): void; stop: Stop } => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let underWay = false
  let again = false
  let unanswered = 0
  let stopped = false

  const run = async () => {
    timer = undefined
    underWay = true
    const asked = about()
    const answer = await send()
    underWay = false
    if (stopped) return
    unanswered = answer.error === 'connection_error' ? unanswered + 1 : 0
    if (asked === about()) apply(answer)
    // Also where another tab has made the visitor another, who has not been asked about.
    if (again || asked !== about()) ask()
  }
  const ask = () => {
    again = underWay
    if (!underWay && !stopped && unanswered < MOST_UNANSWERED) timer ??= later(run, TOGETHER_MS)
  }
  return {
    ask,
    /** The network is back. */
    wake: () => {
      if (unanswered < MOST_UNANSWERED) return
      unanswered = 0
      ask()
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
