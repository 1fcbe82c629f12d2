import { isPlainObject } from '../../lib/json'
import type { Log } from '../../lib/log'
import { type RewriteText, serialize, toDate } from '../../lib/serialize'
import { isUuid } from '../../lib/uuid'
import type { BeforeSend, CapturedEvent, Config } from '../../types'
import type { Stage } from '../stage'

/** `sanitize_properties` as a `before_send`: it replaces all properties but `$process_person_profile`, which is the SDK's. */
const asBeforeSend = (sanitize: Config['sanitize_properties']): BeforeSend | undefined | null =>
  sanitize &&
  ((event) => {
    const { $process_person_profile } = event.properties
    return { ...event, properties: { ...sanitize({ ...event.properties }, event.event), $process_person_profile } }
  })

/**
 * Runs the site's `sanitize_properties` and `before_send`, one function or several in order. Falsy entries
 * (`[isProduction && scrub]`) are skipped. Each function receives what the previous one returned. null or undefined drops
 * the event, and so does an error, because the function may have been about to remove something. The result is serialized
 * like the arguments of `capture`. `noop`: the default, which is skipped.
 */
export const runBeforeSend =
  (config: Pick<Config, 'before_send' | 'sanitize_properties'>, noop: unknown, rewrite: RewriteText, log: Log): Stage =>
  (event) => {
    const { sanitize_properties, before_send } = config
    if (!sanitize_properties && before_send === noop) return event
    const { uuid, event: name, timestamp } = event
    const chain = [asBeforeSend(sanitize_properties), before_send].flat().filter((each) => each && each !== noop)
    if (!chain.length) return event
    let result: CapturedEvent | null | undefined = event
    try {
      for (const each of chain as BeforeSend[]) {
        result = each(result)
        if (!result) return { drop: 'before_send' }
      }
      const sent = serialize(result, rewrite) as CapturedEvent
      if (typeof sent.event !== 'string' || !isPlainObject(sent.properties))
        throw new TypeError('before_send must return an event, or null')
      return {
        ...sent,
        uuid: isUuid(sent.uuid) ? sent.uuid : uuid,
        timestamp: toDate(sent.timestamp) ?? timestamp,
      }
    } catch (error) {
      log.error(`before_send failed, so "${name}" is not sent`, error)
      return { drop: 'before_send' }
    }
  }
