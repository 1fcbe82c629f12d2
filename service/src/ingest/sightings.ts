import type { Row } from './writer.ts'

type Sighting = Pick<Row, 'projectId' | 'distinctId' | 'timestamp'>

/** Who was seen lately, and since when, as far as it is stored. */
export interface Sightings {
  /** Whether it is stored that somebody was seen at this time or before it. */
  has(sighting: Sighting): boolean
  /** Call once it is stored. */
  add(sighting: Sighting): void
  /** Call before it is taken away of anybody of the project. */
  forget(projectId: number): void
}

// Most visitors send several events within minutes. 10 to 20 MB.
const MOST_KNOWN = 100_000
/** Longest id that is remembered: a longer one is stored as seen with each batch. */
const MAX_ID = 100

/** Remembers until there are too many, and begins anew then: to say again that somebody was seen changes nothing. */
export const createSightings = (most = MOST_KNOWN): Sightings => {
  const projects = new Map<number, Map<string, number>>()
  let count = 0
  return {
    has: ({ projectId, distinctId, timestamp }) => (projects.get(projectId)?.get(distinctId) ?? Infinity) <= timestamp,
    add({ projectId, distinctId, timestamp }) {
      if (distinctId.length > MAX_ID) return
      const known = projects.get(projectId) ?? new Map<string, number>()
      const since = known.get(distinctId)
      if (since !== undefined && since <= timestamp) return
      if (since === undefined) count += 1
      if (count > most) {
        projects.clear()
        count = 0
        return
      }
      projects.set(projectId, known.set(distinctId, timestamp))
    },
    forget(projectId) {
      count -= projects.get(projectId)?.size ?? 0
      projects.delete(projectId)
    },
  }
}
