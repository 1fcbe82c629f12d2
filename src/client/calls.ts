import { hasPage, isWorker } from '../browser/page'
import { guarded } from '../lib/guard'
import type { Log } from '../lib/log'
import type { EarlyMoment } from '../lib/moment'
import type { Methods } from './publicApi'

// More calls than a page makes before `init`, and few enough to keep in memory if `init` is never called.
const MAX_WAITING = 1000
// Methods that only return something. Without a callback, a late result has no receiver.
const QUERY = /^(featureFlags\.)?(get|has|is|canRenderSurvey$|calc)/

export type Method = (...args: unknown[]) => unknown
export const isFunction = (value: unknown): value is Method => typeof value === 'function'

export type Calls = ReturnType<typeof createCalls>

/**
 * Creates the queue of calls that wait for a client, or for the extension with the method. They run in order, each with
 * its moment. `results`: what methods return to calls that wait. `run` calls a method by its path.
 */
export const createCalls = (results: Methods, log: Log, run: (path: string, args: readonly unknown[]) => unknown) => {
  let early: EarlyMoment | undefined
  const waiting: (() => void)[] = []
  const runAt = <T>(moment: EarlyMoment, run: () => T): T => {
    const outer = early
    early = moment
    try {
      return run()
    } finally {
      early = outer
    }
  }
  return {
    /** Returns the moment of the call that has waited, while it runs. */
    early: () => early,
    runAt,
    /** Whether one more call can wait. */
    hasRoom: () => waiting.length < MAX_WAITING && (hasPage() || isWorker()),
    /**
     * Queues a call, unless it only reads a value. Returns the method's interim result. `now`: the moment of the call.
     * `onResult` receives the final result.
     */
    add: (path: string, args: readonly unknown[], now: EarlyMoment, onResult?: (result: unknown) => void): unknown => {
      if (QUERY.test(path) && !args.some(isFunction)) return undefined
      const moment = { ...now, ...early }
      let result: unknown
      const call = () => {
        result = runAt(moment, () => run(path, args))
        onResult?.(result)
      }
      if (waiting.push(call) === MAX_WAITING)
        log.warn(`${MAX_WAITING} calls came before init() or their extension; further ones are lost`)
      if (!isFunction(results[path])) return undefined
      return () => {
        const at = waiting.indexOf(call)
        if (at >= 0) waiting.splice(at, 1)
        if (isFunction(result)) result()
      }
    },
    /** Runs the waiting calls. A call that still lacks something waits again. */
    replay: (): void => waiting.splice(0).forEach(guarded),
    clear: (): void => {
      waiting.length = 0
    },
  }
}
