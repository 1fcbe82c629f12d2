import type { Stage } from '../stage'

/** Removes the properties that must never be sent. */
export const denyProperties =
  (names: () => readonly string[]): Stage =>
  (event) => {
    for (const name of names()) delete event.properties[name]
    return event
  }
