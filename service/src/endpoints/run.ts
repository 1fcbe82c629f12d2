import { createHash, randomUUID } from 'node:crypto'
import type { Records } from '../storage/records.ts'
import type { Result, Storage } from '../storage/storage.ts'
import type { Admission, Admit } from './admission.ts'
import type { Cache } from './cache.ts'
import { cursorOwner, nextCursor, readCursor } from './cursor.ts'
import type { Epochs } from './epochs.ts'
import { compileRun, type PreparedRun, prepareRun, type RunRequest, toRunRefusal } from './prepare.ts'
import type { Compiled } from './sql/compile.ts'

export type { RunRequest } from './prepare.ts'

export interface RunAnswer {
  readonly results: Result['rows']
  readonly columns: readonly string[]
  /** Pairs of name and engine type. */
  readonly types: readonly (readonly [string, string])[]
  /** Whether there are rows after these. */
  readonly hasMore: boolean
  readonly limit?: number
  readonly offset?: number
  /** Of a run with a cursor: that of the next page, null after the last. */
  readonly next_cursor?: string | null
  readonly name: string
  readonly execution_id: string
  readonly endpoint_version: number
  readonly endpoint_version_created_at: string
  readonly is_cached: boolean
  /** When the answer began to be computed: events that came later may be missing. */
  readonly last_refresh: string
  /** Until when it may be given again if no event comes. */
  readonly cache_target_age: string
  readonly timezone: 'UTC'
  /** With `isDebug`: the query as it was written, and as the engine got it. */
  readonly hogql?: string
  readonly clickhouse?: string
  readonly cache_key?: string
  /** Steps and how long each took, in seconds. */
  readonly timings?: readonly { readonly k: string; readonly t: number }[]
}

export type RunEndpoint = (request: RunRequest) => Promise<RunAnswer>

export interface RunRooms {
  readonly records: Pick<Records, 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'run'>
  readonly admit: Admit
  readonly cache: Cache<Result>
  readonly epochs: Pick<Epochs, 'of'>
}

// Rows take about four times their text in memory.
const BYTES_PER_CHARACTER = 4

// The statement with its values is what decides the rows; the project and the version are named besides, whatever it says.
const cacheKey = (projectId: number, versionId: string, { text, params }: Compiled): string =>
  createHash('sha256').update(JSON.stringify([projectId, versionId, text, params])).digest('hex')

/**
 * Runs a stored endpoint: admit → find → bind → compile → cache or execute → shape. Values are checked before anything is
 * executed, whatever would serve the run.
 */
export const createRun = ({ records, storage, admit, cache, epochs }: RunRooms): RunEndpoint => {
  const answer = async (request: RunRequest, { endpoint, version, parsed, values }: PreparedRun, { allowance, signal }: Admission): Promise<RunAnswer> => {
    const { projectId, limit, offset, cursor } = request
    const rows = Math.min(limit ?? allowance.rows, allowance.rows)
    const owner = cursorOwner(version.id, values)
    const after = cursor === undefined ? undefined : readCursor(cursor, owner)
    const compileAt = performance.now()
    const compiled = compileRun(parsed, {
      projectId,
      variables: values,
      limit: rows + 1, // one row more than is answered says whether there are more
      ...(offset === undefined ? {} : { offset }),
      ...(cursor === undefined ? {} : { keyset: { after } }),
    })
    const executeAt = performance.now()
    const key = cacheKey(projectId, version.id, compiled)
    const { seconds: maxSeconds, memoryBytes: maxMemoryBytes } = allowance
    const freshMs = version.dataFreshnessSeconds * 1_000
    const { value, startedAt, isCached } = await cache({
      key,
      terms: JSON.stringify([maxSeconds, maxMemoryBytes]),
      epoch: epochs.of(projectId),
      maxAgeMs: freshMs,
      isForced: request.refresh === 'force',
      signal,
      async load(givenUp) {
        try {
          const loaded = await storage.run(compiled, { projectId, maxSeconds, maxMemoryBytes, maxRows: rows + 1 }, givenUp)
          return { value: loaded, bytes: loaded.textLength * BYTES_PER_CHARACTER }
        } catch (error) {
          throw toRunRefusal(error, parsed, allowance)
        }
      },
    })
    const doneAt = performance.now()
    const refreshed = new Date(startedAt).toISOString()
    if (!isCached) await records.endpoints.touch(endpoint.id, refreshed)
    const { keyCount } = compiled
    const page = value.rows.slice(0, rows)
    const columns = value.columns.slice(0, value.columns.length - keyCount)
    const hasMore = value.rows.length > rows
    return {
      results: keyCount ? page.map((row) => row.slice(0, columns.length)) : page,
      columns: columns.map((column) => column.name),
      types: columns.map((column) => [column.name, column.type] as const),
      hasMore,
      ...(limit === undefined ? {} : { limit: rows }),
      ...(offset === undefined ? {} : { offset }),
      ...(cursor === undefined ? {} : { next_cursor: hasMore ? nextCursor(page, keyCount, owner, after) : null }),
      name: endpoint.name,
      execution_id: randomUUID(),
      endpoint_version: version.version,
      endpoint_version_created_at: version.createdAt,
      is_cached: isCached,
      last_refresh: refreshed,
      cache_target_age: new Date(startedAt + freshMs).toISOString(),
      timezone: 'UTC',
      ...(request.isDebug
        ? {
            hogql: parsed.text,
            clickhouse: compiled.text,
            cache_key: key,
            timings: [
              { k: 'compile', t: (executeAt - compileAt) / 1_000 },
              { k: isCached ? 'cache' : 'execute', t: (doneAt - executeAt) / 1_000 },
            ],
          }
        : {}),
    }
  }

  return async (request) => {
    const admission = admit(request)
    try {
      return await answer(request, await prepareRun(records, request), admission)
    } finally {
      admission.leave()
    }
  }
}
