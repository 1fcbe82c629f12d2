import type { Stage } from '../stage'

/** The event without the properties that are never to be sent. */
export const denyProperties =
  (names: () => readonly string[]): Stage =>
  (event) => {
    if (!names().length) return event
    const properties = { ...event.properties }
    names().forEach((name) => delete properties[name])
    return { ...event, properties }
  }
