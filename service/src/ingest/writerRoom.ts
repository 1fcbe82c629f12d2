import { ApiError } from '../lib/apiError.ts'

export interface WriterRoom {
  /** Throws `ingest_overloaded` if this many more characters exceed the room of the project. */
  assertRoom(projectId: number, chars: number): void
  /** Adds to what waits. Call with negative numbers once there is an outcome. */
  hold(projectId: number, events: number, chars: number): void
  /** Events and characters that are waiting. */
  readonly held: { readonly events: number; readonly chars: number }
}

// Amount by which all projects together may exceed the bound, so that the load of one project never causes a rejection for another.
const MAX_OVER = 2
const RETRY_AFTER_SECONDS = 5

/**
 * Bounds what waits for the engine. Beyond `maxChars`, rejects projects that hold more than their share. The total
 * never exceeds twice the bound, with one exception: if nothing else waits, a delivery is accepted regardless of its
 * size, which the routes limit.
 */
export const createWriterRoom = (maxChars: number): WriterRoom => {
  const held = { events: 0, chars: 0 }
  const charsOf = new Map<number, number>()
  return {
    held,
    assertRoom(projectId, chars) {
      const total = held.chars + chars
      if (held.chars === 0 || total <= maxChars) return
      const own = (charsOf.get(projectId) ?? 0) + chars
      const projects = charsOf.size + (charsOf.has(projectId) ? 0 : 1)
      if (total > MAX_OVER * maxChars || own > maxChars / projects)
        throw new ApiError('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    },
    hold(projectId, events, chars) {
      held.events += events
      held.chars += chars
      const own = (charsOf.get(projectId) ?? 0) + chars
      if (own > 0) charsOf.set(projectId, own)
      else charsOf.delete(projectId)
    },
  }
}
