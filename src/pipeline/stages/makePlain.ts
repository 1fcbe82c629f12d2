import { toPlain } from '../../lib/plain'
import type { Properties } from '../../types'
import type { Stage } from '../stage'

/** The event cut loose from the page's objects: JSON values only, no string longer than `maxLength` characters. */
export const makePlain =
  (maxLength: () => number): Stage =>
  (event) => {
    const plain = (values: Properties) => toPlain(values, maxLength()) as Properties
    return {
      ...event,
      properties: plain(event.properties),
      ...(event.$set ? { $set: plain(event.$set) } : {}),
      ...(event.$set_once ? { $set_once: plain(event.$set_once) } : {}),
    }
  }
