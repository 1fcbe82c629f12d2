import type { PageActivity } from '../../host'
import type { Stop } from '../../types'
import { createDeadClicks } from './deadClicks'
import type { ClickHost } from './host'
import { createRageClicks } from './rageClicks'
import { createTimeline } from './timeline'
import { createWait } from './wait'

// Maximum time between the press that opens a menu and its click.
const PRESS_MS = 1000

/** Detects rage and dead clicks by what follows clicks. The page is watched only while a click is undecided. */
export const createDetector = (host: ClickHost): { onActivity(activity: PageActivity): void; stop: Stop } => {
  let pressedAt = -Infinity
  const disconnectIfIdle = () => {
    if (performance.now() - pressedAt > PRESS_MS && !detectors.some((detector) => detector.isWaiting())) {
      host.disconnect()
      // While the run can continue, the verdict on it depends on the effects of all its clicks.
      if (!rageClicks.isRunning()) timeline.forget()
    }
  }
  const { wait, stop } = createWait(host.later, disconnectIfIdle)
  const timeline = createTimeline()
  const deadClicks = createDeadClicks(host, wait, timeline)
  const rageClicks = createRageClicks(host, wait, timeline)
  const detectors = [rageClicks, deadClicks]

  const add = (activity: PageActivity) => {
    deadClicks.onActivity(activity, timeline.add(activity))
    if (activity.type === 'pointerdown') {
      pressedAt = activity.at
      wait(pressedAt + PRESS_MS)
    }
    const { type, path } = activity
    if (type !== 'click' || !path) return
    pressedAt = -Infinity
    detectors.forEach((detector) => detector.onClick(activity, path))
  }

  host.buffered.splice(0).forEach(add)
  disconnectIfIdle()

  const stopLeaving = host.onLeave(() => detectors.forEach((detector) => detector.onLeave()))
  return {
    onActivity: (activity) => {
      add(activity)
      disconnectIfIdle()
    },
    stop: () => {
      stopLeaving()
      stop()
    },
  }
}
