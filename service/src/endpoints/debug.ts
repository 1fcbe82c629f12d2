import type { Result, Statement } from '../storage/storage.ts'
import type { Executed } from './executeRun.ts'
import type { Outcome, RunPlan, SourceChoice } from './planRun.ts'

/** Source of the run's data, and the reason for it. */
export interface RunSource {
  /** `memory`: what the service has in memory of the table. */
  readonly read: 'cache' | 'live' | 'table' | 'memory'
  readonly reason: SourceChoice['reason'] | 'cached' | 'does_not_fit' | 'table_lost'
  /** Median durations of recent runs of this version, in ms. Absent: too few. */
  readonly live_ms?: number
  readonly table_ms?: number
}

/** Fields of the response to a run with `isDebug`. */
export interface DebugFields {
  /** The query as written, and as sent to the engine. */
  readonly hogql?: string
  readonly clickhouse?: string
  readonly cache_key?: string
  /** The run's steps (`k`) and their durations in seconds (`t`). */
  readonly timings?: readonly { readonly k: string; readonly t: number }[]
  readonly source?: RunSource
}

export interface DebuggedRun {
  readonly plan: RunPlan
  readonly value: Outcome
  readonly isCached: boolean
  /** Absent: the result is from the cache, or of an equal run at the same time. */
  readonly executed?: Executed<Result> | undefined
  readonly compileMs: number
  readonly executeMs: number
}

/** Returns the statements of the source that a run reads first. Throws `ApiError`. */
export const firstStatements = ({ sources }: Pick<RunPlan, 'sources'>): readonly Statement[] => {
  const { live, stored } = sources()
  return (stored?.statements ?? live)()
}

const sourceOf = ({ plan: { choice }, value, isCached, executed }: DebuggedRun): RunSource => {
  const { liveMs, tableMs } = choice
  const measured = {
    ...(liveMs === undefined ? {} : { live_ms: liveMs }),
    ...(tableMs === undefined ? {} : { table_ms: tableMs }),
  }
  if (isCached) return { read: 'cache', reason: 'cached', ...measured }
  if (value.endpoint_materialized)
    return { read: executed?.isFromMemory ? 'memory' : 'table', reason: choice.reason, ...measured }
  const unread = executed?.isTableLost ? 'table_lost' : 'does_not_fit'
  return { read: 'live', reason: choice.source === 'table' ? unread : choice.reason, ...measured }
}

/** Describes a run. */
export const debugFields = (run: DebuggedRun): DebugFields => {
  const { plan, value, isCached, compileMs, executeMs } = run
  const statements = value.endpoint_materialized ? firstStatements(plan) : plan.sources().live()
  return {
    ...(plan.parsed ? { hogql: plan.parsed.text } : {}),
    clickhouse: statements.map(({ text }) => text).join(';\n'),
    cache_key: plan.cache.key,
    timings: [
      { k: 'compile', t: compileMs / 1_000 },
      { k: isCached ? 'cache' : 'execute', t: executeMs / 1_000 },
    ],
    source: sourceOf(run),
  }
}
