import type { Count } from '../lib/metrics.ts'
import { ApiError } from '../lib/apiError.ts'
import { uuidv7 } from '../lib/uuid.ts'
import { type JsonLine, type Storage, StorageError } from '../storage/storage.ts'
import { insertAll } from '../storage/insertRows.ts'
import { isDeeperThan, MAX_DEPTH, wellFormed } from '../lib/storableJson.ts'
import { EVENT_FAULTS, type EventFault } from './read.ts'

/** An event that was refused, with its project. */
export interface UnkeptRefusal {
  readonly projectId: number
  readonly code: EventFault
  /** As it was sent. */
  readonly event: unknown
}

export interface KeptRefusal {
  readonly id: string
  readonly refused_at: string
  readonly code: EventFault
  readonly detail: string
  /** What the event had of these; empty: nothing of use. */
  readonly event: string
  readonly distinct_id: string
  readonly uuid: string
  /** How the event began, as JSON. */
  readonly sample: string
}

export interface RefusedPage {
  readonly limit: number
  /** Only those before this one, by its id. */
  readonly before: string | undefined
  readonly code: string | undefined
}

export interface RefusedEvents {
  /**
   * What is kept of a refused event: a line of bounded length. `undefined`: the project has used up its share of this
   * minute, and the event is only counted.
   */
  sample(refusal: UnkeptRefusal): JsonLine | undefined
  /** Resolves when these samples can be listed. Rejects with an `ApiError`. */
  keep(samples: readonly JsonLine[]): Promise<void>
  /** Newest first. */
  list(projectId: number, page: RefusedPage): Promise<KeptRefusal[]>
}

// What shows a mistake of a page shows it a thousand times; the rest would be somebody else's disk to fill.
const KEPT_A_MINUTE = 1_000
const MAX_SAMPLE = 2_000
const MAX_FIELD = 200
const MINUTE_MS = 60_000
const RETRY_AFTER_SECONDS = 5

const fieldOf = (event: unknown, name: string): string => {
  const value = typeof event === 'object' && event !== null ? (event as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? wellFormed(String(value).slice(0, MAX_FIELD)) : ''
}

// Half a character at the cut is no JSON that the engine takes.
const cut = (text: string) => wellFormed(text.slice(0, MAX_SAMPLE))

const sampleOf = (event: unknown): string => {
  // Too deep to be written: its names say enough.
  if (isDeeperThan(event, MAX_DEPTH)) return cut(JSON.stringify(Object.keys(event as object)))
  return cut(JSON.stringify(event) ?? '')
}

const toLine = ({ projectId, code, event }: UnkeptRefusal, at: number): string =>
  JSON.stringify({
    project_id: projectId,
    id: uuidv7(at),
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

/** Keeps refused events for a while, so that who runs a site sees what it sends wrong. */
export const createRefusedEvents = (
  storage: Pick<Storage, 'rows' | 'insert'>,
  { count, now = Date.now }: { count: Count; now?: () => number },
): RefusedEvents => {
  const shares = new Map<number, { startedAt: number; kept: number }>()
  let waiting: string[] = []
  let next: Promise<void> | undefined
  let current: Promise<unknown> = Promise.resolve()

  const isWithinShare = ({ projectId }: UnkeptRefusal): boolean => {
    const known = shares.get(projectId)
    const share = known && now() - known.startedAt < MINUTE_MS ? known : { startedAt: now(), kept: 0 }
    shares.set(projectId, share)
    share.kept += 1
    return share.kept <= KEPT_A_MINUTE
  }

  // One insert at a time; what comes meanwhile goes into the next one together.
  const flush = (): Promise<void> => {
    next ??= current.then(async () => {
      const lines = waiting
      waiting = []
      next = undefined
      const inserted = insertAll(storage, 'db.refused_events', Buffer.from(lines.map((line) => `${line}\n`).join('')))
      current = inserted.catch(() => {}) // Callers that await the insert receive the error.
      await inserted
    })
    return next
  }

  return {
    sample(refusal) {
      if (isWithinShare(refusal)) return toLine(refusal, now())
      count('trailmark_refused_events_unkept_total')
      return undefined
    },
    async keep(samples) {
      if (!samples.length) return
      waiting.push(...samples)
      try {
        await flush()
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        throw new ApiError(error.kind === 'full' ? 'disk_full' : 'engine_unavailable', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
      }
    },
    async list(projectId, { limit, before, code }) {
      const rows = await storage.rows<Omit<KeptRefusal, 'detail'>>({
        text: `SELECT id, formatDateTime(refused_at, '%FT%T.%fZ') AS refused_at, code, event, distinct_id, uuid, sample FROM db.refused_events
          WHERE project_id = {projectId:UInt32} ${before === undefined ? '' : 'AND id < {before:String}'} ${code === undefined ? '' : 'AND code = {code:String}'}
          ORDER BY id DESC LIMIT {limit:UInt32}`,
        params: {
          projectId,
          limit,
          ...(before === undefined ? {} : { before }),
          ...(code === undefined ? {} : { code }),
        },
      })
      return rows.map((row) => ({ ...row, detail: EVENT_FAULTS[row.code] ?? row.code }))
    },
  }
}
