import { ApiError } from '../lib/apiError.ts'

export interface WriterRoom {
  /** Throws `ingest_overloaded` if there is no room for so many more characters of a project. */
  assertRoom(projectId: number, chars: number): void
  /** Counts what waits. Call with negative numbers when it has an outcome. */
  hold(projectId: number, events: number, chars: number): void
  /** What has no outcome yet. */
  readonly held: { readonly events: number; readonly chars: number }
}

// How far the shares of projects may exceed the bound, so that what one project sends never rejects another's.
const MAX_OVER = 2
const RETRY_AFTER_SECONDS = 5

/**
 * Bounds what waits for the engine. Beyond `maxChars` a project is rejected that holds more than its share, up to twice the bound.
 * A delivery that comes alone is accepted whatever its size, which the routes bound.
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
