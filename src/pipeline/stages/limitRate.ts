import type { Config } from '../../types'
import { type Stage, withProperties } from '../stage'

/** The name of the event that tells the service of events that were held back. It is never held back itself. */
export const RATE_WARNING = '$$client_ingestion_warning'

// A merge, a group or a person's properties that are not sent are lost for good: no later event repeats them.
const NEVER_LIMITED = [RATE_WARNING, '$identify', '$create_alias', '$groupidentify', '$set']

/** Returns a limit as configured; what limits nothing (zero, a negative number, NaN) counts as not configured. */
const positive = (limit: number | undefined, otherwise: number) => (limit! > 0 ? limit! : otherwise)

/**
 * A bucket of `events_burst_limit` tokens, filled with `events_per_second`; each event takes one. `onLimit` hears the
 * first event that finds none, and again only after another has passed.
 */
export const limitRate = (
  limits: () => Config['rate_limiting'],
  onLimit: () => void,
  now = () => Date.now(),
): Stage => {
  let tokens: number | undefined
  let filledAt = now()
  let warned = false
  return (event, options) => {
    if (options.skip_client_rate_limiting || NEVER_LIMITED.includes(event.event)) return event
    const perSecond = positive(limits().events_per_second, 10)
    const burst = Math.max(positive(limits().events_burst_limit, perSecond * 10), perSecond, 1)
    const time = now()
    tokens = Math.min(burst, (tokens ?? burst) + (Math.max(0, time - filledAt) / 1000) * perSecond)
    filledAt = time
    if (tokens < 1) {
      if (!warned) onLimit()
      warned = true
      return { drop: 'rate_limited' }
    }
    tokens -= 1
    warned = false
    return withProperties(event, { $lib_rate_limit_remaining_tokens: Math.round(tokens * 100) / 100 })
  }
}
