import type { ExtensionHost } from '../contract'
import { attempt } from './page'
import { type Load, NO_LOAD, nextLoad, PAUSE_MS } from './budget'
import type { Limiter } from './limiter'
import { addCustomEvent, freeze } from './startRrweb'

/** A custom event that makes rrweb emit what it has collected while frozen. It is not recorded. */
export const FLUSH = 'trailmark flush'
const COALESCE_MS = 500
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
  let minute = { since: 0, size: 0 }
  let pauseTimer: ReturnType<typeof setTimeout> | undefined
  let freezeTimer: ReturnType<typeof setTimeout> | undefined

  const coalesce = () => {
    freezeTimer = later(() => {
      attempt(() => {
        addCustomEvent(FLUSH)
        freeze()
      })
      coalesce()
    }, COALESCE_MS)
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
      if (!freezeTimer) coalesce()
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
      if (next.step !== step) {
        const reason = next.step === 'pause' && changes < 1000 ? 'bytes' : 'changes'
        mark('recording degraded', { step: next.step, reason })
        STEPS[next.step]()
      }
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
    },
    stop: (): void => {
      clearTimeout(pauseTimer)
      release()
    },
  }
}
