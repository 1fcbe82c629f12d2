import { formatDuration } from './format.ts'

/** Returns how long after it happened an event was stored, in seconds. Clocks of visitors differ, so it may be negative. */
export const delayOf = ({
  timestamp,
  created_at,
}: {
  readonly timestamp: string
  readonly created_at: string
}): number => (Date.parse(created_at) - Date.parse(timestamp)) / 1000

/** A delay of events in words. Events from the future have none. */
export const formatDelay = (seconds: number): string => formatDuration(Math.max(0, seconds))
