import { type Stage, withProperties } from '../stage'

export interface SessionIds {
  sessionId: string
  windowId: string
  isNew: boolean
}

/** `$session_id` and `$window_id`. `onNew` hears of a session that begins before its first event goes on. */
export const addSession =
  (touch: () => SessionIds, onNew: (sessionId: string) => void): Stage =>
  (event) => {
    const { sessionId, windowId, isNew } = touch()
    if (isNew) onNew(sessionId)
    return withProperties(event, { $session_id: sessionId, $window_id: windowId })
  }
