import type { eventWithTime } from '@rrweb/types'
import type { ExtensionHost } from '../contract'
import { INCREMENTAL } from './eventTypes'

const IDLE_MS = 300_000
const TOUCH_EVERY_MS = 1000
// Sources of incremental events that a person causes: moves, interactions, scrolling, resizing, input, touch, media, drag.
const ACTIVE = [1, 2, 3, 4, 5, 6, 7, 12]

const isActive = ({ type, data }: eventWithTime): boolean =>
  (type as number) === INCREMENTAL && ACTIVE.includes((data as { source: number }).source)

interface ActivityInputs {
  host: ExtensionHost
  /** Called when the visitor did something. */
  onInteraction(): void
  /** Called when the visitor has done nothing since `lastActivity` for the idle threshold. */
  onIdle(lastActivity: number, timestamp: number): void
  /** Called when an idle visitor is active again. */
  onReturn(): void
}

/** Follows what the visitor does by the events of rrweb, and extends the session. */
export const createActivity = ({ host, onInteraction, onIdle, onReturn }: ActivityInputs) => {
  const { config, session } = host
  let lastActivity = Date.now()
  let lastTouch = 0
  let isIdle = false
  return {
    isIdle: () => isIdle,
    observe: (event: eventWithTime): void => {
      const { timestamp } = event
      if (isActive(event)) {
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
      } else if (
        !isIdle &&
        timestamp - lastActivity >= (config.session_recording.session_idle_threshold_ms ?? IDLE_MS)
      ) {
        isIdle = true
        onIdle(lastActivity, timestamp)
      }
    },
  }
}
