import type { Log } from '../../lib/log'
import { isUuid } from '../../lib/uuid'
import type { BeforeSend } from '../../types'
import type { Stage } from '../stage'

/**
 * The site's own `before_send`, one function or several in order. What one returns the next receives; null or undefined
 * drops the event. One that throws drops it too: it may have been about to take out what must not be sent.
 */
export const runBeforeSend =
  (functions: () => BeforeSend | BeforeSend[], log: Log): Stage =>
  (event) => {
    const { uuid, event: name } = event
    for (const each of [functions()].flat()) {
      let result: ReturnType<BeforeSend>
      try {
        result = each(event)
      } catch (error) {
        log.error(`before_send threw, so "${name}" is not sent`, error)
        return { drop: 'before_send' }
      }
      if (!result) return { drop: 'before_send' }
      if (
        typeof result !== 'object' ||
        typeof result.event !== 'string' ||
        typeof result.properties !== 'object' ||
        !result.properties
      ) {
        log.error(
          `before_send takes an event and returns it, or null; it returned something else, so "${name}" is not sent`,
        )
        return { drop: 'before_send' }
      }
      event = result
    }
    return isUuid(event.uuid) ? event : { ...event, uuid }
  }
