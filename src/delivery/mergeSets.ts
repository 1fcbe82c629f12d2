import { toJson } from '../lib/json'
import { pick } from '../lib/objects'
import type { CapturedEvent, Properties } from '../types'

// Properties that differ between events of one person, session and page.
const OWN = ['$set', '$set_once', '$insert_id', '$time']

/** Returns what `$set` events that can be merged have in common; undefined for others. */
const contextOf = ({ event, properties, $set, $unset }: CapturedEvent): string | undefined =>
  event !== '$set' || $set || $unset || properties.$unset || properties.$event_time_override_provided
    ? undefined
    : toJson(pick(properties, (name) => !OWN.includes(name)))

/**
 * Merges two consecutive `$set` events into one: for `$set`, the last value of a name wins, for `$set_once` the first.
 * Returns undefined if the persons, sessions or pages differ, or if properties are removed.
 */
export const mergeSets = (first: CapturedEvent, second: CapturedEvent): CapturedEvent | undefined => {
  const context = contextOf(second)
  if (!context || second.$set_once || context !== contextOf(first)) return undefined
  const [a, b] = [first.properties, second.properties] as { $set?: Properties; $set_once?: Properties }[]
  const properties = {
    ...second.properties,
    $set: { ...a!.$set, ...b!.$set },
    $set_once: { ...b!.$set_once, ...a!.$set_once },
  }
  return { ...second, properties, ...(first.$set_once ? { $set_once: first.$set_once } : {}) }
}
