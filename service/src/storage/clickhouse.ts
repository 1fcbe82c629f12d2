import { randomUUID } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { type Connection, createClickhouseClients, waitUntilReady } from './clickhouseClients.ts'
import { toStorageError } from './clickhouseErrors.ts'
import type { EngineResponse, Settings } from './clickhouseHttp.ts'
import { INSERT_SETTINGS, RESULT_SETTINGS, runSettings, SKIP_UNREADABLE } from './clickhouseSettings.ts'
import { createStatements } from './clickhouseStatements.ts'
import {
  type Progress,
  type Result,
  type RunLimits,
  type Storage,
  StorageError,
  type StreamFormat,
  type WorkLimits,
} from './storage.ts'
import { quoteUnsafeIntegers, quotingIntegers } from './unsafeIntegers.ts'

// The engine collects a response on its disk. If it cannot, it responds with 200, the number of rows and an empty body.
const notWritten = () => new StorageError('full', 'The engine could not write its response to its disk')

const readText = async (response: Promise<EngineResponse>): Promise<string> => {
  const { body, rowCount } = await response
  const text = await body.text()
  if (!text && rowCount) throw notWritten()
  return text
}

const parseResponse = (json: string): { meta: Result['columns']; data: Result['rows'] } => {
  try {
    return JSON.parse(quoteUnsafeIntegers(json)) as ReturnType<typeof parseResponse>
  } catch {
    if (!json) throw notWritten()
    throw new StorageError('unavailable', 'The response of the engine is truncated')
  }
}

/** Returns the body as a stream once its first bytes have arrived. */
const readStream = async ({ body, rowCount }: EngineResponse): Promise<Readable> => {
  if (!rowCount) return body
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  if (first.done) throw notWritten()
  const all = async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const stream = Readable.from(all(), { objectMode: false })
  // A generator that has not started does not end `chunks`, and the body would occupy its connection.
  stream.once('close', () => body.destroy())
  return stream
}

const STREAM_FORMATS: Readonly<Record<StreamFormat, string>> = { ndjson: 'JSONEachRow', csv: 'CSVWithNames' }

const ROWS_SETTINGS: Settings = {
  ...RESULT_SETTINGS,
  default_format: 'JSONEachRow',
  max_query_size: '10000000',
  wait_end_of_query: 1,
}

const PROGRESS = `SELECT count() AS n, sum(read_rows) AS read, sum(total_rows_approx) AS total, max(elapsed) AS elapsed
  FROM system.processes WHERE is_initial_query AND startsWith(query_id, {prefix:String})`

const readProgress = async (rows: Storage['rows'], prefix: string): Promise<Progress | undefined> => {
  const [row] = await rows<{ n: number; read: number; total: number; elapsed: number }>({
    text: PROGRESS,
    params: { prefix },
  })
  if (!row?.n) return undefined
  const { read, total, elapsed } = row
  return { readRows: read, totalRows: Math.max(read, total), elapsedMs: Math.round(elapsed * 1_000) }
}

/** Options for a node of a cluster. */
export interface NodeOptions {
  /** Settings of every statement. */
  readonly settings?: Settings
  /** Databases with the projects' tables. */
  readonly databases?: readonly string[]
  /** Maximum memory of a project's query on this server, which rejects larger limits. */
  readonly maxRunMemoryBytes?: number
  /** Resolves when a failed insert no longer runs on any node. Absent: inserts run on this server only. */
  readonly ended?: (queryId: string) => Promise<void>
}

/**
 * Creates a storage that uses ClickHouse's HTTP interface.
 * `connection` returns where the engine is at the moment, or `undefined` while it is unavailable.
 */
export const createClickhouse = (
  connection: () => Connection | undefined,
  { settings = {}, databases = ['db'], maxRunMemoryBytes = Infinity, ended }: NodeOptions = {},
): Storage => {
  const clients = createClickhouseClients(connection)
  const settingsOfRun = (limits: RunLimits): Settings => ({
    ...settings,
    ...runSettings({ ...limits, maxMemoryBytes: Math.min(limits.maxMemoryBytes, maxRunMemoryBytes) }, databases),
  })

  const { execute, settle, endingWith, reading } = createStatements(clients, settings)

  const storage: Storage = {
    rowsDatabase: 'db',
    run({ text, params }, limits, signal): Promise<Result> {
      return reading(
        signal,
        async (queryId) => {
          const json = await readText(
            clients.current().reader.send({
              text,
              params,
              queryId,
              signal,
              settings: { ...settingsOfRun(limits), default_format: 'JSONCompact' },
            }),
          )
          const { meta, data } = parseResponse(json)
          return { columns: meta, rows: data, textLength: json.length }
        },
        limits,
      )
    },

    stream({ text, params }, limits, format, signal) {
      return reading(
        signal,
        async (queryId) => {
          const response = await clients.current().reader.send({
            text,
            params,
            queryId,
            signal,
            settings: { ...settingsOfRun(limits), default_format: STREAM_FORMATS[format] },
          })
          // The engine does not apply max_result_rows to every query, such as one without a table.
          if (response.rowCount > limits.maxRows) {
            response.body.destroy()
            throw new StorageError('size', 'The result has too many rows')
          }
          const body = await readStream(response)
          return format === 'csv' ? body : pipeline(body, quotingIntegers(), () => {}) // Readers of the stream receive the error.
        },
        limits,
      )
    },

    rows<Row>({ text: query, params }: { text: string; params?: Readonly<Record<string, unknown>> }): Promise<Row[]> {
      return reading(undefined, async (queryId) => {
        const text = await readText(
          clients.current().writer.send({ text: query, params, queryId, settings: { ...settings, ...ROWS_SETTINGS } }),
        )
        return text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Row] : []))
      })
    },

    progress: ({ idPrefix }) => readProgress(storage.rows, idPrefix),

    async insert(table, rows, { skipsUnreadable = false } = {}) {
      const queryId = randomUUID()
      try {
        await execute(clients.current().writer, {
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
        await execute(clients.current().writer, { text: statement, settings: { wait_end_of_query: 1 } })
      } catch (error) {
        throw toStorageError(error)
      }
    },

    work({ text, params }, { maxSeconds, maxMemoryBytes }: WorkLimits, signal) {
      return endingWith(
        signal,
        async (queryId) => {
          await execute(clients.current().worker, {
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
        { end: ended },
      )
    },

    ready: (withinMs, onFailure) => waitUntilReady(clients, withinMs, onFailure),

    close: clients.close,
  }
  return storage
}
