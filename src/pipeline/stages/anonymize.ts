import { COOKIELESS_ID } from '../../lib/cookieless'
import type { Properties } from '../../types'
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

/** Removes identifying properties, also from objects within properties, such as the metrics of web vitals. */
const removeFrom = (properties: Properties): void => {
  for (const name of IDENTIFYING) delete properties[name]
  for (const each of Object.values(properties)) if (typeof each === 'object' && each) removeFrom(each as Properties)
}

/** In cookieless mode: marks the event as cookieless and removes what identifies its visitor (docs/reference/protocol.md#8.7). */
export const anonymize =
  (isCookieless: () => boolean): Stage =>
  (event) => {
    if (!isCookieless()) return event
    removeFrom(event.properties)
    return withProperties(event, { distinct_id: COOKIELESS_ID, $device_id: null, $cookieless_mode: true })
  }
