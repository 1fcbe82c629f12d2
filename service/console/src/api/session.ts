import { signal } from '@preact/signals'

/** Whether the session has ended while a page was open. The page stays, so that nothing written is lost. */
export const hasExpired = signal(false)
