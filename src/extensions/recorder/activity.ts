import type { ExtensionHost } from '../contract'
import { clock } from './clock'
import { INCREMENTAL } from './eventTypes'

const IDLE_MS = 300_000
const TOUCH_EVERY_MS = 1000
// Sources of incremental events that a person causes: moves, interactions, scrolling, resizing, input, touch, media, drag.
const ACTIVE = [1, 2, 3, 4, 5, 6, 7, 12]

interface Observed {
  type: number
  data: unknown
  timestamp: number
}

const isActive = ({ type, data }: Observed): boolean =>
  type === INCREMENTAL && ACTIVE.includes((data as { source: number }).source)

interface ActivityInputs {
  host: ExtensionHost
  /** Called when the visitor did something. */
  onInteraction(): void
  /** Called when the visitor has done nothing since `lastActivity` for the idle threshold, which ended at `timestamp`. */
  onIdle(lastActivity: number, timestamp: number): void
  /** Called when an idle visitor is active again. */
  onReturn(): void
}

/** Follows what the visitor does by the events of rrweb, and extends the session. */
export const createActivity = ({ host, onInteraction, onIdle, onReturn }: ActivityInputs) => {
  const { config, session } = host
  let lastActivity = clock()
  let lastTouch = 0
  let isIdle = false
  const thresholdMs = () => config.session_recording.session_idle_threshold_ms ?? IDLE_MS
  return {
    isIdle: () => isIdle,
    /** Called when the session has changed, which a visitor who is active does, and whose clock may be another. */
    reset: (): void => {
      lastActivity = lastTouch = clock()
    },
    observe: (event: Observed): void => {
      const { timestamp } = event
      if (!isIdle && timestamp - lastActivity >= thresholdMs()) {
        isIdle = true
        // Not the time of this event: the computer may have slept for days before it.
        onIdle(lastActivity, lastActivity + thresholdMs())
      }
      if (!isActive(event)) return
      lastActivity = timestamp
      // Another tab may have ended the session, or the visitor has returned after a long time.
      if (timestamp - lastTouch > TOUCH_EVERY_MS) {
        lastTouch = timestamp
        session.touch()
      }
      onInteraction()
      if (isIdle) {
        isIdle = false
        onReturn()
      }
    },
  }
}
