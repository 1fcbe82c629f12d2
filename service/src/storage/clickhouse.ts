import { randomUUID } from 'node:crypto'
import { pipeline, Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { isDeepStrictEqual } from 'node:util'
import { pause } from '../lib/wait.ts'
import {
  type ClickhouseHttp,
  createClickhouseHttp,
  EngineError,
  type EngineRequest,
  type Settings,
} from './clickhouseHttp.ts'
import { PROJECT_TABLES } from './projectTables.ts'
import {
  type Result,
  type RunLimits,
  type Storage,
  StorageError,
  type StorageErrorKind,
  type StreamFormat,
  type WorkLimits,
} from './storage.ts'

export interface Account {
  readonly username: string
  readonly password: string
}

/** URL and credentials of the engine. When they change, requests to the previous engine are aborted. */
export interface Connection {
  readonly url: string
  /** Account that may create tables and insert. Defaults to the user of the URL. */
  readonly writer?: Account
  /** May read events and nothing else. */
  readonly reader?: Account
  readonly headers?: Readonly<Record<string, string>>
}

// Less than the 60 s after which SDKs give up on a request.
const WRITES = { timeoutMs: 30_000, connections: 32 }
// Longer than any query may run, and more connections than the gate lets through (storage/gate.ts), so that none waits
// here.
const READS = { timeoutMs: 70_000, connections: 80 }
// Tables are built in the background, two at a time (storage/gate.ts). The other connections are for the writer's
// deletions.
const WORK = { timeoutMs: 3_600_000, connections: 4 }
const READY_POLL_MS = 50
const PING_TIMEOUT_MS = 2_000

/** Kinds of the engine's errors. An error without a row is the statement's fault. */
const KINDS: Readonly<Record<string, StorageErrorKind>> = {
  TIMEOUT_EXCEEDED: 'timeout',
  TOO_SLOW: 'timeout',
  MEMORY_LIMIT_EXCEEDED: 'memory',
  TOO_MANY_ROWS: 'size',
  TOO_MANY_BYTES: 'size',
  TOO_MANY_ROWS_OR_BYTES: 'size',
  TOO_MANY_SIMULTANEOUS_QUERIES: 'capacity',
  TOO_MANY_PARTS: 'unavailable',
  NOT_ENOUGH_SPACE: 'full',
  CANNOT_ALLOCATE_MEMORY: 'unavailable',
  ALL_CONNECTION_TRIES_FAILED: 'unavailable',
  ALL_REPLICAS_ARE_STALE: 'unavailable',
  ATTEMPT_TO_READ_AFTER_EOF: 'unavailable',
  DNS_ERROR: 'unavailable',
  TABLE_IS_READ_ONLY: 'unavailable',
  SOCKET_TIMEOUT: 'unavailable',
  NETWORK_ERROR: 'unavailable',
  ABORTED: 'unavailable',
  QUERY_WAS_CANCELLED: 'unavailable',
  AUTHENTICATION_FAILED: 'unavailable',
}

/** Errors of an insert whose rows can never be stored. After any other error, a retry may succeed. */
const DATA_ERRORS = new Set([
  'INCORRECT_DATA',
  'CANNOT_PARSE_TEXT',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_QUOTED_STRING',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_UUID',
  'CANNOT_READ_ALL_DATA',
  'TYPE_MISMATCH',
  'TOO_LARGE_STRING_SIZE',
  'ARGUMENT_OUT_OF_BOUND',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  'DECIMAL_OVERFLOW',
  'TOO_DEEP_RECURSION',
])

/** Preserves keys and values of `properties`. */
const FAITHFUL_JSON: Settings = {
  // Keys may contain dots. Paths may not.
  json_type_escape_dots_in_keys: 1,
}

const INSERT_SETTINGS: Settings = {
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
}

const SKIP_UNREADABLE: Settings = { input_format_allow_errors_num: '1000000', input_format_allow_errors_ratio: 1 }

const RESULT_SETTINGS: Settings = {
  ...FAITHFUL_JSON,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_quote_decimals: 0,
}

/** Quotes integers beyond 2^53 in JSON text, so that parsing loses no digit. */
export const quoteUnsafeIntegers = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (token) =>
        token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
      )
    : text

// Connection errors of Node have a code. The client's own timeout does not.
const isConnectionError = (error: Error) =>
  typeof (error as NodeJS.ErrnoException).code === 'string' || /timeout|socket|aborted/i.test(error.message)

// The engine uses one error name for the memory limit of a query and that of all queries together.
const isShared = (name: string, message: string) =>
  name === 'MEMORY_LIMIT_EXCEEDED' && /\(total\)|memory limit for user|User memory/i.test(message)

// Errors of the operating system have various names, such as CANNOT_WRITE_TO_FILE_DESCRIPTOR.
const isFull = (name: string, message: string) =>
  KINDS[name] === 'full' || /No space left on device|errno: (?:28|122)\b/.test(message)

const toStorageError = (error: unknown, inserting = false): unknown => {
  if (error instanceof EngineError) {
    const name = error.code
    if (isFull(name, error.message)) return new StorageError('full', error.message, name)
    // An unknown error may be caused by the rows, which the writer finds out. An error without a name comes from a
    // proxy.
    if (inserting) {
      const kind = DATA_ERRORS.has(name) ? 'data' : !name || name in KINDS ? 'unavailable' : 'query'
      return new StorageError(kind, error.message, name)
    }
    return new StorageError(isShared(name, error.message) ? 'capacity' : (KINDS[name] ?? 'query'), error.message, name)
  }
  if (error instanceof StorageError || !(error instanceof Error) || !isConnectionError(error)) return error
  return new StorageError('unavailable', error.message)
}

// An engine that cannot write to its disk responds with 200 and an empty body.
const parseResponse = (json: string): { meta: Result['columns']; data: Result['rows'] } => {
  try {
    return JSON.parse(quoteUnsafeIntegers(json)) as ReturnType<typeof parseResponse>
  } catch {
    throw new StorageError('unavailable', 'The response of the engine is truncated')
  }
}

/**
 * Settings that limit what a project's query may read and use. `databases`: all databases with the projects' tables.
 */
const runSettings = (limits: RunLimits, databases: readonly string[]): Settings => ({
  ...RESULT_SETTINGS,
  readonly: '1',
  additional_table_filters: `{${databases.flatMap((database) => [...PROJECT_TABLES, ...(limits.tables ?? [])].map((table) => `'${database}.${table}':'project_id = ${limits.projectId}'`)).join(',')}}`,
  // The project for the row filter of the embedded engine's reader (embedded/config.ts).
  log_comment: String(limits.projectId),
  max_execution_time: limits.maxSeconds,
  timeout_overflow_mode: 'throw',
  max_memory_usage: String(limits.maxMemoryBytes),
  max_result_rows: String(limits.maxRows),
  ...(limits.maxThreads ? { max_threads: limits.maxThreads } : {}),
  result_overflow_mode: 'throw',
  // The only projection is for lookups by uuid. Considering it for a run takes the engine most of a millisecond.
  optimize_use_projections: 0,
  // The response is complete or an error. Otherwise an exception could follow half of the rows.
  wait_end_of_query: 1,
})

const STREAM_FORMATS: Readonly<Record<StreamFormat, string>> = { ndjson: 'JSONEachRow', csv: 'CSVWithNames' }

/** Quotes integers beyond 2^53 in a stream of JSON lines. */
const quotingIntegers = (): Transform => {
  const decoder = new StringDecoder()
  let rest = ''
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = rest + decoder.write(chunk)
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      done(null, quoteUnsafeIntegers(text.slice(0, end)))
    },
    flush(done) {
      done(null, quoteUnsafeIntegers(rest + decoder.end()))
    },
  })
}

/** Options for a node of a cluster. */
export interface NodeOptions {
  /** Settings of every statement. */
  readonly settings?: Settings
  /** Databases with the projects' tables. */
  readonly databases?: readonly string[]
  /** Resolves when a failed insert no longer runs on any node. Absent: inserts run on this server only. */
  readonly ended?: (queryId: string) => Promise<void>
}

/**
 * Creates a storage that uses ClickHouse's HTTP interface.
 * `connection` returns where the engine is at the moment, or `undefined` while it is unavailable.
 */
export const createClickhouse = (
  connection: () => Connection | undefined,
  { settings = {}, databases = ['db'], ended }: NodeOptions = {},
): Storage => {
  let current: Connection | undefined
  let clients: { writer: ClickhouseHttp; reader: ClickhouseHttp; worker: ClickhouseHttp } | undefined
  let closed = false

  const clientFor = (
    { url, headers }: Connection,
    account: Account | undefined,
    bounds: { timeoutMs: number; connections: number },
  ) => createClickhouseHttp({ url, headers, account, ...bounds })

  const closeClients = async () => {
    const old = clients
    clients = undefined
    await Promise.all([old?.writer.close(), old?.reader.close(), old?.worker.close()])
  }

  const connected = () => {
    const place = closed ? undefined : connection()
    if (!place) throw new StorageError('unavailable', 'The engine is not running')
    if (!clients || !isDeepStrictEqual(place, current)) {
      void closeClients()
      current = place
      clients = {
        writer: clientFor(place, place.writer, WRITES),
        reader: clientFor(place, place.reader ?? place.writer, READS),
        worker: clientFor(place, place.writer, WORK),
      }
    }
    return clients
  }

  /** Returns why the engine does not respond, or `undefined` if it does. */
  const ping = async (withinMs: number): Promise<Error | undefined> => {
    try {
      return (await connected().writer.ping(withinMs)) ? undefined : new Error('/ping does not respond with status 200')
    } catch (error) {
      return error as Error
    }
  }

  /** Runs a statement without a result. Resolves at the end of the response. */
  const execute = async (client: ClickhouseHttp, request: EngineRequest) => {
    const { body } = await client.send({ ...request, settings: { ...settings, ...request.settings } })
    await body.dump()
  }

  // A statement without a response may still be running, and an insert could finish after a retry has looked up its
  // rows.
  const settle = async (queryId: string) => {
    try {
      await execute(connected().writer, {
        text: 'KILL QUERY WHERE query_id = {id:String} SYNC',
        params: { id: queryId },
        settings: {},
      })
    } catch {
      // The engine is down, and the insert with it.
    }
  }

  // The engine does not end a query when its client disconnects.
  const endingWith = async <Value>(
    signal: AbortSignal | undefined,
    send: (queryId: string) => Promise<Value>,
    end = settle,
  ): Promise<Value> => {
    const queryId = randomUUID()
    try {
      return await send(queryId)
    } catch (error) {
      if (!signal?.aborted) throw toStorageError(error)
      await end(queryId)
      throw new StorageError('unavailable', 'The query was aborted')
    }
  }

  const storage: Storage = {
    rowsDatabase: 'db',
    run({ text, params }, limits, signal): Promise<Result> {
      return endingWith(signal, async (queryId) => {
        const { body } = await connected().reader.send({
          text,
          params,
          queryId,
          signal,
          settings: { ...settings, ...runSettings(limits, databases), default_format: 'JSONCompact' },
        })
        const json = await body.text()
        const { meta, data } = parseResponse(json)
        return { columns: meta, rows: data, textLength: json.length }
      })
    },

    stream({ text, params }, limits, format, signal) {
      return endingWith(signal, async (queryId) => {
        const { body, rowCount } = await connected().reader.send({
          text,
          params,
          queryId,
          signal,
          settings: { ...settings, ...runSettings(limits, databases), default_format: STREAM_FORMATS[format] },
        })
        // The engine does not apply max_result_rows to every query, such as one without a table.
        if (rowCount > limits.maxRows) {
          body.destroy()
          throw new StorageError('size', 'The result has too many rows')
        }
        return format === 'csv' ? body : pipeline(body, quotingIntegers(), () => {}) // Readers of the stream receive the error.
      })
    },

    async rows<Row>({ text, params }: { text: string; params?: Readonly<Record<string, unknown>> }): Promise<Row[]> {
      try {
        const { body } = await connected().writer.send({
          text,
          params,
          settings: {
            ...settings,
            ...RESULT_SETTINGS,
            default_format: 'JSONEachRow',
            max_query_size: '10000000',
            wait_end_of_query: 1,
          },
        })
        return (await body.text()).split('\n').flatMap((line) => (line ? [JSON.parse(line) as Row] : []))
      } catch (error) {
        throw toStorageError(error)
      }
    },

    async insert(table, rows, { skipsUnreadable = false } = {}) {
      const queryId = randomUUID()
      try {
        await execute(connected().writer, {
          text: `INSERT INTO ${table} FORMAT JSONEachRow`,
          rows: Buffer.isBuffer(rows) ? rows : Buffer.from(rows.join('\n')),
          queryId,
          settings: { ...INSERT_SETTINGS, ...(skipsUnreadable ? SKIP_UNREADABLE : {}), wait_end_of_query: 1 },
        })
      } catch (error) {
        const known = toStorageError(error, true)
        if (known instanceof StorageError && known.kind === 'unavailable') {
          if (ended) await ended(queryId)
          else if (!known.engineCode) await settle(queryId)
        }
        throw known
      }
    },

    async command(statement) {
      try {
        await execute(connected().writer, { text: statement, settings: { wait_end_of_query: 1 } })
      } catch (error) {
        throw toStorageError(error)
      }
    },

    work({ text, params }, { maxSeconds, maxMemoryBytes }: WorkLimits, signal) {
      return endingWith(
        signal,
        async (queryId) => {
          await execute(connected().worker, {
            text,
            params,
            queryId,
            signal,
            settings: {
              ...RESULT_SETTINGS,
              max_execution_time: maxSeconds,
              max_memory_usage: String(maxMemoryBytes),
              // A table with a row for each id has more groups than fit in memory. They spill to disk.
              max_bytes_before_external_group_by: String(Math.floor(maxMemoryBytes / 2)),
              max_query_size: '1000000',
              wait_end_of_query: 1,
            },
          })
        },
        ended,
      )
    },

    async ready(withinMs, onFailure = () => {}) {
      const deadline = Date.now() + withinMs
      for (;;) {
        // An engine that hangs accepts a connection and never responds.
        const failure = await ping(Math.min(PING_TIMEOUT_MS, Math.max(READY_POLL_MS, deadline - Date.now())))
        if (!failure) return true
        onFailure(failure)
        if (closed || Date.now() >= deadline) return false
        await pause(Math.min(READY_POLL_MS, Math.max(1, deadline - Date.now())))
      }
    },

    async close() {
      closed = true
      await closeClients()
    },
  }
  return storage
}
