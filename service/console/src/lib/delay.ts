import { formatDuration } from './format.ts'

/** Returns how long after it happened an event was stored, in seconds. Clocks of visitors differ, so it may be negative. */
export const delayOf = ({
  timestamp,
  created_at,
}: {
  readonly timestamp: string
  readonly created_at: string
}): number => (Date.parse(created_at) - Date.parse(timestamp)) / 1000

/** Formats a delay. A negative one, from a clock that is ahead, counts as 0. */
export const formatDelay = (seconds: number): string =>
  formatDuration(Number.isFinite(seconds) ? Math.max(0, seconds) : seconds)
