import { Type } from '@sinclair/typebox'
import { ANY_RESULTS } from '../resultSchema.ts'
import { oneOf, orNull, TIME } from '../../http/schemas.ts'
import type { RunSource } from '../debug.ts'

const COLUMN = Type.Object({
  name: Type.String(),
  type: oneOf(['integer', 'float', 'string', 'datetime', 'date', 'boolean', 'array', 'json', 'unknown']),
})

/** Place in the text of a query. */
const POSITION = Type.Object({
  start: Type.Integer(),
  end: Type.Integer(),
  line: Type.Integer(),
  column: Type.Integer(),
})

const OBSTACLE = Type.Object({
  code: Type.String(),
  message: Type.String(),
  position: Type.Optional(POSITION),
  /** For an insight: path of the field. */
  field: Type.Optional(Type.String()),
  fix: Type.String(),
})

const MATERIALIZATION_FIELDS = {
  name: Type.String(),
  enabled: Type.Boolean(),
  /** Whether runs read a table. */
  ready: Type.Boolean(),
  status: Type.Optional(oneOf(['Running', 'Completed', 'Failed'])),
  date_variables: Type.Optional(Type.Boolean()),
  can_materialize: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  obstacles: Type.Optional(Type.Array(OBSTACLE)),
  last_materialized_at: Type.Optional(TIME),
  rows: Type.Optional(Type.Integer()),
  bytes: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
}

/** Materialization of a version. */
export const MATERIALIZATION = Type.Object(MATERIALIZATION_FIELDS)

/** Materialization of a version, with an estimate of its table if it can be materialized. */
export const MATERIALIZATION_PREVIEW = Type.Object({
  ...MATERIALIZATION_FIELDS,
  preview: Type.Optional(
    Type.Object({
      kind: Type.String(),
      rows: Type.Integer(),
      bytes: Type.Integer(),
      /** Number of events that the table summarizes. */
      events: Type.Integer(),
      expected_speed_up: Type.Number(),
      stored_query: Type.String(),
    }),
  ),
})

const ENDPOINT_FIELDS = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  query: Type.Object({ kind: Type.String() }, { additionalProperties: true }),
  is_active: Type.Boolean(),
  data_freshness_seconds: Type.Integer(),
  /** null: insights, and queries whose columns depend on the variables. */
  columns: orNull(Type.Array(COLUMN)),
  endpoint_path: Type.String(),
  created_at: TIME,
  updated_at: TIME,
  is_materialized: Type.Boolean(),
  materialization: MATERIALIZATION,
  current_version: Type.Integer(),
  /** Absent: the response is about an earlier version. */
  current_version_id: Type.Optional(Type.String()),
  versions_count: Type.Integer(),
  /** null: the endpoint has never run. */
  last_executed_at: orNull(TIME),
}

const VERSION_FIELDS = {
  version: Type.Integer(),
  version_id: Type.String(),
  endpoint_is_active: Type.Boolean(),
  version_created_at: TIME,
  version_updated_at: TIME,
}

/** An endpoint with its current version. */
export const ENDPOINT = Type.Object(ENDPOINT_FIELDS)

/** A version of an endpoint. `is_active`: whether this version is. */
export const ENDPOINT_VERSION = Type.Object({ ...ENDPOINT_FIELDS, ...VERSION_FIELDS })

/** An endpoint. With `?version=`, one of its versions. */
export const ENDPOINT_OR_VERSION = Type.Object({
  ...ENDPOINT_FIELDS,
  ...Type.Partial(Type.Object(VERSION_FIELDS)).properties,
})

/** An endpoint after a change. */
export const CHANGED_ENDPOINT = Type.Object({
  ...ENDPOINT_OR_VERSION.properties,
  /** Reason why the new version could not be materialized. */
  materialization_error: Type.Optional(Type.String()),
})

const LINES = Type.Record(Type.String(), Type.Array(orNull(Type.Number())))

/**
 * Additional response fields of `WebOverviewQuery`, `WebStatsTableQuery` and `WebVitalsQuery` (docs/reference/insights.md#web-analytics).
 */
const WEB_FIELDS = {
  dateFrom: Type.Optional(Type.String()),
  dateTo: Type.Optional(Type.String()),
  samplingRate: Type.Optional(Type.Object({ numerator: Type.Number() })),
  /** The largest values that are good and that need improvement, by metric. */
  thresholds: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Number()))),
  usedPreAggregatedTables: Type.Optional(Type.Boolean()),
  series: Type.Optional(
    Type.Object({
      interval: Type.String(),
      days: Type.Array(Type.String()),
      labels: Type.Array(Type.String()),
      data: LINES,
      previousDays: Type.Optional(Type.Array(Type.String())),
      previous: Type.Optional(LINES),
      counts: Type.Optional(LINES),
    }),
  ),
}

/** Fields of the JSON response of any run. */
const RESULT_FIELDS = {
  results: Type.Unsafe<unknown>(ANY_RESULTS),
  /** Absent: an insight. */
  columns: Type.Optional(Type.Array(Type.String())),
  types: Type.Optional(
    Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2, description: 'Column and type.' })),
  ),
  hasMore: Type.Boolean(),
  limit: Type.Optional(Type.Integer()),
  offset: Type.Optional(Type.Integer()),
  next_cursor: Type.Optional(orNull(Type.String())),
  ...WEB_FIELDS,
  execution_id: Type.String(),
  is_cached: Type.Boolean(),
  last_refresh: Type.String({ format: 'date-time', description: 'When the result was computed.' }),
  cache_target_age: Type.String({ format: 'date-time', description: 'Until when the result may be cached.' }),
  timezone: Type.String(),
  hogql: Type.Optional(Type.String()),
  clickhouse: Type.Optional(Type.String()),
  cache_key: Type.Optional(Type.String()),
  timings: Type.Optional(Type.Array(Type.Object({ k: Type.String(), t: Type.Number() }))),
  source: Type.Optional(
    Type.Object({
      read: Type.Unsafe<RunSource['read']>({ type: 'string', enum: ['cache', 'live', 'table', 'memory'] }),
      reason: Type.String(),
      live_ms: Type.Optional(Type.Number()),
      table_ms: Type.Optional(Type.Number()),
    }),
  ),
}

/** JSON response of a query that is not stored. */
export const QUERY_RESULT = Type.Object(RESULT_FIELDS)

/** JSON response of an endpoint's run. */
export const RUN_RESULT = Type.Object({
  ...RESULT_FIELDS,
  name: Type.String(),
  endpoint_version: Type.Integer(),
  endpoint_version_created_at: TIME,
  endpoint_materialized: Type.Optional(Type.Boolean()),
  endpoint_materialized_at: Type.Optional(TIME),
  /** With a run token that has a date range: the days of the run, and the first and last that it may read. */
  days: Type.Optional(Type.Object({ from: Type.String(), to: Type.String(), min: Type.String(), max: Type.String() })),
})

/** Origin of a run's result. null: the run failed, or its rows were streamed. */
const PATH = oneOf(['live', 'materialized', 'cache'])

const RUN_COUNTS = {
  runs: Type.Integer(),
  errors: Type.Integer(),
  /** Successful runs that were answered from the cache. */
  cached: Type.Integer(),
  /** Successful runs that read a materialized table. */
  materialized: Type.Integer(),
  /** Durations of successful runs, in ms. null: no run succeeded. */
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
}

/** Runs of an endpoint since `after`. */
export const ENDPOINT_RUNS = Type.Object({
  after: TIME,
  interval: oneOf(['minute', 'hour', 'day']),
  totals: Type.Object({
    ...RUN_COUNTS,
    rows: Type.Integer(),
    /** Most frequent first. */
    errors_by_code: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
  }),
  /** Intervals with runs, oldest first. Days begin at midnight in the project's time zone. */
  series: Type.Array(Type.Object({ start: TIME, ...RUN_COUNTS })),
  /** The last 200 runs, newest first. */
  recent: Type.Array(
    Type.Object({
      at: TIME,
      version: Type.Integer(),
      status: oneOf(['ok', 'error']),
      /** Code of the error. */
      code: orNull(Type.String()),
      path: orNull(PATH),
      duration_ms: Type.Number(),
      /** Number of rows. null: the run failed, or its rows were streamed. */
      rows: orNull(Type.Integer()),
      /** Label of the key. For a run token: of the key that issued it. */
      key_label: Type.String(),
      run_token_id: orNull(Type.String()),
      /** Names of the variables in the request. */
      variables: Type.Array(Type.String()),
    }),
  ),
})

/** Runs of each endpoint in the last 24 hours. */
export const ENDPOINT_STATS = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      runs_24h: Type.Integer(),
      errors_24h: Type.Integer(),
      p95_ms: orNull(Type.Number()),
      /** Share of successful runs that were answered from the cache, 0 to 1. null: no run succeeded. */
      cached_share: orNull(Type.Number()),
      last_run_at: orNull(TIME),
    }),
  ),
})
