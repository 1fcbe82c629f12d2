import type { ExtensionHost } from '../contract'
import { attempt } from './page'
import { type Load, NO_LOAD, nextLoad, PAUSE_MS } from './budget'
import type { Limiter } from './limiter'
import { addCustomEvent, freeze } from './startRrweb'

/** A custom event that makes rrweb emit what it has collected while frozen. It is not recorded. */
export const FLUSH = 'trailmark flush'
const COALESCE_MS = 500
const MIN_COALESCE_MS = 50
// rrweb processes everything that it has collected in one task, which must stay well below the 50 ms of a long one.
const TASK_MS = 20
const MINUTE_MS = 60_000

interface LadderInputs {
  later: ExtensionHost['later']
  limiter: Limiter
  /** Characters recorded of the session. */
  size(): number
  /** Adds an event to the recording. */
  mark(tag: string, payload: object): void
  snapshotSoon(): void
  stopRrweb(): void
  startSoon(): void
  /** The page is too much for the recorder. */
  onStop(): void
}

/** Applies the steps of the budget (`budget.ts`), and says so in the recording. `tick` is called each second while rrweb runs. */
export const createLadder = ({
  later,
  limiter,
  size,
  mark,
  snapshotSoon,
  stopRrweb,
  startSoon,
  onStop,
}: LadderInputs) => {
  let load: Load = NO_LOAD
  /** The step that the recording says. */
  let marked = 'none'
  let minute = { since: 0, size: 0 }
  let pauseTimer: ReturnType<typeof setTimeout> | undefined
  let freezeTimer: ReturnType<typeof setTimeout> | undefined

  /** Collects changes for `ms`, then processes them. The more time that took, the less is collected next. */
  const coalesce = (ms: number) => {
    freezeTimer = later(() => {
      const start = performance.now()
      attempt(() => {
        addCustomEvent(FLUSH)
        freeze()
      })
      const took = Math.max(1, performance.now() - start)
      coalesce(Math.min(COALESCE_MS, ms * 2, Math.max(MIN_COALESCE_MS, (ms * TASK_MS) / took)))
    }, ms)
  }
  /** Ends what a step does with the running rrweb. Returns whether a part of the page was left out. */
  const release = () => {
    clearTimeout(freezeTimer)
    freezeTimer = undefined
    return limiter.unblock()
  }
  const STEPS: Record<Load['step'], () => void> = {
    none: () => {
      const wasBlocked = release()
      attempt(() => addCustomEvent(FLUSH))
      if (wasBlocked) snapshotSoon()
    },
    coalesce: () => {
      if (freezeTimer) return
      attempt(freeze)
      coalesce(MIN_COALESCE_MS)
    },
    block: limiter.block,
    pause: () => {
      stopRrweb()
      pauseTimer = later(() => {
        pauseTimer = undefined
        minute = { since: Date.now(), size: minute.size }
        startSoon()
      }, PAUSE_MS)
    },
    stop: () => {
      stopRrweb()
      onStop()
    },
  }
  return {
    tick: (): void => {
      const now = Date.now()
      const session = size()
      if (now - minute.since > MINUTE_MS) minute = { since: now, size: session }
      const changes = limiter.count()
      const canBlock = load.busy > 1 && limiter.canBlock()
      const next = nextLoad(load, { changes, minute: session - minute.size, session, canBlock })
      const { step } = load
      load = next
      const reached = next.step === 'none' && limiter.isLimited() ? 'attributes' : next.step
      if (reached !== marked) {
        const reason = /pause|stop/.test(reached) && changes < 1000 ? 'bytes' : 'changes'
        mark('recording degraded', { step: reached, reason })
        marked = reached
      }
      if (next.step !== step) STEPS[next.step]()
      limiter.reset()
    },
    /** Whether nothing is left out. */
    isUnlimited: () => load.step === 'none',
    /** Whether the budget has stopped rrweb for a time. It ends by itself. */
    isPausing: () => !!pauseTimer,
    /** rrweb has stopped. */
    release,
    /** Begins without limits, for a new session. */
    reset: (): void => {
      if (load.step !== 'none') STEPS.none()
      load = NO_LOAD
      marked = 'none'
    },
    stop: (): void => {
      clearTimeout(pauseTimer)
      release()
    },
  }
}
