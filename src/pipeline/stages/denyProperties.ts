import type { Stage } from '../stage'

/** The event without the properties that are never to be sent. */
export const denyProperties =
  (names: () => readonly string[]): Stage =>
  (event) => {
    for (const name of names()) delete event.properties[name]
    return event
  }
