import { isRecordedEvent } from './rrweb.ts'
import { sanitize } from './sanitize.ts'

/** A chunk as it is stored. */
export interface StoredChunk {
  readonly windowId: string
  readonly seq: number
  /** Events as lines of JSON. */
  readonly payload: string
  /** Added to the timestamps, in ms. */
  readonly shiftMs: number
}

/**
 * Returns the events of a chunk as lines of JSON: `{"window_id", "seq", "event"}`, sanitized and by the service's
 * clock. Unreadable lines are left out.
 */
export const toPlayable = ({ windowId, seq, payload, shiftMs }: StoredChunk): string => {
  let lines = ''
  for (const line of payload.split('\n')) {
    let event: unknown
    try {
      event = JSON.parse(line)
    } catch {
      continue // A part of the chunk is missing.
    }
    if (!isRecordedEvent(event)) continue
    const safe = sanitize({ ...event, timestamp: event.timestamp + shiftMs })
    if (safe) lines += `${JSON.stringify({ window_id: windowId, seq, event: safe })}\n`
  }
  return lines
}
