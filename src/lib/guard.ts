import { reportCaught } from './log'

export { attempt } from './attempt'

/**
 * Returns what `run` returns, or undefined if it throws: for code that must never throw into the host page. The console
 * reports the error, and the rejection of a returned promise.
 */
export const guarded = <T>(run: () => T): T | undefined => {
  try {
    const result = run()
    if (result instanceof Promise) result.catch(reportCaught)
    return result
  } catch (error) {
    reportCaught(error)
    return undefined
  }
}

// A longer timer fires immediately. https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers
const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs `run` guarded in a later task, after `ms` milliseconds. All timers of the SDK are set here. */
export const later = (run: () => unknown, ms = 0): ReturnType<typeof setTimeout> =>
  setTimeout(() => guarded(run), Math.min(ms, MAX_TIMER_MS))

/** Resolves with `promise`, or with `fallback` if it rejects or takes longer than `ms`. */
export const within = <T, F = T>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> =>
  new Promise((done) => {
    const timer = later(() => done(fallback), ms)
    void promise
      .catch(() => fallback)
      .then((result) => {
        done(result)
        clearTimeout(timer)
      })
  })
