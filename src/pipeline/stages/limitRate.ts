import type { Config } from '../../types'
import { type Stage, withProperties } from '../stage'

/** Name of the event that reports rate-limited events to the service. It is never limited itself. */
export const RATE_WARNING = '$$client_ingestion_warning'

// If one of these were dropped, no later event would repeat the merge, group or person update.
const NEVER_LIMITED = [RATE_WARNING, '$identify', '$create_alias', '$groupidentify', '$set']

/** Returns `limit`, or `fallback` if it is missing or not positive. */
const positive = (limit: number | undefined, fallback: number) => (limit! > 0 ? limit! : fallback)

/**
 * Limits events by a token bucket of `events_burst_limit`, refilled with `events_per_second`. `onLimit` runs for the first
 * event that is dropped, and again only after another has passed.
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
