import { isUuid } from '../lib/uuid.ts'
import { MAX_AGE_MS } from './readBody.ts'

const DAY_MS = 24 * 3_600_000
// The SDK ends a session after a day.
const MAX_START_AGE_MS = MAX_AGE_MS + DAY_MS

/**
 * Returns the start of a session, in ms since the epoch, from its id: a UUIDv7 begins with its time. `undefined`: the
 * id is of another kind, or its time is impossible for a session that was received at `receivedAt`.
 */
export const startInId = (sessionId: string, receivedAt: number): number | undefined => {
  if (!isUuid(sessionId) || sessionId[14] !== '7') return undefined
  const start = Number.parseInt(sessionId.slice(0, 8) + sessionId.slice(9, 13), 16)
  return start > receivedAt - MAX_START_AGE_MS && start < receivedAt + DAY_MS ? start : undefined
}

/** Returns the day on which a recording is deleted, such as `2026-01-31`. */
export const expiryOf = (startedAt: number, retentionDays: number): string =>
  new Date(startedAt + retentionDays * DAY_MS).toISOString().slice(0, 10)
