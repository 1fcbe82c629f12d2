import { randomId } from '../lib/id.ts'
import { api, dataOf, SERVICE_URL } from './client.ts'
import { Failure } from './failure.ts'
import { inProject } from './inProject.ts'

/** A query of the API: SQL or an insight. See docs/reference/insights.md. */
export interface Query {
  readonly kind: string
  readonly [field: string]: unknown
}

export interface QueryProgress {
  readonly status: 'queued' | 'running'
  readonly readRows: number
  readonly totalRows: number
}

export interface QueryOptions {
  readonly signal: AbortSignal
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  readonly limit?: number | undefined
  /** Skips the service's cache. */
  readonly force?: boolean | undefined
  /** Adds the engine's SQL to the result, as `clickhouse`. */
  readonly debug?: boolean | undefined
  /** Maximum age of a cached result. */
  readonly maxAgeSeconds?: number | undefined
  readonly onProgress?: ((progress: QueryProgress) => void) | undefined
}

/** The response of a query. For insights, `results` has the form that docs/reference/insights.md describes. */
export interface QueryResult {
  readonly results: readonly unknown[]
  readonly columns?: readonly string[]
  readonly types?: readonly unknown[]
  readonly hasMore?: boolean
  readonly last_refresh: string
  readonly timezone: string
  readonly [field: string]: unknown
}

// Maximum concurrent queries. More would only slow each other down.
const MAX_RUNNING = 4
const PROGRESS_EVERY_MS = 500
const PROGRESS_AFTER_MS = 1_000
/** Maximum age of a cached result for a period that is not over. Pages show the age of what they display. */
const MAX_AGE_SECONDS = 15

let running = 0
const waiting: (() => void)[] = []

const takePlace = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (running < MAX_RUNNING) {
      running++
      return resolve()
    }
    const start = () => {
      signal.removeEventListener('abort', giveUp)
      running++
      resolve()
    }
    const giveUp = () => {
      waiting.splice(waiting.indexOf(start), 1)
      reject(new DOMException('The query was canceled.', 'AbortError'))
    }
    waiting.push(start)
    signal.addEventListener('abort', giveUp, { once: true })
  })

const leavePlace = () => {
  running--
  waiting.shift()?.()
}

const pathOf = (projectId: number, id: string) => ({ params: { path: { projectId: String(projectId), id } } })

const watchProgress = (projectId: number, id: string, onProgress: (progress: QueryProgress) => void): (() => void) => {
  let isOver = false
  let timer: ReturnType<typeof setTimeout>
  const read = async () => {
    const { data } = await api
      .GET('/api/projects/{projectId}/query/{id}', pathOf(projectId, id))
      .catch(() => ({ data: undefined }))
    if (isOver) return
    if (data) onProgress({ status: data.status, readRows: data.read_rows, totalRows: data.total_rows })
    timer = setTimeout(() => void read(), PROGRESS_EVERY_MS)
  }
  timer = setTimeout(() => void read(), PROGRESS_AFTER_MS)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/**
 * Calls `request` with a new `client_query_id` once fewer than `MAX_RUNNING` queries run. Aborting `signal` cancels the
 * query in the engine.
 */
const runInTurn = async (
  projectId: number,
  { signal, onProgress }: Pick<QueryOptions, 'signal' | 'onProgress'>,
  request: (id: string) => Promise<unknown>,
): Promise<QueryResult> => {
  signal.throwIfAborted()
  await takePlace(signal)
  const id = randomId()
  const stopProgress = onProgress ? watchProgress(projectId, id, onProgress) : () => {}
  // `keepalive`: also when the page is closed.
  const cancel = () =>
    void fetch(`${SERVICE_URL}/api/projects/${projectId}/query/${id}`, {
      method: 'DELETE',
      keepalive: true,
      headers: { 'x-trailmark-console': '1' },
    }).catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const result = await request(id)
    if (!result) throw new Failure('The service sent an empty response.', 'unknown', 0)
    return result as QueryResult
  } finally {
    signal.removeEventListener('abort', cancel)
    stopProgress()
    leavePlace()
  }
}

/**
 * Runs a query of a project. At most four run at a time, in the order of their calls. Aborting `signal` cancels the
 * query in the engine. Rejects with `Failure`.
 */
export const runQuery = (projectId: number, query: Query, options: QueryOptions): Promise<QueryResult> => {
  const { signal, variables, limit, debug = false, force = false, maxAgeSeconds = MAX_AGE_SECONDS } = options
  return runInTurn(projectId, options, (id) => {
    const body = {
      query,
      client_query_id: id,
      refresh: force ? ('force' as const) : ('cache' as const),
      max_age_seconds: maxAgeSeconds,
      ...(variables ? { variables } : {}),
      ...(debug ? { debug } : {}),
      ...(limit === undefined ? {} : { limit }),
    }
    return dataOf(api.POST('/api/projects/{projectId}/query', { params: inProject(projectId), body, signal }))
  })
}

/** Runs the current version of an endpoint, like `runQuery`. */
export const runEndpoint = (projectId: number, name: string, options: QueryOptions): Promise<QueryResult> => {
  const { signal, variables, limit, force = false } = options
  return runInTurn(projectId, options, (id) => {
    const body = {
      client_query_id: id,
      refresh: force ? ('force' as const) : ('cache' as const),
      ...(variables ? { variables } : {}),
      ...(limit === undefined ? {} : { limit }),
    }
    const params = { path: { ...inProject(projectId).path, name } }
    return dataOf(api.POST('/api/projects/{projectId}/endpoints/{name}/run', { params, body, signal }))
  })
}
