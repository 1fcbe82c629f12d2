import type { Count } from '../lib/metrics.ts'
import { ApiError } from '../lib/apiError.ts'
import { uuidv7 } from '../lib/uuid.ts'
import { type JsonLine, type Storage, StorageError } from '../storage/storage.ts'
import { insertAll } from '../storage/insertRows.ts'
import { joinInserts } from '../storage/joinedInserts.ts'
import { isDeeperThan, MAX_DEPTH, wellFormed } from '../lib/storableJson.ts'
import type { Rejections } from './sink.ts'
import { own } from '../lib/own.ts'

/** A rejected event with its project. */
export interface Rejection {
  readonly projectId: number
  readonly code: string
  /** The event as it was sent. */
  readonly event: unknown
}

export interface StoredRejection {
  readonly id: string
  readonly refused_at: string
  readonly code: string
  readonly detail: string
  /** Fields of the rejected event. Empty if missing or invalid. */
  readonly event: string
  readonly distinct_id: string
  readonly uuid: string
  /** The beginning of the event, as JSON. */
  readonly sample: string
}

export interface RejectedEventsPage {
  readonly limit: number
  /** Id of a rejected event. Only older ones are listed. */
  readonly before: string | undefined
  readonly code: string | undefined
}

export interface RejectedEvents {
  /**
   * Returns the line to store for a rejected event, of bounded length, without its id. `undefined`: the project has used up its share
   * of this minute, and the event is only counted.
   */
  sample(rejection: Rejection): JsonLine | undefined
  /** Stores samples. Resolves when they can be listed. Rejects with `ApiError`. */
  keep(samples: readonly JsonLine[]): Promise<void>
  /** Lists rejected events of a project, newest first. */
  list(projectId: number, page: RejectedEventsPage, signal: AbortSignal): Promise<StoredRejection[]>
}

// One mistake of a page rejects thousands of events, and a few show it. The limit protects the disk from the rest.
const MAX_STORED_PER_MINUTE = 1_000
const MAX_SAMPLE = 2_000
const MAX_FIELD = 200
const MINUTE_MS = 60_000
const RETRY_AFTER_SECONDS = 5

const fieldOf = (event: unknown, name: string): string => {
  const value = typeof event === 'object' && event !== null ? own(event as Record<string, unknown>, name) : undefined
  return typeof value === 'string' || typeof value === 'number' ? wellFormed(String(value).slice(0, MAX_FIELD)) : ''
}

/** Adds the id to a line. Ids are in order of the inserts, so that a reader who knows one finds all that came later. */
const withId = (line: string, at: number) => `{"id":"${uuidv7(at)}",${line.slice(1)}\n`

// The engine rejects JSON with half a surrogate pair at the cut.
const cut = (text: string) => wellFormed(text.slice(0, MAX_SAMPLE))

const sampleOf = (event: unknown): string => {
  // Too deep for JSON.stringify. The names of its fields have to do.
  if (isDeeperThan(event, MAX_DEPTH)) return cut(JSON.stringify(Object.keys(event as object)))
  return cut(JSON.stringify(event) ?? '')
}

const toLine = ({ projectId, code, event }: Rejection, at: number): string =>
  JSON.stringify({
    project_id: projectId,
    refused_at: new Date(at).toISOString(),
    code,
    uuid: fieldOf(event, 'uuid'),
    event: fieldOf(event, 'event'),
    distinct_id:
      fieldOf((event as { properties?: unknown } | null)?.properties, 'distinct_id') ||
      fieldOf(event, 'distinct_id') ||
      fieldOf(event, 'distinctId'),
    sample: sampleOf(event),
  })

// A thousand events of the maximum size.
const MAX_PAGE_BYTES = 10_000_000

/** Stores samples of rejected events for a while, so that a site's developers see what is wrong with them. */
export const createRejectedEvents = (
  storage: Pick<Storage, 'rows' | 'insert'>,
  { reasons, count, now = Date.now }: { reasons: Rejections; count: Count; now?: () => number },
): RejectedEvents => {
  const shares = new Map<number, { startedAt: number; kept: number }>()
  const isWithinShare = ({ projectId }: Rejection): boolean => {
    const known = shares.get(projectId)
    const share = known && now() - known.startedAt < MINUTE_MS ? known : { startedAt: now(), kept: 0 }
    shares.set(projectId, share)
    share.kept += 1
    return share.kept <= MAX_STORED_PER_MINUTE
  }

  const insert = joinInserts((lines) => {
    const at = now()
    return insertAll(storage, 'db.refused_events', Buffer.from(lines.map((line) => withId(line, at)).join('')))
  })

  return {
    sample(rejection) {
      if (isWithinShare(rejection)) return toLine(rejection, now())
      count('trailmark_refused_events_unkept_total')
      return undefined
    },
    async keep(samples) {
      try {
        await insert(samples)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        throw new ApiError(error.kind === 'full' ? 'disk_full' : 'engine_unavailable', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
      }
    },
    async list(projectId, { limit, before, code }, signal) {
      const text = `SELECT id, formatDateTime(refused_at, '%FT%T.%fZ') AS refused_at, code, event, distinct_id, uuid, sample FROM db.refused_events
        WHERE project_id = {projectId:UInt32} ${before === undefined ? '' : 'AND id < {before:String}'} ${code === undefined ? '' : 'AND code = {code:String}'}
        ORDER BY id DESC LIMIT {limit:UInt32}`
      const params = {
        projectId,
        limit,
        ...(before === undefined ? {} : { before }),
        ...(code === undefined ? {} : { code }),
      }
      const bounds = { maxBytes: MAX_PAGE_BYTES, signal }
      const rows = await storage.rows<Omit<StoredRejection, 'detail'>>({ text, params }, bounds)
      return rows.map((row) => ({ ...row, detail: own(reasons, row.code)?.message ?? row.code }))
    },
  }
}
