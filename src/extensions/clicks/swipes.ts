import type { PageActivity } from '../../host'
import type { Config, DeadClicksConfig } from '../../types'

/** Returns the options of `capture_dead_clicks`. */
export const swipeOptions = ({ capture_dead_clicks: given }: Config): DeadClicksConfig =>
  typeof given === 'object' ? given : { capture_dead_swipes: given }

/** A touch of one finger that moved. */
export interface Swipe {
  direction: 'left' | 'right' | 'up' | 'down'
  distance: number
}

/** Returns a function that reads all activity, and returns a swipe for the end of the touch that made it. */
export const createSwipes = (config: Config) => {
  let start: PointerEvent | undefined
  return ({ type, event }: PageActivity): Swipe | undefined => {
    // The watch of the page reports a press too, without the event.
    if (type === 'pointerdown' && event) {
      const pressed = event as PointerEvent
      // A second finger zooms.
      start = pressed.pointerType === 'touch' && pressed.isPrimary ? pressed : undefined
    }
    if (type !== 'touchend' || !start) return undefined
    const { clientX, clientY } = (event as TouchEvent).changedTouches[0]!
    const [x, y] = [clientX - start.clientX, clientY - start.clientY]
    start = undefined
    const { capture_dead_swipes = true, swipe_threshold_px = 30 } = swipeOptions(config)
    const distance = Math.hypot(x, y)
    if (!capture_dead_swipes || distance < swipe_threshold_px) return undefined
    const isHorizontal = Math.abs(x) > Math.abs(y)
    const [forward, back] = isHorizontal ? (['right', 'left'] as const) : (['down', 'up'] as const)
    return { direction: (isHorizontal ? x : y) > 0 ? forward : back, distance: Math.round(distance) }
  }
}
