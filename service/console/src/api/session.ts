import { signal } from '@preact/signals'

/** Whether the session has ended while a page was open. The page stays, so that nothing written is lost. */
export const hasExpired = signal(false)

/** Number of times a person has signed in again since the page was loaded. Data and failed pages of lists load again after each. */
export const renewals = signal(0)
