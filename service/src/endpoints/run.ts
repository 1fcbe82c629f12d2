import { randomUUID } from 'node:crypto'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Result, Storage } from '../storage/storage.ts'
import type { Admission, Admit } from './admission.ts'
import type { Cache, Loaded } from './cache.ts'
import { type DebugFields, debugFields, firstStatements } from './debug.ts'
import { type Epochs, isSettled, lastErasure } from './epochs.ts'
import { type Executed, executeRun } from './executeRun.ts'
import type { LastRuns } from './lastRuns.ts'
import type { Arrivals } from './materialization/arrivals.ts'
import type { Cells, MemoryRun } from './materialization/memory/cellStore.ts'
import type { OwnerChanges } from './ownerChanges.ts'
import type { Materializations } from './materialization/materializations.ts'
import type { Shadow } from './materialization/shadow.ts'
import type { MaterializedTable } from './materialization/tables/state.ts'
import type { Merges } from './merges.ts'
import type { PlainProperties } from './plainProperties.ts'
import { type Outcome, type PlanOptions, planRun, type RunPlan } from './planRun.ts'
import { prepareRun, type RunRequest } from './prepareRun.ts'
import type { Speeds } from './speeds.ts'

export type { Outcome } from './planRun.ts'
export type { EndpointRunRequest, QueryRunRequest, RunRequest } from './prepareRun.ts'

/** The JSON response of a run. */
export interface RunAnswer extends Outcome, DebugFields {
  readonly execution_id: string
  /** The endpoint and its version. Absent for a query that is not stored. */
  readonly name?: string
  readonly endpoint_version?: number
  readonly endpoint_version_created_at?: string
  readonly is_cached: boolean
  /** Time at which the result was computed. Later events may be missing. */
  readonly last_refresh: string
  /** Time until which the cache may return the result if no event arrives. */
  readonly cache_target_age: string
  /** The project's for an insight, UTC for SQL. */
  readonly timezone: string
}

export type RunEndpoint = (request: RunRequest) => Promise<RunAnswer>

export interface RunDependencies {
  readonly metadata: Pick<Metadata, 'projects' | 'endpoints' | 'variables'>
  readonly storage: Pick<Storage, 'run'>
  readonly admit: Admit
  readonly cache: Cache<Outcome>
  readonly epochs: Pick<Epochs, 'of'>
  readonly merges: Pick<Merges, 'areAbsent'>
  readonly plainProperties: Pick<PlainProperties, 'reader'>
  readonly owners: Pick<OwnerChanges, 'of'>
  readonly lastRuns: Pick<LastRuns, 'note'>
  readonly materializations: Pick<Materializations, 'stored' | 'isEnabled' | 'takesDates'>
  readonly arrivals: Pick<Arrivals, 'isComplete'>
  readonly cells: Cells
  readonly shadow: Pick<Shadow, 'follow'>
  readonly speeds: Speeds
}

/** Cells that are read while rows are being stored are not kept. */
const settled = (epoch: number): number => (isSettled(epoch) ? epoch : NaN)

// Rows take about four times the length of their text in memory.
const BYTES_PER_CHARACTER = 4

const toLoaded = ({ toOutcome }: RunPlan, { results, table }: Executed<Result>): Loaded<Outcome> => ({
  value: {
    ...toOutcome(results),
    ...(table ? { endpoint_materialized: true, endpoint_materialized_at: table.builtAt } : {}),
  },
  bytes: results.reduce((sum, { textLength }) => sum + textLength, 0) * BYTES_PER_CHARACTER,
})

/** Runs an endpoint or a query: admit → prepare → plan → cache or execute → shape. Rejects with `ApiError`. */
export const createRun = ({
  metadata,
  storage,
  admit,
  cache,
  epochs,
  merges,
  plainProperties,
  owners,
  lastRuns,
  materializations,
  arrivals,
  cells,
  shadow,
  speeds,
}: RunDependencies): RunEndpoint => {
  const answer = async (request: RunRequest, { allowance, signal }: Admission): Promise<RunAnswer> => {
    const { projectId, isDebug } = request
    const isUnmerged = await merges.areAbsent(projectId)
    const plain = plainProperties.reader(projectId)
    const assumed = { isUnmerged, isPlain: plain.isPlain }
    const prepared = await prepareRun({ metadata, materializations, assumed }, request)
    const { stored, work } = prepared
    const epoch = await epochs.of(projectId)
    const isComplete = (table: MaterializedTable) => isSettled(epoch) && arrivals.isComplete(projectId, table, epoch)
    const options: PlanOptions = { materializations, allowance, isComplete, choose: speeds.choose }
    const plan = planRun(prepared, request, options)
    const finish = (run: MemoryRun, limits: RunPlan['limits'], signal: AbortSignal) =>
      cells.finish(run, {
        now: async () => ({
          epoch: settled(await epochs.of(projectId)),
          owners: run.readsOwners ? settled(await owners.of(projectId)) : 0,
        }),
        isComplete: Boolean(run.stored.isComplete),
        limits,
        signal,
      })
    const execute = async (signal: AbortSignal, toExecute: RunPlan) => {
      const at = performance.now()
      const executed = await executeRun(
        toExecute,
        (statement, limits) => storage.run(statement, limits, signal),
        (run) => finish(run, toExecute.limits, signal),
      )
      if (stored && toExecute.choice.reason !== 'not_materialized' && !executed.isTableLost)
        speeds.note(stored.version.id, executed.table ? 'table' : 'live', performance.now() - at)
      return executed
    }
    let executed: Executed<Result> | undefined
    const compileAt = performance.now()
    if (isDebug) firstStatements(plan)
    const executeAt = performance.now()
    const { value, startedAt, isCached } = await cache({
      ...plan.cache,
      epoch,
      ...(plan.cache.toleratesNewEvents
        ? { oldestEpoch: lastErasure(epoch) }
        : { isForced: plan.cache.isForced || !isSettled(epoch) }),
      signal,
      async load(aborted) {
        executed = await execute(aborted, plan)
        const assumesNothing = executed.table && work.kind === 'sql'
        const isTrue = assumesNothing || (plain.holds() && (!isUnmerged || (await merges.areAbsent(projectId))))
        if (isTrue) return toLoaded(plan, executed)
        // An id got another person meanwhile, or a property its first object or array.
        const general = planRun(await prepareRun({ metadata, materializations }, request), request, options)
        return toLoaded(general, await execute(aborted, general))
      },
    })
    const doneAt = performance.now()
    const refreshed = new Date(startedAt).toISOString()
    if (!isCached && stored) lastRuns.note(stored.endpoint.id, refreshed)
    if (!isCached && stored && value.endpoint_materialized)
      shadow.follow({ versionId: stored.version.id, comparison: plan.comparison, finish, limits: plan.limits })
    return {
      ...value,
      ...(stored
        ? {
            name: stored.endpoint.name,
            endpoint_version: stored.version.version,
            endpoint_version_created_at: stored.version.createdAt,
          }
        : {}),
      execution_id: randomUUID(),
      is_cached: isCached,
      last_refresh: refreshed,
      cache_target_age: new Date(startedAt + plan.cache.maxAgeMs).toISOString(),
      timezone: work.kind === 'insight' ? work.timezone : 'UTC',
      ...(isDebug
        ? debugFields({
            plan,
            value,
            isCached,
            executed,
            compileMs: executeAt - compileAt,
            executeMs: doneAt - executeAt,
          })
        : {}),
    }
  }

  return async (request) => {
    const admission = admit(request)
    try {
      return await answer(request, admission)
    } finally {
      admission.leave()
    }
  }
}
