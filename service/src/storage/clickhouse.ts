import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream'
import { type Connection, createClickhouseClients, waitUntilReady } from './clickhouseClients.ts'
import { toStorageError } from './clickhouseErrors.ts'
import type { Settings } from './clickhouseHttp.ts'
import {
  INSERT_SETTINGS,
  RESULT_SETTINGS,
  resultBytes,
  runSettings,
  seenSettings,
  type SeeingRun,
  SKIP_UNREADABLE,
} from './clickhouseSettings.ts'
import { createStatements } from './clickhouseStatements.ts'
import { createRunMemory } from './runMemory.ts'
import { readResult, readRows, readStream } from './readResponse.ts'
import {
  type Progress,
  type ReadBounds,
  type RunLimits,
  type SeenRowsOf,
  type Statement,
  type Storage,
  StorageError,
  type StreamFormat,
  type WorkLimits,
} from './storage.ts'
import { quotingIntegers } from './unsafeIntegers.ts'

const ISO_TIMES: Settings = { date_time_output_format: 'iso' }

const STREAM_FORMATS: Readonly<Record<StreamFormat, Settings>> = {
  ndjson: { default_format: 'JSONEachRow' },
  csv: { default_format: 'CSVWithNames' },
  jsonl: { default_format: 'JSONEachRow', ...ISO_TIMES },
  csv_rows: { default_format: 'CSV' },
  parquet: { default_format: 'Parquet', output_format_parquet_compression_method: 'zstd' },
}

const ROWS_SETTINGS: Settings = {
  ...RESULT_SETTINGS,
  default_format: 'JSONEachRow',
  max_query_size: '10000000',
  wait_end_of_query: 1,
}

const PROGRESS = `SELECT count() AS n, sum(read_rows) AS read, sum(total_rows_approx) AS total, max(elapsed) AS elapsed
  FROM system.processes WHERE is_initial_query AND startsWith(query_id, {prefix:String})`

const MAX_PROGRESS_BYTES = 10_000

const readProgress = async (
  rows: Storage['rows'],
  prefix: string,
  signal: AbortSignal,
): Promise<Progress | undefined> => {
  const [row] = await rows<{ n: number; read: number; total: number; elapsed: number }>(
    { text: PROGRESS, params: { prefix } },
    { maxBytes: MAX_PROGRESS_BYTES, signal },
  )
  if (!row?.n) return undefined
  const { read, total, elapsed } = row
  return { readRows: read, totalRows: Math.max(read, total), elapsedMs: Math.round(elapsed * 1_000) }
}

/** Options for a server, or a node of a cluster. */
export interface NodeOptions {
  /** Names of the projects' tables. */
  readonly tables: readonly string[]
  /** Settings of every statement. */
  readonly settings?: Settings
  /** Databases with the projects' tables. The last one has the rows of this server. */
  readonly databases?: readonly string[]
  /** Maximum memory of a project's query on this server, which rejects larger limits. */
  readonly maxRunMemoryBytes?: number
  /** Returns which rows a project's queries see. Default: all. */
  readonly seenRows?: SeenRowsOf
  /** Resolves when a failed insert no longer runs on any node. Absent: inserts run on this server only. */
  readonly ended?: (queryId: string) => Promise<void>
}

const ALL_ROWS = {}
const seesAll: SeenRowsOf = async () => ALL_ROWS

/**
 * Creates a storage that uses ClickHouse's HTTP interface.
 * `connection` returns where the engine is at the moment, or `undefined` while it is unavailable.
 */
export const createClickhouse = (
  connection: () => Connection | undefined,
  { tables, settings = {}, databases = ['db'], maxRunMemoryBytes = Infinity, seenRows = seesAll, ended }: NodeOptions,
): Storage => {
  const clients = createClickhouseClients(connection)
  const rowsDatabase = databases.at(-1)!
  const seeing = async <Limits extends RunLimits>(limits: Limits): Promise<SeeingRun<Limits>> => ({
    ...limits,
    seen: await seenRows(limits.projectId),
  })
  const seenBy = async ({ seenBy: projectId }: Statement): Promise<Settings> =>
    projectId === undefined ? {} : seenSettings(databases, await seenRows(projectId))
  const settingsOfRun = (statement: Statement, limits: SeeingRun): Settings => ({
    ...settings,
    ...runSettings(
      statement,
      { ...limits, maxMemoryBytes: Math.min(limits.maxMemoryBytes, maxRunMemoryBytes) },
      databases,
      tables,
    ),
  })

  const remembered = createRunMemory((statement, limits) => ({
    ...settingsOfRun(statement, limits),
    ...resultBytes(limits.maxBytes),
    default_format: 'JSONCompact',
  }))

  const { execute, settle, endingWith, reading } = createStatements(clients, settings)

  const storage: Storage = {
    rowsDatabase,
    run(statement, limits, signal) {
      const { text, params } = statement
      return reading(
        signal,
        async (queryId) => {
          const { settings: settingsNow, note } = remembered(statement, await seeing(limits))
          const response = await clients
            .current()
            .reader.send({ text, params, queryId, signal, settings: settingsNow() })
          note(response.read)
          return readResult(response, { maxBytes: limits.maxBytes, client: String(limits.projectId) })
        },
        limits,
      )
    },

    stream(statement, limits, format, signal) {
      const { text, params } = statement
      return reading(
        signal,
        async (queryId) => {
          const response = await clients.current().reader.send({
            text,
            params,
            queryId,
            signal,
            settings: { ...settingsOfRun(statement, await seeing(limits)), ...STREAM_FORMATS[format] },
          })
          // The engine does not apply max_result_rows to every query, such as one without a table.
          if (response.rowCount > limits.maxRows) {
            response.body.destroy()
            throw new StorageError('size', 'The result has too many rows')
          }
          const body = await readStream(response, String(limits.projectId))
          return format === 'ndjson' ? pipeline(body, quotingIntegers(), () => {}) : body // Readers of the stream receive the error.
        },
        limits,
      )
    },

    rows<Row>(statement: Statement, { maxBytes, signal }: ReadBounds): Promise<Row[]> {
      const { text, params } = statement
      return reading(signal, async (queryId) =>
        readRows<Row>(
          await clients.current().writer.send({
            text,
            params,
            queryId,
            signal,
            settings: { ...settings, ...ROWS_SETTINGS, ...resultBytes(maxBytes), ...(await seenBy(statement)) },
          }),
          { maxBytes, client: String(Number(params?.projectId ?? 0)) },
        ),
      )
    },

    progress: ({ idPrefix }, signal) => readProgress(storage.rows, idPrefix, signal),

    async insert(table, rows, { skipsUnreadable = false, format = 'JSONEachRow', settings: more = {} } = {}) {
      const queryId = randomUUID()
      try {
        await execute(clients.current().writer, {
          text: `INSERT INTO ${table} FORMAT ${format}`,
          rows: Buffer.isBuffer(rows) ? rows : Buffer.from(rows.join('\n')),
          queryId,
          settings: { ...INSERT_SETTINGS, ...(skipsUnreadable ? SKIP_UNREADABLE : {}), ...more, wait_end_of_query: 1 },
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

    work(statement, { maxSeconds, maxMemoryBytes }: WorkLimits, signal) {
      const { text, params } = statement
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
              ...(await seenBy(statement)),
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

    remove({ table, where, params }, limits) {
      const text = `ALTER TABLE ${rowsDatabase}.${table} DELETE WHERE project_id = {projectId:UInt32} AND (${where}) SETTINGS mutations_sync = 2`
      return storage.work({ text, params }, limits)
    },

    ready: (withinMs, onFailure) => waitUntilReady(clients, withinMs, onFailure),

    close: clients.close,
  }
  return storage
}
