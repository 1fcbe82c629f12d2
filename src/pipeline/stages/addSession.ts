import { type Stage, withProperties } from '../stage'

const PASSIVE = ['$pageleave', '$web_vitals', '$$heatmap']

/**
 * Adds `$session_id` and `$window_id`. The event extends its session or starts one. What a page captures when it is left
 * starts none, because the visit that it ends may have been idle for hours.
 */
export const addSession =
  (touch: (isLeaving?: boolean) => { sessionId: string; windowId: string }): Stage =>
  (event) => {
    const { sessionId, windowId } = touch(PASSIVE.includes(event.event))
    return withProperties(event, { $session_id: sessionId, $window_id: windowId })
  }
