import { signal } from '@preact/signals'

/** Whether the session has ended while a page was open. The page stays, so that nothing written is lost. */
export const hasExpired = signal(false)

/** Number of times a person has signed in again since the page was loaded. Data and failed pages of lists load again after each. */
export const renewals = signal(0)

/**
 * Asks a person to sign in again. `renewal`: the value of `renewals` when the rejected request began. Without effect if
 * they have signed in since: a late response is about the old session.
 */
export const expire = (renewal: number | undefined): void => {
  if (renewal === renewals.peek()) hasExpired.value = true
}
