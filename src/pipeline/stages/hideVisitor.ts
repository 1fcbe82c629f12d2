import { COOKIELESS_ID } from '../../lib/cookieless'
import { type Stage, withProperties } from '../stage'

// What would tell one visitor, or one visit, from another.
const TELLING = [
  '$session_id',
  '$window_id',
  '$user_id',
  '$had_persisted_distinct_id',
  '$last_posthog_reset',
  '$initialization_time',
]

/** Without cookies: the event says that it is, and carries nothing that tells its visitor from others (protocol.md §8.7). */
export const hideVisitor =
  (isCookieless: () => boolean): Stage =>
  (event) => {
    if (!isCookieless()) return event
    for (const name of TELLING) delete event.properties[name]
    return withProperties(event, { distinct_id: COOKIELESS_ID, $device_id: null, $cookieless_mode: true })
  }
