import type { Stage } from '../stage'

/** Drops events of a visitor who opted out. */
export const requireConsent =
  (isOptedOut: () => boolean): Stage =>
  (event) =>
    isOptedOut() ? { drop: 'opted_out' } : event
