import { toPlain } from '../../lib/plain'
import { redactUrls } from '../../lib/redact'
import type { Properties } from '../../types'
import type { Stage } from '../stage'

/**
 * The event cut loose from the page's objects: JSON values only, no string longer than `maxLength` characters, no URL
 * that tells a secret.
 */
export const makePlain =
  (maxLength: () => number): Stage =>
  (event) => {
    const text = (value: string) => redactUrls(value.slice(0, maxLength()))
    const plain = (values: Properties) => toPlain(values, text) as Properties
    return {
      ...event,
      properties: plain(event.properties),
      ...(event.$set ? { $set: plain(event.$set) } : {}),
      ...(event.$set_once ? { $set_once: plain(event.$set_once) } : {}),
    }
  }
