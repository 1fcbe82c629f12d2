import { signal } from '@preact/signals'

/** Whether the session has ended while a page was open. The page stays, so that nothing written is lost. */
export const hasExpired = signal(false)

/** How often a person has signed in again since the page was loaded. What failed meanwhile is loaded again. */
export const renewals = signal(0)
