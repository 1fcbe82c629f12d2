import { Readable } from 'node:stream'
import { ApiError } from '../lib/apiError.ts'
import type { Journal } from '../retention/journalFile.ts'
import { toLines } from '../retention/journalFile.ts'
import {
  type RunLimits,
  type Statement,
  type Storage,
  StorageError,
  storageApiError,
  type StreamFormat,
} from '../storage/storage.ts'
import {
  daysStatement,
  type EventSelection,
  eventsStatement,
  type ExportFormat,
  idsStatement,
  type Part,
  PART_EVENTS,
  partsOf,
  personsStatement,
} from './exportQueries.ts'

/** Optional data of an export, besides events. */
export const PEOPLE_DATA = ['persons', 'distinct_ids'] as const
export type PeopleData = (typeof PEOPLE_DATA)[number]

/** Reads what is exported. Each method rejects with `ApiError`. */
export interface Exporter {
  /** Returns the parts of a selection. `isByDay`: no part has events of two days. */
  parts(projectId: number, selection: EventSelection, isByDay: boolean, signal: AbortSignal): Promise<readonly Part[]>
  /** Returns one part as a separate file. */
  part(
    projectId: number,
    selection: EventSelection,
    part: Part,
    format: ExportFormat,
    signal: AbortSignal,
  ): Promise<Readable>
  /** Returns all events of a selection as one file. A Parquet file has one part at most. */
  events(projectId: number, selection: EventSelection, format: ExportFormat, signal: AbortSignal): Promise<Readable>
  people(projectId: number, data: PeopleData, format: ExportFormat, signal: AbortSignal): Promise<Readable>
  /** Returns a project's erasures as lines of JSON. */
  deletions(projectId: number): Promise<string>
}

export interface ExporterOptions {
  readonly storage: Pick<Storage, 'run' | 'stream'>
  readonly journal: () => Promise<Journal>
  readonly maxMemoryBytes: number
}

const MAX_SECONDS = 60
const MAX_DAYS = 200_000
const MAX_DAYS_BYTES = 20_000_000
const MAX_ROWS = 1_000_000_000

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof StorageError)) return error
  const isTooExpensive = error.kind === 'timeout' || error.kind === 'memory' || error.kind === 'size'
  return storageApiError(error) ?? (isTooExpensive ? new ApiError('query_timeout', { retryAfterSeconds: 5 }) : error)
}

const PEOPLE_STATEMENTS = { persons: personsStatement, distinct_ids: idsStatement }

export const createExporter = ({ storage, journal, maxMemoryBytes }: ExporterOptions): Exporter => {
  const limitsOf = (projectId: number): RunLimits => ({
    projectId,
    maxSeconds: MAX_SECONDS,
    maxMemoryBytes,
    maxRows: MAX_ROWS,
    tables: ['person_distinct_ids', 'person_properties'],
  })

  const stream = async (projectId: number, statement: Statement, format: StreamFormat, signal: AbortSignal) => {
    try {
      return await storage.stream(statement, limitsOf(projectId), format, signal)
    } catch (error) {
      throw toApiError(error)
    }
  }

  const parts: Exporter['parts'] = async (projectId, selection, isByDay, signal) => {
    try {
      const { rows } = await storage.run(
        daysStatement(projectId, selection),
        { ...limitsOf(projectId), maxRows: MAX_DAYS, maxBytes: MAX_DAYS_BYTES },
        signal,
      )
      return partsOf(
        rows.map(([day, events]) => [String(day), Number(events)] as const),
        isByDay,
      )
    } catch (error) {
      throw toApiError(error)
    }
  }

  const part = (
    projectId: number,
    selection: EventSelection,
    one: Part,
    format: ExportFormat,
    signal: AbortSignal,
    streamFormat: StreamFormat = format,
  ) => stream(projectId, eventsStatement(projectId, selection, one, format), streamFormat, signal)

  return {
    parts,
    part: (projectId, selection, one, format, signal) => part(projectId, selection, one, format, signal),
    async events(projectId, selection, format, signal) {
      const all = await parts(projectId, selection, false, signal)
      const events = all.reduce((sum, each) => sum + each.events, 0)
      if (format === 'parquet' && all.length > 1)
        throw new ApiError('invalid_input', {
          attr: 'format',
          detail: `These are ${events} events, and one Parquet file has at most about ${PART_EVENTS}. Request a shorter time, or use "trailmark export", which writes several files.`,
        })
      // A file without rows has a header, too.
      const [first = { firstDay: '2000-01-01', lastDay: '2000-01-01', events: 0, share: 0, shares: 1 }, ...others] = all
      // The first statement runs before the response begins, so that most errors have a status.
      const begin = await part(projectId, selection, first, format, signal)
      const rest = async function* () {
        yield* begin
        for (const each of others)
          yield* await part(projectId, selection, each, format, signal, format === 'csv' ? 'csv_rows' : format)
      }
      const body = Readable.from(rest(), { objectMode: false })
      body.once('close', () => begin.destroy())
      return body
    },
    people: (projectId, data, format, signal) =>
      stream(projectId, PEOPLE_STATEMENTS[data](projectId, format), format, signal),
    async deletions(projectId) {
      const { erasures, deletions } = await journal()
      const isOwn = (each: { readonly projectId: number }) => each.projectId === projectId
      return toLines({ erasures: erasures.filter(isOwn), deletions: deletions.filter(isOwn) })
    },
  }
}
