import { reportCaught } from './log'

/** `run`'s answer, or undefined where it threw, which the console then tells: for what must never throw into the host page. */
export const guarded = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    reportCaught(error)
    return undefined
  }
}

/** Runs `run` in a task of its own, after `ms` if given; guarded. The one door to timers. */
export const later = (run: () => void, ms?: number): ReturnType<typeof setTimeout> => setTimeout(() => guarded(run), ms)
