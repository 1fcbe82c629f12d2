import type { PageActivity } from '../../host'
import type { Stop } from '../../types'
import { createDeadClicks } from './deadClicks'
import type { ClickHost } from './host'
import { createRageClicks } from './rageClicks'
import { createSwipes } from './swipes'
import { createTimeline } from './timeline'
import { createWait } from './wait'

// Maximum time between the press that opens a menu and its click, and from the first touch of a swipe to its end.
const PRESS_MS = 1000
const TOUCH_MS = 5000

/** Detects rage and dead clicks, and dead swipes, by what follows them. The page is watched only while one is undecided. */
export const createDetector = (host: ClickHost): { onActivity(activity: PageActivity): void; stop: Stop } => {
  /** When a press is over that has no click. */
  let pressEndsAt = 0
  const disconnectIfIdle = () => {
    if (performance.now() > pressEndsAt && !detectors.some((detector) => detector.isWaiting())) {
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
  const swipeBy = createSwipes(host.config)

  const add = (given: PageActivity) => {
    const swipe = swipeBy(given)
    // The end of another touch: a click may follow.
    if (given.type === 'touchend' && !swipe) return
    const activity = swipe ? { ...given, type: 'swipe' } : given
    deadClicks.onActivity(activity, timeline.add(activity))
    const { type, path, at, event } = activity
    if (type === 'pointerdown' && event) {
      pressEndsAt = at + ((event as PointerEvent).pointerType === 'touch' ? TOUCH_MS : PRESS_MS)
      wait(pressEndsAt)
    }
    if (!/^(click|swipe)$/.test(type) || !path) return
    pressEndsAt = 0
    if (swipe) deadClicks.onSwipe(activity, path, swipe)
    else detectors.forEach((detector) => detector.onClick(activity, path))
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
