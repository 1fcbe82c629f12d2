import { type Stage, withProperties } from '../stage'

/**
 * `$session_id` and `$window_id`: the event keeps its session alive, or begins one. A `$pageleave` begins none: the visit
 * that it ends may have been idle for hours.
 */
export const addSession =
  (touch: (isLeaving?: boolean) => { sessionId: string; windowId: string }): Stage =>
  (event) => {
    const { sessionId, windowId } = touch(event.event === '$pageleave')
    return withProperties(event, { $session_id: sessionId, $window_id: windowId })
  }
