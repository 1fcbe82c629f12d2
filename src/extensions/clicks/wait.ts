import type { ClickHost } from './host'
import type { Stop } from '../../types'

/** Runs `run`, if any, once `performance.now` is past `until`. */
export type Wait = (until: number, run?: () => void) => void

/** Returns a `wait` that calls `onDone` after each run, and a function that cancels all pending ones. */
export const createWait = (later: ClickHost['later'], onDone: () => void): { wait: Wait; stop: Stop } => {
  const timers = new Set<ReturnType<typeof setTimeout>>()
  return {
    wait: (until, run) => {
      const timer = later(
        () => {
          timers.delete(timer)
          run?.()
          onDone()
        },
        // Timers may be a little early.
        until - performance.now() + 1,
      )
      timers.add(timer)
    },
    stop: () => timers.forEach(clearTimeout),
  }
}
