import { ApiError } from '../lib/apiError.ts'

// A month is enough for the slowest release of a site, and short enough not to be forgotten.
export const MAX_GRACE_SECONDS = 30 * 24 * 3_600

/** Returns until when a replaced secret stays valid. `undefined`: it becomes invalid immediately. Throws `ApiError`. */
export const graceEnd = (seconds: number, now: number): string | undefined => {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_GRACE_SECONDS) {
    throw new ApiError('invalid_input', {
      detail: `"grace_seconds" must be a whole number from 0 to ${MAX_GRACE_SECONDS} (30 days).`,
      attr: 'grace_seconds',
    })
  }
  return seconds ? new Date(now + seconds * 1_000).toISOString() : undefined
}
