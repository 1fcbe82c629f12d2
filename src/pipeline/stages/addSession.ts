import type { SessionIds } from '../../lib/moment'
import type {} from '../../types'
import { type Stage, withProperties } from '../stage'

const PASSIVE = ['$pageleave', '$web_vitals', '$$heatmap']

/**
 * Adds `$session_id` and `$window_id`. The event extends its session or starts one. What a page captures when it is left
 * starts none, because the visit that it ends may have been idle for hours. An event that is captured later belongs to the
 * session of its moment.
 */
export const addSession =
  (touch: (isLeaving: boolean, then?: SessionIds) => SessionIds): Stage =>
  (event, _, then) => {
    const ids = then?.isPast ? then.session : touch(PASSIVE.includes(event.event), then?.session)
    return withProperties(event, { $session_id: ids?.sessionId, $window_id: ids?.windowId })
  }
