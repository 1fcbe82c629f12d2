import { randomUUID } from 'node:crypto'
import { pipeline, Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { isDeepStrictEqual } from 'node:util'
import { pause } from '../lib/wait.ts'
import { type ClickhouseHttp, createClickhouseHttp, EngineError, type Settings } from './clickhouseHttp.ts'
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

/** Where the engine is, and as whom to speak to it. Another one means another engine: what is asked of the one before is given up. */
export interface Connection {
  readonly url: string
  /** Account that may create tables and insert. Defaults to the user of the URL. */
  readonly writer?: Account
  /** May read events and nothing else. */
  readonly reader?: Account
  readonly headers?: Readonly<Record<string, string>>
}

// Short of the 60 s after which the SDKs give up on a request.
const WRITES = { timeoutMs: 30_000, connections: 32 }
// Longer than any query may run; and more at once than the gate lets through (storage/gate.ts), so that none waits here.
const READS = { timeoutMs: 70_000, connections: 80 }
// A table is built in the background, however long that takes. Two are (storage/gate.ts), and the writer's own deletions wait for none.
const WORK = { timeoutMs: 3_600_000, connections: 4 }
const READY_POLL_MS = 50
const PING_TIMEOUT_MS = 2_000

/** What the engine's error names mean to us. A name without a row is the statement's fault. */
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

/** Errors of an insert that say that the rows themselves cannot be stored; anything else may pass another time. */
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

/** Keys and values of `properties` come back as they were sent. */
const FAITHFUL_JSON: Settings = {
  // Keys may contain dots; a path may not.
  json_type_escape_dots_in_keys: 1,
}

const INSERT_SETTINGS: Settings = {
  ...FAITHFUL_JSON,
  // "2024-01-01T00:00:00Z" stays that string; as a DateTime it would come back in another spelling.
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // [true, 1] stays that list; otherwise it becomes [1, 1].
  input_format_json_read_bools_as_numbers: 0,
  // Two keys that differ only in how a dot is spelled must not sink the batch.
  type_json_skip_duplicated_paths: 1,
  date_time_input_format: 'best_effort',
  // A batch is stored as one block, so that it is stored whole or not at all.
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

/** JSON text whose integers beyond 2^53 are strings, so that parsing it changes no digit. */
export const quoteUnsafeIntegers = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (token) =>
        token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
      )
    : text

// Node's errors of a connection carry a code; the client's own timeout does not.
const isConnectionError = (error: Error) =>
  typeof (error as NodeJS.ErrnoException).code === 'string' || /timeout|socket|aborted/i.test(error.message)

// A server may close an idle connection at the moment it is used again. Only what changes nothing is then asked again.
const isClosedConnection = (error: unknown) =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

// The engine has one name for a query over its own limit and for an engine whose queries together are over its.
const isShared = (name: string, message: string) =>
  name === 'MEMORY_LIMIT_EXCEEDED' && /\(total\)|memory limit for user|User memory/i.test(message)

// What the engine passes on from the system has names of many kinds, such as CANNOT_WRITE_TO_FILE_DESCRIPTOR.
const isFull = (name: string, message: string) =>
  KINDS[name] === 'full' || /No space left on device|errno: (?:28|122)\b/.test(message)

const toStorageError = (error: unknown, inserting = false): unknown => {
  if (error instanceof EngineError) {
    const name = error.code
    if (isFull(name, error.message)) return new StorageError('full', error.message, name)
    // What is not known may be the rows' fault: the writer finds out whose. An error without a name is a server's in between.
    if (inserting) {
      const kind = DATA_ERRORS.has(name) ? 'data' : !name || name in KINDS ? 'unavailable' : 'query'
      return new StorageError(kind, error.message, name)
    }
    return new StorageError(isShared(name, error.message) ? 'capacity' : (KINDS[name] ?? 'query'), error.message, name)
  }
  if (error instanceof StorageError || !(error instanceof Error) || !isConnectionError(error)) return error
  return new StorageError('unavailable', error.message)
}

// An engine that cannot write to its disk answers 200 and nothing more.
const parseAnswer = (json: string): { meta: Result['columns']; data: Result['rows'] } => {
  try {
    return JSON.parse(quoteUnsafeIntegers(json)) as ReturnType<typeof parseAnswer>
  } catch {
    throw new StorageError('unavailable', 'The answer of the engine is cut off')
  }
}

/** What a project's query may see and use up. `databases`: every one that has the projects' tables. */
const runSettings = (limits: RunLimits, databases: readonly string[]): Settings => ({
  ...RESULT_SETTINGS,
  readonly: '1',
  additional_table_filters: `{${databases.flatMap((database) => [...PROJECT_TABLES, ...(limits.tables ?? [])].map((table) => `'${database}.${table}':'project_id = ${limits.projectId}'`)).join(',')}}`,
  // Says to the embedded reader's row filter which project asks; see embedded/config.ts.
  log_comment: String(limits.projectId),
  max_execution_time: limits.maxSeconds,
  timeout_overflow_mode: 'throw',
  max_memory_usage: String(limits.maxMemoryBytes),
  max_result_rows: String(limits.maxRows),
  ...(limits.maxThreads ? { max_threads: limits.maxThreads } : {}),
  result_overflow_mode: 'throw',
  // The one that there is serves the writer's look-ups by uuid; looking whether it serves a run takes the engine most of a millisecond.
  optimize_use_projections: 0,
  // One answer, complete or an error: an exception must not follow half of the rows.
  wait_end_of_query: 1,
})

const STREAM_FORMATS: Readonly<Record<StreamFormat, string>> = { ndjson: 'JSONEachRow', csv: 'CSVWithNames' }

/** Passes lines of JSON on with their integers beyond 2^53 as strings. */
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

/** What is different about a node of a cluster. */
export interface NodeOptions {
  /** Settings of every statement. */
  readonly settings?: Settings
  /** Databases that have the projects' tables. */
  readonly databases?: readonly string[]
  /** Resolves when nothing of an insert that failed runs on any node. Absent: inserts run on this server alone. */
  readonly ended?: (queryId: string) => Promise<void>
}

/**
 * Storage over ClickHouse's HTTP interface.
 * `connection` answers where the engine is at the moment, or `undefined` while it is away.
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

  /** Why the engine does not answer; `undefined` if it does. */
  const ping = async (withinMs: number): Promise<Error | undefined> => {
    try {
      return (await connected().writer.ping(withinMs)) ? undefined : new Error('/ping is not answered with status 200')
    } catch (error) {
      return error as Error
    }
  }

  /** Asks and waits for the end of the answer, which says nothing. */
  const order = async (client: ClickhouseHttp, question: Parameters<ClickhouseHttp['ask']>[0]) => {
    const { body } = await client.ask({ ...question, settings: { ...settings, ...question.settings } })
    await body.dump()
  }

  // A statement whose answer never came may still be running; an insert would land after a retry has looked for its rows.
  const settle = async (queryId: string) => {
    try {
      await order(connected().writer, {
        text: 'KILL QUERY WHERE query_id = {id:String} SYNC',
        params: { id: queryId },
        settings: {},
      })
    } catch {
      // The engine is gone, and the insert with it.
    }
  }

  // The engine goes on with a query whose client has gone.
  const endingWith = async <Answer>(
    signal: AbortSignal | undefined,
    ask: (queryId: string) => Promise<Answer>,
    end = settle,
    isRepeatable = false,
  ): Promise<Answer> => {
    const queryId = randomUUID()
    try {
      return await ask(queryId)
    } catch (error) {
      if (!signal?.aborted) {
        if (isRepeatable && isClosedConnection(error)) return endingWith(signal, ask, end)
        throw toStorageError(error)
      }
      await end(queryId)
      throw new StorageError('unavailable', 'The query was given up')
    }
  }

  /** Asks for rows, a second time if the connection was closed meanwhile. */
  const reading = <Answer>(signal: AbortSignal | undefined, ask: (queryId: string) => Promise<Answer>) =>
    endingWith(signal, ask, settle, true)

  const storage: Storage = {
    rowsDatabase: 'db',
    run({ text, params }, limits, signal): Promise<Result> {
      return reading(signal, async (queryId) => {
        const { body } = await connected().reader.ask({
          text,
          params,
          queryId,
          signal,
          settings: { ...settings, ...runSettings(limits, databases), default_format: 'JSONCompact' },
        })
        const json = await body.text()
        const { meta, data } = parseAnswer(json)
        return { columns: meta, rows: data, textLength: json.length }
      })
    },

    stream({ text, params }, limits, format, signal) {
      return reading(signal, async (queryId) => {
        const { body, rowCount } = await connected().reader.ask({
          text,
          params,
          queryId,
          signal,
          settings: { ...settings, ...runSettings(limits, databases), default_format: STREAM_FORMATS[format] },
        })
        // The engine does not hold every query to max_result_rows: not one without a table, for instance.
        if (rowCount > limits.maxRows) {
          body.destroy()
          throw new StorageError('size', 'The result has too many rows')
        }
        return format === 'csv' ? body : pipeline(body, quotingIntegers(), () => {}) // Readers of the stream receive the error.
      })
    },

    rows<Row>({ text, params }: { text: string; params?: Readonly<Record<string, unknown>> }): Promise<Row[]> {
      return reading(undefined, async (queryId) => {
        const { body } = await connected().writer.ask({
          text,
          params,
          queryId,
          settings: {
            ...settings,
            ...RESULT_SETTINGS,
            default_format: 'JSONEachRow',
            max_query_size: '10000000',
            wait_end_of_query: 1,
          },
        })
        return (await body.text()).split('\n').flatMap((line) => (line ? [JSON.parse(line) as Row] : []))
      })
    },

    async insert(table, rows, { skipsUnreadable = false } = {}) {
      const queryId = randomUUID()
      try {
        await order(connected().writer, {
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
        await order(connected().writer, { text: statement, settings: { wait_end_of_query: 1 } })
      } catch (error) {
        throw toStorageError(error)
      }
    },

    work({ text, params }, { maxSeconds, maxMemoryBytes }: WorkLimits, signal) {
      return endingWith(
        signal,
        async (queryId) => {
          await order(connected().worker, {
            text,
            params,
            queryId,
            signal,
            settings: {
              ...RESULT_SETTINGS,
              max_execution_time: maxSeconds,
              max_memory_usage: String(maxMemoryBytes),
              // A table with a row for each id has more groups than fit in memory: they spill to disk.
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
        // An engine that hangs takes a connection and never answers.
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
