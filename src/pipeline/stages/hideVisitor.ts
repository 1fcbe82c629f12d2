import { COOKIELESS_ID } from '../../lib/cookieless'
import { pick } from '../../lib/objects'
import type { Stage } from '../stage'

// What would tell one visitor, or one visit, from another.
const TELLING = [
  '$session_id',
  '$window_id',
  '$user_id',
  '$had_persisted_distinct_id',
  '$last_posthog_reset',
  '$initialization_time',
]

/** Without cookies: the event says that it is, and carries nothing that tells its visitor from others (docs/reference/protocol.md#8.7). */
export const hideVisitor =
  (isCookieless: () => boolean): Stage =>
  (event) =>
    isCookieless()
      ? {
          ...event,
          properties: {
            ...pick(event.properties, (name) => !TELLING.includes(name)),
            distinct_id: COOKIELESS_ID,
            $device_id: null,
            $cookieless_mode: true,
          },
        }
      : event
