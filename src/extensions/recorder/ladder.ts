import type { ExtensionHost } from '../contract'
import { clock } from './clock'
import { attempt } from './page'
import { type Load, MAX_IN_PAUSE, NO_LOAD, nextLoad, PAUSE_MS } from './budget'
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
  /** Called when the budget has stopped the recording. */
  onStop(): void
}

/** Applies the steps of the budget (`budget.ts`), and marks them in the recording. `tick` is called each second while rrweb runs. */
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
  /** The step that was last reported in the recording. */
  let marked = 'none'
  /** When the current minute began, and how large the recording was. */
  let minuteAt = 0
  let sizeAtMinute = 0
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
  let changesInPause = 0
  const observer = new MutationObserver((records) => (changesInPause += records.length))
  /** Starts rrweb again once the page is quiet, because its full snapshot is the longest task of a recording. */
  const resumeWhenQuiet = () => {
    changesInPause = 0
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true })
    pauseTimer = later(() => {
      observer.disconnect()
      if (changesInPause > MAX_IN_PAUSE) return resumeWhenQuiet()
      pauseTimer = undefined
      minuteAt = clock()
      startSoon()
    }, PAUSE_MS)
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
      resumeWhenQuiet()
    },
    stop: () => {
      stopRrweb()
      onStop()
    },
  }
  return {
    tick: (): void => {
      const now = clock()
      const session = size()
      if (now - minuteAt > MINUTE_MS) {
        minuteAt = now
        sizeAtMinute = session
      }
      const changes = limiter.count()
      const canBlock = load.busy > 1 && limiter.canBlock()
      const next = nextLoad(load, { changes, minute: session - sizeAtMinute, session, canBlock })
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
    /** Whether the budget has paused rrweb. The pause ends automatically. */
    isPausing: () => !!pauseTimer,
    /** Leaves a full snapshot of this many characters out of the minute's budget, which is for changes. */
    allow: (length: number): void => {
      sizeAtMinute += length
    },
    /** Called when rrweb has stopped. */
    release,
    /** Begins without limits, for a new session. */
    reset: (): void => {
      if (load.step !== 'none') STEPS.none()
      load = NO_LOAD
      marked = 'none'
      minuteAt = 0
    },
    stop: (): void => {
      clearTimeout(pauseTimer)
      observer.disconnect()
    },
  }
}
