import { type Stage, withProperties } from '../stage'

/**
 * Adds `$session_id` and `$window_id`. The event extends its session or starts one. A `$pageleave` starts none, because
 * the visit that it ends may have been idle for hours.
 */
export const addSession =
  (touch: (isLeaving?: boolean) => { sessionId: string; windowId: string }): Stage =>
  (event) => {
    const { sessionId, windowId } = touch(event.event === '$pageleave')
    return withProperties(event, { $session_id: sessionId, $window_id: windowId })
  }
