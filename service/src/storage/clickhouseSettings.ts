import { own } from '../lib/own.ts'
import type { Settings } from './clickhouseHttp.ts'
import type { RunLimits, SeenRows, Statement } from './storage.ts'

/** Preserves keys and values of `properties`. */
const FAITHFUL_JSON: Settings = {
  // Keys may contain dots. Paths may not.
  json_type_escape_dots_in_keys: 1,
}

/** Settings of inserts. */
export const INSERT_SETTINGS: Settings = {
  ...FAITHFUL_JSON,
  // Keeps "2024-01-01T00:00:00Z" as a string. A DateTime would be returned in another format.
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // Keeps [true, 1]. Otherwise it becomes [1, 1].
  input_format_json_read_bools_as_numbers: 0,
  // Two keys that differ only in how a dot is escaped must not make the batch fail.
  type_json_skip_duplicated_paths: 1,
  date_time_input_format: 'best_effort',
  // Stores a batch as one block, which makes it atomic.
  max_insert_block_size: '1000000',
  input_format_parallel_parsing: 0,
  async_insert: 0,
  // Merges build the indexes. A part of a few rows is read as quickly without them, and creating their four files takes
  // a tenth of a small insert.
  materialize_skip_indexes_on_insert: 0,
}

/** Additional settings of inserts that skip rows the engine cannot parse. */
export const SKIP_UNREADABLE: Settings = {
  input_format_allow_errors_num: '1000000',
  input_format_allow_errors_ratio: 1,
}

/** Settings of statements that read properties. */
export const RESULT_SETTINGS: Settings = {
  ...FAITHFUL_JSON,
  // Compiling the expressions of a query that ran before takes up to 100 ms, and saves nothing on millions of events.
  compile_expressions: 0,
  // Deriving comparisons from others takes 40% of an insight's CPU time over few events. Its bounds are constants already.
  optimize_and_compare_chain: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_quote_decimals: 0,
}

// A number takes up to eight times the bytes of its text in the engine. The exact bound is checked while the response is read.
const ENGINE_BYTES_PER_BYTE = 8

/** Settings that bound the bytes of a result, before the engine writes it as text. */
export const resultBytes = (maxBytes: number): Settings => ({
  max_result_bytes: String(maxBytes * ENGINE_BYTES_PER_BYTE),
  result_overflow_mode: 'throw',
})

// A query with too many groups for its memory writes them to disk, which takes about a quarter longer.
const SPILL_SHARE = 0.7
const MAX_SPILLED_SHARE = 4

// A text may name tables without containing their names.
const MAY_HIDE_NAMES = /\\|merge\s*\(/i

/**
 * Returns the tables that a statement may read. The engine plans a statement with filters on all tables for a tenth longer
 * than one with the filter that it needs.
 */
const tablesIn = ({ text }: Statement, tables: readonly string[]): readonly string[] =>
  tables.filter((table) => MAY_HIDE_NAMES.test(text) || text.includes(table))

/** Returns the setting that filters tables, by table: the condition of the rows that a statement reads. */
const tableFilters = (databases: readonly string[], conditions: SeenRows): string =>
  `{${databases.flatMap((database) => Object.entries(conditions).map(([table, condition]) => `'${database}.${table}':'${condition}'`)).join(',')}}`

/** Settings of the service's own statement that does not read hidden rows. */
export const seenSettings = (databases: readonly string[], seen: SeenRows): Settings =>
  Object.keys(seen).length ? { additional_table_filters: tableFilters(databases, seen) } : {}

/** A project's query with the conditions of the rows that it sees. */
export type SeeingRun<Limits extends RunLimits = RunLimits> = Limits & { readonly seen: SeenRows }

const conditionOf = ({ projectId, seen }: SeeingRun, table: string): string => {
  const condition = own(seen, table)
  return `project_id = ${projectId}${condition ? ` AND (${condition})` : ''}`
}

/**
 * Settings that limit what a project's query may read and use. `databases`: all databases with the projects' tables.
 * `tables`: names of these tables, apart from those of the run.
 */
export const runSettings = (
  statement: Statement,
  limits: SeeingRun,
  databases: readonly string[],
  tables: readonly string[],
): Settings => ({
  ...RESULT_SETTINGS,
  readonly: '1',
  additional_table_filters: tableFilters(
    databases,
    Object.fromEntries(
      tablesIn(statement, [...tables, ...(limits.tables ?? [])]).map((table) => [table, conditionOf(limits, table)]),
    ),
  ),
  // The project for the row filter of the embedded engine's reader (embedded/config.ts).
  log_comment: String(limits.projectId),
  max_execution_time: limits.maxSeconds,
  timeout_overflow_mode: 'throw',
  max_memory_usage: String(limits.maxMemoryBytes),
  max_bytes_before_external_group_by: String(Math.floor(limits.maxMemoryBytes * SPILL_SHARE)),
  max_temporary_data_on_disk_size_for_query: String(limits.maxMemoryBytes * MAX_SPILLED_SHARE),
  max_result_rows: String(limits.maxRows),
  ...(limits.maxThreads ? { max_threads: limits.maxThreads } : {}),
  result_overflow_mode: 'throw',
  // The only projection is for lookups by uuid. Considering it for a run takes the engine most of a millisecond.
  optimize_use_projections: 0,
  // ClickHouse 26.7 cannot resolve aggregates whose patterns it has joined into one.
  optimize_or_like_chain: 0,
  // The response is complete or an error. Otherwise an exception could follow half of the rows.
  wait_end_of_query: 1,
})
