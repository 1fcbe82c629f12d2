import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'
import { ApiError } from '../lib/apiError.ts'
import type { Settings } from './clickhouseHttp.ts'

/**
 * A statement with `{name:Type}` placeholders and their values. In the service's own statements, `projectId` is the
 * project it works for.
 */
export interface Statement {
  readonly text: string
  /** The project whose hidden rows the statement does not read. Runs never read those of their project. */
  readonly seenBy?: number
  readonly params?: Readonly<Record<string, unknown>>
}

/** The signal of a statement whose result no client waits for. It is never aborted. */
export const NO_CALLER: AbortSignal = new AbortController().signal
setMaxListeners(Infinity, NO_CALLER)

/** Bounds of a read. Each read must state them, so that no stored data can exceed the memory or the time of the service. */
export interface ReadBounds {
  /** Maximum bytes of the response as JSON. A larger one is rejected with the kind `bytes`. */
  readonly maxBytes: number
  /** Aborted when the caller no longer waits for the result. */
  readonly signal: AbortSignal
}

/** Bounds of the service's own short statements: names, states and counts. */
export const SMALL_READ: ReadBounds = { maxBytes: 1_000_000, signal: NO_CALLER }

/** Conditions of the rows that a project's queries see, by the table in `db`. Other tables are seen completely. */
export type SeenRows = Readonly<Record<string, string>>

/** Returns the conditions of a project. A condition has no quotes and no values of people. */
export type SeenRowsOf = (projectId: number) => Promise<SeenRows>

/** Limits of a project's query. */
export interface RunLimits {
  /** The query can only read events of this project, regardless of the statement. */
  readonly projectId: number
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
  readonly maxRows: number
  /** Maximum threads. Absent: one per core. */
  readonly maxThreads?: number
  /** Tables of `db` that the statement reads in addition to `events`. Each has a column `project_id`. */
  readonly tables?: readonly string[]
  /** Prefix of the statement's id in the engine, by which `progress` finds it. */
  readonly idPrefix?: string
}

/** Limits of a project's query whose result is read as a whole. */
export type ReadLimits = RunLimits & Pick<ReadBounds, 'maxBytes'>

/** A statement that was run with an `idPrefix`. */
export interface StatementRef {
  readonly projectId: number
  readonly idPrefix: string
}

/** Progress of a statement in the engine. */
export interface Progress {
  readonly readRows: number
  /** The engine's estimate of the rows it will read. */
  readonly totalRows: number
  readonly elapsedMs: number
}

/** Rows of a project to delete from one of the projects' tables. */
export interface Removal {
  readonly table: string
  /** Condition with placeholders. It applies in addition to the project. */
  readonly where: string
  readonly params: { readonly projectId: number; readonly [name: string]: unknown }
}

/** Limits of one of the service's own long statements. */
export interface WorkLimits {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
}

export interface Column {
  readonly name: string
  /** The engine's type, such as `Nullable(Float64)`. */
  readonly type: string
}

/** Integers beyond 2^53 are strings. */
export interface Result {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** Characters of the JSON response. */
  readonly textLength: number
}

/**
 * `ndjson`: one object per line, with integers beyond 2^53 as strings. `csv`: with a header. For exports, `jsonl`: one object per line,
 * with all numbers as they are stored. `csv_rows`: without a header. `parquet`: one file.
 */
export type StreamFormat = 'ndjson' | 'csv' | 'jsonl' | 'csv_rows' | 'parquet'

/** One row to insert, as a line of JSON whose keys are columns. */
export type JsonLine = string

/** Rows to insert: separate lines, or all lines as bytes. */
export type JsonLines = readonly JsonLine[] | Buffer

export interface InsertOptions {
  /** Whether rows that the engine cannot parse are skipped. Otherwise they make the insert fail. */
  readonly skipsUnreadable?: boolean
  /** Format of the rows. Default: lines of JSON. */
  readonly format?: 'Parquet'
  /** Further settings of the insert. Only a cluster sets them. */
  readonly settings?: Settings
}

/**
 * The event store: the embedded engine, a ClickHouse server or a cluster. All methods reject with `StorageError`,
 * after which the next call uses a clean connection.
 */
export interface Storage {
  /** The database with the local rows of each node. */
  readonly rowsDatabase: string
  /**
   * Returns all rows of a project's query, which runs as a read-only user. An aborted `signal` ends the query in the
   * engine.
   */
  run(statement: Statement, limits: ReadLimits, signal: AbortSignal): Promise<Result>
  /**
   * Like `run`, as a stream of text of any size. Resolves when the engine has the complete result, so the stream never
   * ends early with an error.
   */
  stream(statement: Statement, limits: RunLimits, format: StreamFormat, signal: AbortSignal): Promise<Readable>
  /** Returns the progress of the project's statement whose id begins with `idPrefix`. `undefined`: it is not running. */
  progress(of: StatementRef, signal: AbortSignal): Promise<Progress | undefined>
  /** Returns the rows of one of the service's own statements, which can read every project. */
  rows<Row>(statement: Statement, bounds: ReadBounds): Promise<Row[]>
  /** Inserts all rows. Stores none after a rejection with `kind: 'data'`, and all or none after `'unavailable'`. */
  insert(table: string, rows: JsonLines, options?: InsertOptions): Promise<void>
  command(statement: string): Promise<void>
  /**
   * Runs a long statement that creates or fills tables, with properties as `run` reads them. An aborted `signal` ends
   * it in the engine.
   */
  work(statement: Statement, limits: WorkLimits, signal?: AbortSignal): Promise<void>
  /**
   * Deletes rows. Resolves when they are gone from every available server. A replica that is away deletes them when it
   * is back, before its first response.
   */
  remove(removal: Removal, limits: WorkLimits): Promise<void>
  /**
   * Returns whether the engine responds within `withinMs`. Calls `onFailure` with the reason after each failed attempt.
   */
  ready(withinMs: number, onFailure?: (error: Error) => void): Promise<boolean>
  close(): Promise<void>
}

/**
 * - `unavailable`: the engine is unavailable or overloaded. A retry may succeed.
 * - `full`: the engine's disk is full.
 * - `data`: these rows can never be stored.
 * - `capacity`: others use the engine's capacity. A retry may succeed.
 * - `query`: the engine rejected the statement.
 * - `timeout`, `memory`, `size`, `bytes`: the statement exceeded its limits: of time, memory, rows, or bytes of its result.
 */
export type StorageErrorKind =
  | 'unavailable'
  | 'full'
  | 'capacity'
  | 'data'
  | 'query'
  | 'timeout'
  | 'memory'
  | 'size'
  | 'bytes'

export class StorageError extends Error {
  override name = 'StorageError'
  readonly kind: StorageErrorKind
  /** The engine's name of the error, such as `ILLEGAL_TYPE_OF_ARGUMENT`. Absent: the engine did not respond. */
  readonly engineCode: string | undefined
  /** For a cluster: the nodes that do not respond, without hosts, such as `node 2 of 3`. */
  readonly missing: string | undefined

  constructor(kind: StorageErrorKind, message: string, engineCode?: string, missing?: string) {
    super(message)
    this.kind = kind
    this.engineCode = engineCode
    this.missing = missing
  }
}

/** Delay in seconds before a retry makes sense if the engine is busy or unavailable. */
const RETRY_SECONDS = 2
const FULL_RETRY_SECONDS = 30

/** Returns the API error for an engine that is unavailable, full or busy. `undefined`: the statement is at fault. */
export const storageApiError = ({ kind, missing }: StorageError): ApiError | undefined => {
  if (kind === 'capacity') return new ApiError('query_capacity', { retryAfterSeconds: RETRY_SECONDS })
  if (kind === 'full') return new ApiError('disk_full', { retryAfterSeconds: FULL_RETRY_SECONDS })
  if (kind !== 'unavailable') return undefined
  const detail = `Part of the event store does not respond (${missing}), so the result would be incomplete. Retry the request.`
  return new ApiError('engine_unavailable', { ...(missing ? { detail } : {}), retryAfterSeconds: RETRY_SECONDS })
}
