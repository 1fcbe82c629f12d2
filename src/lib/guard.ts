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

/** Runs `run` in a task of its own, after `ms` if given; guarded. The one door to timers. */
export const later = (run: () => unknown, ms?: number): ReturnType<typeof setTimeout> =>
  setTimeout(() => guarded(run), ms)
