import { type Stage, withProperties } from '../stage'

/** `$session_id` and `$window_id`: the event keeps its session alive, or begins one. */
export const addSession =
  (touch: () => { sessionId: string; windowId: string }): Stage =>
  (event) => {
    const { sessionId, windowId } = touch()
    return withProperties(event, { $session_id: sessionId, $window_id: windowId })
  }
