import { reportCaught } from './log'

/**
 * `run`'s answer, or undefined where it threw, which the console then tells: for what must never throw into the host
 * page. A promise that rejects later is told of too.
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

// A longer timer fires at once. https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers
const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs `run` guarded in a task of its own, after `ms` milliseconds. Every timer of the SDK is set here. */
export const later = (run: () => unknown, ms = 0): ReturnType<typeof setTimeout> =>
  setTimeout(() => guarded(run), Math.min(ms, MAX_TIMER_MS))

/** Resolves with `promise`, or with `fallback` if it rejects or takes longer than `ms`. */
export const within = <T, F = T>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> =>
  new Promise((done) => {
    const timer = later(() => done(fallback), ms)
    promise
      .catch(() => fallback)
      .then((result) => {
        clearTimeout(timer)
        done(result)
      })
  })

/** Returns what `run` returns, or undefined where it throws: for what browsers and pages may forbid, which is no error. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}
