import type { QueryRows } from '../persons/queryRows.ts'
import { NO_CALLER } from '../storage/storage.ts'
import { CHUNKS } from './chunkStore.ts'

/** Counts the bytes of recordings that each project has stored today (UTC). */
export interface DayBudget {
  /** Takes `bytes` of the project's budget for today. Resolves with false if there are not so many left. */
  take(projectId: number, bytes: number, dayBytes: number): Promise<boolean>
}

const DAY_MS = 24 * 3_600_000
// Other processes store chunks of the project too.
const REFRESH_MS = 300_000

const STORED = `SELECT sum(bytes) FROM db.${CHUNKS} WHERE project_id = {projectId:UInt32} AND toDate(received_at) = toDate(now('UTC'))`

interface Used {
  readonly day: number
  readonly readAt: number
  bytes: number
}

export const createDayBudget = (queryRows: QueryRows, now: () => number = Date.now): DayBudget => {
  const used = new Map<number, Used>()
  const reading = new Map<number, Promise<Used>>()
  const today = () => Math.floor(now() / DAY_MS)

  const read = async (projectId: number): Promise<Used> => {
    const day = today()
    const [row] = await queryRows(projectId, { text: STORED, params: { projectId } }, NO_CALLER)
    const stored = Number(row?.[0] ?? 0)
    const known = used.get(projectId)
    // Chunks that are being stored are not in the table yet.
    const fresh = { day, readAt: now(), bytes: known?.day === day ? Math.max(known.bytes, stored) : stored }
    used.set(projectId, fresh)
    return fresh
  }

  /** Returns what the project has used. Deliveries that arrive while it is read wait for the same answer, which counts all of them. */
  const usedBy = async (projectId: number): Promise<Used> => {
    const known = used.get(projectId)
    if (known?.day === today() && now() - known.readAt < REFRESH_MS) return known
    const next = reading.get(projectId) ?? read(projectId).finally(() => reading.delete(projectId))
    reading.set(projectId, next)
    return next
  }

  return {
    async take(projectId, bytes, dayBytes) {
      if (dayBytes === 0) return false
      const known = await usedBy(projectId)
      if (known.bytes + bytes > dayBytes) return false
      known.bytes += bytes
      return true
    },
  }
}
