import { ApiError } from '../lib/apiError.ts'
import type { Count } from '../lib/metrics.ts'
import { wellFormed } from '../lib/storableJson.ts'
import { insertAll } from '../storage/insertRows.ts'
import type { Endpoint, Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'
import type { EndpointRunRequest, RunRequest } from './prepareRun.ts'
import type { RunAnswer } from './run.ts'

/** Origin of a run's result. */
export type RunPath = 'live' | 'materialized' | 'cache'

/** Fields of a run's response that the statistics need. */
interface RunResult {
  readonly version?: number
  readonly path?: RunPath
  readonly rows?: number
}

/** A run that has ended. Without its request, which may be large. */
export interface RunRecord extends RunResult {
  readonly projectId: number
  /** Name of the endpoint. */
  readonly endpoint: string
  /** Start of the run, in ms since the epoch. */
  readonly at: number
  readonly durationMs: number
  /** Code of the error. Empty: the run succeeded. */
  readonly code: string
  readonly keyLabel: string
  readonly runTokenId?: string | undefined
  /** Names of the variables in the request. */
  readonly variables: readonly string[]
}

/** Stores each run of an endpoint in the background, for `runHistory.ts`. */
export interface RunLog {
  /** Notes a run that has ended. Takes no time: the row is stored within seconds. */
  note(run: RunRecord): void
  /** Stores waiting runs. `note` must not be called afterwards. */
  close(): Promise<void>
}

const STORE_MS = 2_000
// About 3 MB, and at most 50 MB.
const MAX_WAITING = 10_000
// Serializing more at once would block the event loop for longer than a slice.
const MAX_BATCH = 5_000
const MAX_VARIABLES = 20
// The code name of a variable has at most 200 characters.
const MAX_VARIABLE_NAME = 200
const MAX_UINT32 = 2 ** 32 - 1

const toLine = (run: RunRecord, endpoint: Endpoint): string =>
  JSON.stringify({
    project_id: run.projectId,
    endpoint_id: endpoint.id,
    at: new Date(run.at).toISOString(),
    version: Math.min(run.version ?? endpoint.currentVersion, MAX_UINT32),
    code: run.code,
    path: run.path ?? '',
    duration_ms: Math.round(run.durationMs * 100) / 100,
    rows: run.rows ?? null,
    key_label: run.keyLabel,
    run_token_id: run.runTokenId ?? '',
    variables: run.variables.map(wellFormed),
  })

export interface RunLogDependencies {
  readonly storage: Pick<Storage, 'insert'>
  readonly endpoints: Pick<Metadata['endpoints'], 'get'>
  readonly count: Count
}

export const createRunLog = ({ storage, endpoints, count }: RunLogDependencies): RunLog => {
  let waiting: RunRecord[] = []
  /** Rows of an insert that has not succeeded yet. They are inserted again unchanged, which stores them once. */
  let batch: Buffer | undefined
  let timer: NodeJS.Timeout | undefined
  let storing = Promise.resolve()

  /** Returns the log rows of some runs. A run of an endpoint that does not exist has no row. */
  const toBatch = async (runs: readonly RunRecord[]): Promise<Buffer> => {
    const known = new Map<string, Endpoint | undefined>()
    const lines: string[] = []
    for (const run of runs) {
      const key = `${run.projectId} ${run.endpoint}`
      if (!known.has(key)) known.set(key, await endpoints.get(run.projectId, run.endpoint))
      const endpoint = known.get(key)
      if (endpoint) lines.push(`${toLine(run, endpoint)}\n`)
    }
    return Buffer.from(lines.join(''))
  }

  const store = async () => {
    if (!batch && waiting.length) {
      const runs = waiting.slice(0, MAX_BATCH)
      batch = await toBatch(runs)
      waiting = waiting.slice(runs.length)
    }
    if (batch?.length) await insertAll(storage, 'db.endpoint_runs', batch)
    batch = undefined
  }

  const storeSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      // After a failure the next attempt stores the same runs.
      storing = storing.then(store).catch(() => {})
      void storing.then(() => {
        if (batch || waiting.length) storeSoon()
      })
    }, STORE_MS).unref()
  }

  return {
    note(run) {
      if (waiting.length >= MAX_WAITING) return count('trailmark_runs_unrecorded_total')
      waiting.push(run)
      storeSoon()
    },
    async close() {
      clearTimeout(timer)
      await storing
      clearTimeout(timer)
      for (let left = Infinity; (batch || waiting.length) && waiting.length < left;) {
        left = waiting.length
        await store().catch(() => {})
      }
    },
  }
}

type Run<Rest extends readonly unknown[], Answer> = (request: RunRequest, ...rest: Rest) => Promise<Answer>

const toRecord = ({ projectId, endpoint, version, key, runTokenId, variables }: EndpointRunRequest) => ({
  projectId,
  endpoint,
  ...(version === undefined ? {} : { version }),
  keyLabel: key.label,
  runTokenId,
  // Names only. Values may identify people.
  variables: Object.keys(variables)
    .filter(({ length }) => length <= MAX_VARIABLE_NAME)
    .slice(0, MAX_VARIABLES),
})

/** Wraps runs so that each run of an endpoint is noted when it ends. `resultOf` reads the response. */
export const recordingRuns =
  ({ note }: Pick<RunLog, 'note'>) =>
  <Rest extends readonly unknown[], Answer>(
    run: Run<Rest, Answer>,
    resultOf: (answer: Answer) => RunResult = () => ({}),
  ): Run<Rest, Answer> =>
  async (request, ...rest) => {
    if (!('endpoint' in request)) return run(request, ...rest)
    const at = Date.now()
    const startedAt = performance.now()
    const noteEnd = (code: string, result: RunResult) =>
      note({ ...toRecord(request), at, durationMs: performance.now() - startedAt, code, ...result })
    try {
      const answer = await run(request, ...rest)
      noteEnd('', resultOf(answer))
      return answer
    } catch (error) {
      noteEnd(error instanceof ApiError ? error.code : 'internal_error', {})
      throw error
    }
  }

/** Reads the response of a JSON run. */
export const resultOfAnswer = ({
  results,
  endpoint_version,
  is_cached,
  endpoint_materialized,
}: RunAnswer): RunResult => ({
  version: endpoint_version,
  path: is_cached ? 'cache' : endpoint_materialized ? 'materialized' : 'live',
  ...(Array.isArray(results) ? { rows: results.length } : {}),
})
