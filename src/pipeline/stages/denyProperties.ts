import { exclude } from '../../lib/exclude'
import type { Stage } from '../stage'

/** Removes what must never be sent: denied properties and parts of URLs, of the event and of the person. */
export const denyProperties =
  (options: Parameters<typeof exclude>[1]): Stage =>
  (event) => {
    for (const name of ['properties', '$set', '$set_once'] as const)
      if (event[name]) event[name] = exclude(event[name], options)
    return event
  }
