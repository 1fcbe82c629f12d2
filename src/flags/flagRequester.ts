import { elapsed } from '../lib/elapsed'
import { later } from '../lib/guard'
import { reportCaught } from '../lib/log'

/** The result of a request for flags: the parsed body, or the reason there is none. */
export interface FlagsResponse {
  body?: Record<string, unknown>
  /** `timeout`, `connection_error`, `api_error_503`, … (docs/reference/protocol.md#13.2). */
  error?: string
}

// Long enough for init, identify and group in one task to share a request, and too short to notice.
const TOGETHER_MS = 5
// After this many requests without a response, the next one waits, twice as long each time, up to the maximum.
const MAX_UNANSWERED = 3
const PAUSE_MS = 30_000
const MAX_PAUSE_MS = 600_000

interface Inputs {
  send(isStopped: () => boolean): Promise<FlagsResponse>
  apply(response: FlagsResponse): void
  /** Identifies the visitor. A response about another visitor is not applied. */
  visitor(): string
}

/**
 * Decides when `/flags` is requested. Calls that come together share one request, and one request runs at a time, so an
 * older response never arrives after a newer one. A call during a request causes one more request.
 */
export const createFlagRequester = ({ send, apply, visitor }: Inputs) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false
  let isRequestedAgain = false
  let unanswered = 0
  let pausedUntil = 0
  let isStopped = false

  const run = async () => {
    timer = undefined
    isSending = true
    const requested = visitor()
    const response = await send(() => isStopped).catch((error): FlagsResponse => {
      reportCaught(error)
      return { error: 'unknown_error' }
    })
    isSending = false
    if (isStopped) return
    unanswered = response.error === 'connection_error' ? unanswered + 1 : 0
    if (unanswered >= MAX_UNANSWERED)
      pausedUntil = elapsed() + Math.min(PAUSE_MS * 2 ** (unanswered - MAX_UNANSWERED), MAX_PAUSE_MS)
    if (requested === visitor()) apply(response)
    // Another tab may have changed the visitor. The new visitor's flags were not requested yet.
    if (isRequestedAgain || requested !== visitor()) request()
  }
  /** Requests flags. Returns false when no response comes soon: the network is down, or this was stopped. */
  const request = (): boolean => {
    isRequestedAgain = isSending
    if (isStopped) return false
    if (isSending) return true
    const pauseMs = pausedUntil - elapsed()
    timer ??= later(run, Math.max(TOGETHER_MS, pauseMs))
    return pauseMs <= 0
  }
  return {
    request,
    /** Ends the pause. Called when the browser is online again. */
    retryNow: (): void => {
      if (unanswered < MAX_UNANSWERED) return
      unanswered = pausedUntil = 0
      clearTimeout(timer)
      timer = undefined
      request()
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
