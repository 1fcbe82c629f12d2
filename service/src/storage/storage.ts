import type { Readable } from 'node:stream'
import { ApiError } from '../lib/apiError.ts'

/** A statement with `{name:Type}` placeholders and their values. Of one of the service's own, `projectId` is the project it works for. */
export interface Statement {
  readonly text: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** What a project's query may read and use up. */
export interface RunLimits {
  /** The engine shows the query this project's events only, whatever the statement says. */
  readonly projectId: number
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
  readonly maxRows: number
  /** Threads of the engine. Absent: as many as the machine has cores. */
  readonly maxThreads?: number
  /** Tables of `db` that the statement reads besides `events`; each has a column `project_id`. */
  readonly tables?: readonly string[]
}

/** What one of the service's own long statements may take. */
export interface WorkLimits {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
}

export interface Column {
  readonly name: string
  /** The engine's type, such as `Nullable(Float64)`. */
  readonly type: string
}

/** Integers that a JavaScript number cannot hold exactly arrive as strings. */
export interface Result {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** Length of the whole as text. */
  readonly textLength: number
}

/** Objects on lines of their own, in which integers that a JavaScript number cannot hold are strings; or CSV with a line of names. */
export type StreamFormat = 'ndjson' | 'csv'

/** One row to insert, as a line of JSON whose keys are columns. */
export type JsonLine = string

/** Rows to insert: line by line, or all lines as bytes. */
export type JsonLines = readonly JsonLine[] | Buffer

export interface InsertOptions {
  /** Whether rows that the engine cannot read are left out, instead of the whole insert being refused. */
  readonly skipsUnreadable?: boolean
}

/**
 * The events' store: an embedded engine or a cluster, which nothing above can tell apart.
 * Everything rejects with `StorageError`, and after a rejection the next call finds a clean connection.
 */
export interface Storage {
  /** The database whose tables hold the rows themselves, on every node: what `work` deletes it deletes there. */
  readonly rowsDatabase: string
  /** All rows of a project's query, read by a user that can do nothing else. An aborted `signal` ends the query in the engine. */
  run(statement: Statement, limits: RunLimits, signal?: AbortSignal): Promise<Result>
  /** The same as a stream of text, which begins when the last row is known: it is whole, or it is a rejection. */
  stream(statement: Statement, limits: RunLimits, format: StreamFormat, signal?: AbortSignal): Promise<Readable>
  /** Rows of one of the service's own statements, which sees every project. */
  rows<Row>(statement: Statement): Promise<Row[]>
  /** All rows or, after a rejection with `kind: 'data'`, none. After `'unavailable'` it may be either. */
  insert(table: string, rows: JsonLines, options?: InsertOptions): Promise<void>
  command(statement: string): Promise<void>
  /** Creates and fills tables out of what is stored, reading properties as `run` does. An aborted `signal` ends it in the engine. */
  work(statement: Statement, limits: WorkLimits, signal?: AbortSignal): Promise<void>
  /** Whether the engine answers, waiting at most `withinMs` until it does. `onFailure` receives why it did not, each time. */
  ready(withinMs: number, onFailure?: (error: Error) => void): Promise<boolean>
  close(): Promise<void>
}

/**
 * - `unavailable`: the engine is away, overloaded or full; the same call may succeed later.
 * - `full`: the engine's disk has no room for more rows.
 * - `data`: these rows can never be stored.
 * - `capacity`: others take up what the engine has; the same call may succeed later.
 * - `query`: the statement was refused.
 * - `timeout`, `memory`, `size`: the statement went over its limits.
 */
export type StorageErrorKind = 'unavailable' | 'full' | 'capacity' | 'data' | 'query' | 'timeout' | 'memory' | 'size'

export class StorageError extends Error {
  override name = 'StorageError'
  readonly kind: StorageErrorKind
  /** The engine's name for it, such as `ILLEGAL_TYPE_OF_ARGUMENT`; absent when the engine did not answer. */
  readonly engineCode: string | undefined
  /** For a cluster: the parts that do not answer, without hosts, such as `node 2 of 3`. */
  readonly missing: string | undefined

  constructor(kind: StorageErrorKind, message: string, engineCode?: string, missing?: string) {
    super(message)
    this.kind = kind
    this.engineCode = engineCode
    this.missing = missing
  }
}

/** Seconds after which a request that the engine had no room or no answer for is worth repeating. */
const RETRY_SECONDS = 2
const FULL_RETRY_SECONDS = 30

/** The refusal for an engine that is away, full or busy; `undefined` if the statement itself is at fault. */
export const storageApiError = ({ kind, missing }: StorageError): ApiError | undefined => {
  if (kind === 'capacity') return new ApiError('query_capacity', { retryAfterSeconds: RETRY_SECONDS })
  if (kind === 'full') return new ApiError('disk_full', { retryAfterSeconds: FULL_RETRY_SECONDS })
  if (kind !== 'unavailable') return undefined
  const detail = `A part of the event store does not answer (${missing}), and without it the answer would be wrong: try again.`
  return new ApiError('engine_unavailable', { ...(missing ? { detail } : {}), retryAfterSeconds: RETRY_SECONDS })
}
