import { ApiError } from '../lib/apiError.ts'

// A month: long enough for the slowest release of a site, short enough that nobody forgets it.
export const MAX_GRACE_SECONDS = 30 * 24 * 3_600

/** Until when what is replaced now is taken as well; `undefined`: from now on it is not. Throws `ApiError`. */
export const graceEnd = (seconds: number, now: number): string | undefined => {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_GRACE_SECONDS) {
    throw new ApiError('invalid_input', {
      detail: `"grace_seconds" is a whole number from 0 to ${MAX_GRACE_SECONDS} (30 days).`,
      attr: 'grace_seconds',
    })
  }
  return seconds ? new Date(now + seconds * 1_000).toISOString() : undefined
}
