import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'
import { findEndpoint } from './definitions/find.ts'
import type { RunPath } from './runLog.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Intervals of statistics: the engine's function, how far they reach back by default, and at most. */
export const RUN_INTERVALS = {
  minute: { start: 'toStartOfMinute', defaultMs: HOUR_MS, maxMs: DAY_MS, max: '24 hours' },
  hour: { start: 'toStartOfHour', defaultMs: DAY_MS, maxMs: 31 * DAY_MS, max: '31 days' },
  day: { start: 'toStartOfDay', defaultMs: 30 * DAY_MS, maxMs: 31 * DAY_MS, max: '31 days' },
} as const
export type RunInterval = keyof typeof RUN_INTERVALS

/** Statistics of some runs. Durations of successful runs, in ms. `null`: no run succeeded. */
interface RunCounts {
  readonly runs: number
  readonly errors: number
  readonly cached: number
  readonly materialized: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

export interface RecentRun {
  readonly at: string
  readonly version: number
  readonly status: 'ok' | 'error'
  readonly code: string | null
  readonly path: RunPath | null
  readonly duration_ms: number
  readonly rows: number | null
  readonly key_label: string
  readonly run_token_id: string | null
  readonly variables: readonly string[]
}

export interface EndpointRuns {
  readonly after: string
  readonly interval: RunInterval
  readonly totals: RunCounts & {
    readonly rows: number
    readonly errors_by_code: readonly { readonly code: string; readonly count: number }[]
  }
  readonly series: readonly (RunCounts & { readonly start: string })[]
  readonly recent: readonly RecentRun[]
}

export interface EndpointStats {
  readonly id: string
  readonly name: string
  readonly runs_24h: number
  readonly errors_24h: number
  readonly p95_ms: number | null
  readonly cached_share: number | null
  readonly last_run_at: string | null
}

export interface RunPeriod {
  readonly interval: RunInterval
  /** ms since the epoch. Absent: the default of the interval. */
  readonly after: number | undefined
}

/** Reads what `runLog.ts` has stored. All functions reject with `ApiError`. */
export interface RunHistory {
  /** Returns the runs of an endpoint: counts and durations, by interval, and the last ones. */
  ofEndpoint(projectId: number, name: string, period: RunPeriod, signal: AbortSignal): Promise<EndpointRuns>
  /** Returns the runs of each endpoint of a project in the last 24 hours. */
  ofProject(projectId: number, signal: AbortSignal): Promise<{ readonly results: readonly EndpointStats[] }>
}

const MAX_RECENT = 200
const MAX_CODES = 50
const LIMITS = { maxSeconds: 10, maxMemoryBytes: 500_000_000, maxRows: 10_000, maxBytes: 5_000_000 }

const COUNTS = `count(), countIf(code != ''), countIf(path = 'cache'), countIf(path = 'materialized'),
  quantilesTDigestIf(0.5, 0.95)(duration_ms, code = ''), sum(rows)`
const OF_ENDPOINT = 'project_id = {projectId:UInt32} AND endpoint_id = {endpointId:UUID}'
const SINCE = 'at >= fromUnixTimestamp64Milli({after:Int64})'

const seriesOf = (interval: RunInterval) => `
  SELECT toUnixTimestamp(${RUN_INTERVALS[interval].start}(toTimeZone(at, {timezone:String}))) AS start, ${COUNTS}
  FROM db.endpoint_runs WHERE ${OF_ENDPOINT} AND ${SINCE} GROUP BY GROUPING SETS ((start), ()) ORDER BY start`

const CODES = `
  SELECT code, count() FROM db.endpoint_runs WHERE ${OF_ENDPOINT} AND ${SINCE} AND code != ''
  GROUP BY code ORDER BY count() DESC, code LIMIT ${MAX_CODES}`

const RECENT = `
  SELECT toUnixTimestamp64Milli(at), version, code, path, duration_ms, rows, key_label, run_token_id, variables
  FROM db.endpoint_runs WHERE ${OF_ENDPOINT} ORDER BY at DESC LIMIT ${MAX_RECENT}`

const OF_PROJECT = `
  SELECT toString(endpoint_id), count(), countIf(code != ''), countIf(path = 'cache'),
    quantileTDigestIf(0.95)(duration_ms, code = ''), toUnixTimestamp64Milli(max(at))
  FROM db.endpoint_runs WHERE project_id = {projectId:UInt32} AND ${SINCE} GROUP BY endpoint_id`

const toMs = (value: unknown): number | null => (value === null ? null : Math.round(Number(value) * 100) / 100)
const toTime = (ms: unknown): string => new Date(Number(ms)).toISOString()

type Row = readonly unknown[]

const toCounts = ([runs, errors, cached, materialized, durations]: Row): RunCounts => {
  const [p50, p95] = durations as [unknown, unknown]
  return {
    runs: Number(runs),
    errors: Number(errors),
    cached: Number(cached),
    materialized: Number(materialized),
    p50_ms: toMs(p50),
    p95_ms: toMs(p95),
  }
}

const toRecent = ([at, version, code, path, durationMs, rows, label, runTokenId, variables]: Row): RecentRun => ({
  at: toTime(at),
  version: Number(version),
  status: code ? 'error' : 'ok',
  code: (code as string) || null,
  path: path ? (path as RunPath) : null,
  duration_ms: toMs(durationMs)!,
  rows: rows === null ? null : Number(rows),
  key_label: String(label),
  run_token_id: (runTokenId as string) || null,
  variables: variables as string[],
})

const toStats = (id: string, name: string, row: Row | undefined): EndpointStats => {
  const [, runs = 0, errors = 0, cached = 0, p95 = null, lastAt] = row ?? []
  const succeeded = Number(runs) - Number(errors)
  return {
    id,
    name,
    runs_24h: Number(runs),
    errors_24h: Number(errors),
    p95_ms: toMs(p95),
    cached_share: succeeded ? Number(cached) / succeeded : null,
    last_run_at: lastAt === undefined ? null : toTime(lastAt),
  }
}

export interface RunHistoryDependencies {
  readonly storage: Pick<Storage, 'run'>
  readonly metadata: Pick<Metadata, 'endpoints' | 'projects'>
  readonly now?: () => number
}

export const createRunHistory = ({ storage, metadata, now = Date.now }: RunHistoryDependencies): RunHistory => {
  const read = async (
    projectId: number,
    text: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => {
    const { rows } = await storage.run({ text, params: { projectId, ...params } }, { ...LIMITS, projectId }, signal)
    return rows
  }

  const startOf = ({ interval, after }: RunPeriod): number => {
    const { defaultMs, maxMs, max } = RUN_INTERVALS[interval]
    const start = after ?? now() - defaultMs
    if (start < now() - maxMs)
      throw new ApiError('invalid_input', {
        attr: 'after',
        detail: `"after" must be within the last ${max} for the interval ${interval}.`,
      })
    return start
  }

  return {
    async ofEndpoint(projectId, name, period, signal) {
      const after = startOf(period)
      const { id: endpointId } = await findEndpoint(metadata, projectId, name)
      const { timezone } = (await metadata.projects.byId(projectId))!
      const groups = await read(projectId, seriesOf(period.interval), { endpointId, after, timezone }, signal)
      const codes = await read(projectId, CODES, { endpointId, after }, signal)
      const recent = await read(projectId, RECENT, { endpointId }, signal)
      // The group of all runs sorts first, because its start is 1970.
      const [[, ...totals] = [0, 0, 0, 0, 0, [null, null], 0], ...series] = groups
      return {
        after: toTime(after),
        interval: period.interval,
        totals: {
          ...toCounts(totals),
          rows: Number(totals.at(-1)),
          errors_by_code: codes.map(([code, count]) => ({ code: String(code), count: Number(count) })),
        },
        series: series.map(([start, ...counts]) => ({ start: toTime(Number(start) * 1_000), ...toCounts(counts) })),
        recent: recent.map(toRecent),
      }
    },
    async ofProject(projectId, signal) {
      const rows = await read(projectId, OF_PROJECT, { after: now() - DAY_MS }, signal)
      const byId = new Map(rows.map((row) => [String(row[0]), row]))
      const endpoints = await metadata.endpoints.list(projectId)
      return { results: endpoints.map(({ id, name }) => toStats(id, name, byId.get(id))) }
    },
  }
}
