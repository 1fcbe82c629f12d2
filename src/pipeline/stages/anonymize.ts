import { COOKIELESS_ID } from '../../lib/cookieless'
import { type Stage, withProperties } from '../stage'

// Properties that distinguish visitors or visits.
const IDENTIFYING = [
  '$session_id',
  '$window_id',
  '$user_id',
  '$had_persisted_distinct_id',
  '$last_posthog_reset',
  '$initialization_time',
]

/** In cookieless mode: marks the event as cookieless and removes what identifies its visitor (docs/reference/protocol.md#8.7). */
export const anonymize =
  (isCookieless: () => boolean): Stage =>
  (event) => {
    if (!isCookieless()) return event
    for (const name of IDENTIFYING) delete event.properties[name]
    return withProperties(event, { distinct_id: COOKIELESS_ID, $device_id: null, $cookieless_mode: true })
  }
