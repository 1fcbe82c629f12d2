import { createHash, randomUUID } from 'node:crypto'
import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { type Result, type RunLimits, type Statement, type Storage, StorageError } from '../storage/storage.ts'
import type { Admission, Admit } from './admission.ts'
import type { Cache, Loaded } from './cache.ts'
import { cursorOwner, nextCursor, readCursor } from './cursor.ts'
import type { Epochs } from './epochs.ts'
import type { LastRuns } from './lastRuns.ts'
import type { InsightResults } from './insights/insight.ts'
import type { RunAllowance } from './limits.ts'
import { planFromStored } from './materialization/insightRows.ts'
import type { Materializations } from './materialization/materializations.ts'
import { readingFrom } from './materialization/plan.ts'
import type { Shadow } from './materialization/shadow.ts'
import type { Build } from './materialization/state.ts'
import {
  compileRun,
  type InsightWork,
  type PreparedRun,
  prepareRun,
  type RunRequest,
  type SqlWork,
  toRunError,
} from './prepare.ts'
import type { ParsedQuery } from '../sql/compile.ts'

export type { RunRequest } from './prepare.ts'

export interface RunAnswer {
  /** Rows, or what an insight of its kind is made of. */
  readonly results: InsightResults
  /** Of SQL only, as `types`. */
  readonly columns?: readonly string[]
  /** Pairs of name and engine type. */
  readonly types?: readonly (readonly [string, string])[]
  /** Whether there are rows after these; of an insight, whether values were put together as "Other". */
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
  /** Of an insight the project's; SQL has UTC. */
  readonly timezone: string
  /** Present if the rows came from what is stored for the version, and since when that is: what has come later was read live. */
  readonly endpoint_materialized?: true
  readonly endpoint_materialized_at?: string
  /** With `isDebug`: the query as it was written, and as the engine got it. */
  readonly hogql?: string
  readonly clickhouse?: string
  readonly cache_key?: string
  /** Steps and how long each took, in seconds. */
  readonly timings?: readonly { readonly k: string; readonly t: number }[]
}

/** The part of an answer that is kept. */
export type Outcome = Pick<
  RunAnswer,
  | 'results'
  | 'columns'
  | 'types'
  | 'hasMore'
  | 'limit'
  | 'offset'
  | 'next_cursor'
  | 'endpoint_materialized'
  | 'endpoint_materialized_at'
>

export type RunEndpoint = (request: RunRequest) => Promise<RunAnswer>

export interface RunRooms {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'run'>
  readonly admit: Admit
  readonly cache: Cache<Outcome>
  readonly epochs: Pick<Epochs, 'of'>
  readonly lastRuns: Pick<LastRuns, 'note'>
  readonly materializations: Pick<Materializations, 'stored' | 'isEnabled' | 'takesDates'>
  readonly shadow: Pick<Shadow, 'follow'>
}

// Rows take about four times their text in memory.
const BYTES_PER_CHARACTER = 4

/** What one run asks the engine. */
interface Work {
  readonly statements: readonly Statement[]
  /** The same out of what is stored. Absent: there is nothing stored that this run could use. */
  readonly materialized?: { readonly statements: readonly Statement[]; readonly stored: Build }
  outcome(answers: readonly Result[]): Outcome
}

interface Task {
  /** Everything that decides the outcome, besides the project and the version. */
  readonly decides: unknown
  readonly maxRows: number
  readonly parsed?: ParsedQuery
  /** Compiles, the first time that it is called: an answer that is kept needs no SQL. */
  readonly work: () => Work
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const sqlTask = (
  { parsed, values }: SqlWork,
  { projectId, limit, offset, cursor }: RunRequest,
  { versionId, mostRows, stored }: { versionId: string; mostRows: number; stored: Build | undefined },
): Task => {
  const rows = Math.min(limit ?? mostRows, mostRows)
  const owner = cursorOwner(versionId, values)
  const after = cursor === undefined ? undefined : readCursor(cursor, owner)
  const options = {
    projectId,
    variables: values,
    limit: rows + 1, // one row more than is answered says whether there are more
    ...(offset === undefined ? {} : { offset }),
    ...(cursor === undefined ? {} : { keyset: { after } }),
  }
  const work = (): Work => {
    const compiled = compileRun(parsed, options)
    const reading = stored && readingFrom(parsed, stored)
    const statement = reading && compileRun(parsed, { ...options, replace: reading.replace })
    return {
      statements: [compiled],
      ...(statement && reading.isUsed() ? { materialized: { statements: [statement], stored } } : {}),
      outcome([answer]) {
        const { keyCount } = compiled
        const page = answer!.rows.slice(0, rows)
        const columns = answer!.columns.slice(0, answer!.columns.length - keyCount)
        const hasMore = answer!.rows.length > rows
        return {
          results: keyCount ? page.map((row) => row.slice(0, columns.length)) : page,
          columns: columns.map((column) => column.name),
          types: columns.map((column) => [column.name, column.type] as const),
          hasMore,
          ...(limit === undefined ? {} : { limit: rows }),
          ...(offset === undefined ? {} : { offset }),
          ...(cursor === undefined ? {} : { next_cursor: hasMore ? nextCursor(page, keyCount, owner, after) : null }),
        }
      },
    }
  }
  return {
    decides: [values, rows, limit ?? null, offset ?? null, cursor ?? null],
    maxRows: rows + 1,
    parsed,
    work: once(work),
  }
}

const insightTask = (
  { query, run, plan, timezone, variables }: InsightWork,
  mostRows: number,
  stored: Build | undefined,
): Task => {
  const work = (): Work => {
    const materialized = stored && planFromStored(query, run, stored)
    return {
      statements: plan.statements,
      ...(materialized ? { materialized: { statements: materialized.statements, stored } } : {}),
      outcome: (answers) => plan.shape(answers.map(({ rows }) => rows)),
    }
  }
  return { decides: [timezone, variables], maxRows: mostRows + 1, work: once(work) }
}

/**
 * Runs a stored endpoint: admit → find → bind → compile → cache or execute → shape. Values are checked before anything is
 * executed, whatever would serve the run.
 */
export const createRun = ({
  metadata,
  storage,
  admit,
  cache,
  epochs,
  lastRuns,
  materializations,
  shadow,
}: RunRooms): RunEndpoint => {
  // One after another: a run takes one of the engine's places, whatever its query.
  const each = async (
    statements: readonly Statement[],
    limits: RunLimits,
    signal: AbortSignal,
  ): Promise<readonly Result[]> => {
    const answers: Result[] = []
    for (const statement of statements) answers.push(await storage.run(statement, limits, signal))
    return answers
  }

  const loaded = (answers: readonly Result[], value: Outcome): Loaded<Outcome> => ({
    value,
    bytes: answers.reduce((sum, { textLength }) => sum + textLength, 0) * BYTES_PER_CHARACTER,
  })

  /** What is stored can be gone or of an older engine; the events are there. */
  const fromStored = async (
    statements: readonly Statement[],
    limits: RunLimits,
    signal: AbortSignal,
  ): Promise<readonly Result[] | undefined> => {
    try {
      return await each(statements, limits, signal)
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'query') return undefined
      throw error
    }
  }

  const execute = async (
    { work, maxRows, parsed }: Task,
    projectId: number,
    allowance: RunAllowance,
    signal: AbortSignal,
  ): Promise<Loaded<Outcome>> => {
    const { statements, materialized, outcome } = work()
    const limits = { projectId, maxSeconds: allowance.seconds, maxMemoryBytes: allowance.memoryBytes, maxRows }
    try {
      const stored = materialized?.stored
      const answers =
        materialized &&
        (await fromStored(materialized.statements, { ...limits, tables: [materialized.stored.table] }, signal))
      if (stored && answers)
        return loaded(answers, {
          ...outcome(answers),
          endpoint_materialized: true,
          endpoint_materialized_at: stored.builtAt,
        })
      const live = await each(statements, limits, signal)
      return loaded(live, outcome(live))
    } catch (error) {
      throw toRunError(error, parsed, allowance)
    }
  }

  const answer = async (
    request: RunRequest,
    { endpoint, version, work }: PreparedRun,
    { allowance, signal }: Admission,
  ): Promise<RunAnswer> => {
    const { projectId } = request
    const isDirect = request.refresh === 'direct'
    if (isDirect && !materializations.isEnabled(version)) throw new ApiError('not_materialized', { attr: 'refresh' })
    const stored = isDirect ? undefined : materializations.stored(version)
    const task =
      work.kind === 'sql'
        ? sqlTask(work, request, { versionId: version.id, mostRows: allowance.rows, stored })
        : insightTask(work, allowance.rows, stored)
    const compileAt = performance.now()
    if (request.isDebug) task.work()
    const executeAt = performance.now()
    // With its table: what was answered from one that is no longer to be used is not given again.
    const key = createHash('sha256')
      .update(JSON.stringify([projectId, version.id, work.kind, task.decides, stored?.table ?? null]))
      .digest('hex')
    const freshMs = version.dataFreshnessSeconds * 1_000
    const { value, startedAt, isCached } = await cache({
      key,
      terms: JSON.stringify([allowance.seconds, allowance.memoryBytes, allowance.rows]),
      epoch: await epochs.of(projectId),
      maxAgeMs: freshMs,
      isForced: request.refresh === 'force' || isDirect,
      signal,
      load: (givenUp) => execute(task, projectId, allowance, givenUp),
    })
    const doneAt = performance.now()
    const refreshed = new Date(startedAt).toISOString()
    if (!isCached) lastRuns.note(endpoint.id, refreshed)
    if (!isCached && value.endpoint_materialized && stored) {
      const { statements: live, materialized } = task.work()
      const of =
        work.kind === 'sql'
          ? { parsed: work.parsed, values: work.values }
          : materialized && { live, materialized: materialized.statements }
      if (of)
        shadow.follow({
          versionId: version.id,
          ...of,
          stored,
          limits: {
            projectId,
            maxSeconds: allowance.seconds,
            maxMemoryBytes: allowance.memoryBytes,
            maxRows: allowance.rows,
          },
        })
    }
    return {
      ...value,
      name: endpoint.name,
      execution_id: randomUUID(),
      endpoint_version: version.version,
      endpoint_version_created_at: version.createdAt,
      is_cached: isCached,
      last_refresh: refreshed,
      cache_target_age: new Date(startedAt + freshMs).toISOString(),
      timezone: work.kind === 'insight' ? work.timezone : 'UTC',
      ...(request.isDebug
        ? {
            ...(task.parsed ? { hogql: task.parsed.text } : {}),
            clickhouse: ((value.endpoint_materialized && task.work().materialized) || task.work()).statements
              .map(({ text }) => text)
              .join(';\n'),
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
      return await answer(request, await prepareRun({ metadata, materializations }, request), admission)
    } finally {
      admission.leave()
    }
  }
}
