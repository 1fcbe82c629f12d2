import { own, setOwn } from '../lib/own.ts'
import type { Fields } from '../lib/fields.ts'
import { createDayCounter, type DayCounts } from './dayCounts.ts'
import { ImportError } from './importError.ts'
import type { FileRow, RowFile } from './rows.ts'
import { derivedId, isPossible, REFUSALS, type Source } from './sources/source.ts'
import type { ImportPosition, ImportStore } from './store.ts'

/** An event in the form that the service receives. */
export interface DeliveredEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly properties: Fields
}

/** Delivers events. Resolves with the refused ones, by their index, once all others are stored. Rejects with `ImportError`. */
export type Deliver = (
  batch: readonly DeliveredEvent[],
) => Promise<readonly { readonly index: number; readonly code: string; readonly detail: string }[]>

/** A row that is not imported. */
export interface RefusedRow {
  readonly file: string
  readonly line: number
  readonly code: string
  readonly detail: string
}

export interface ImportRun {
  readonly id: string
  readonly source: Source
  readonly files: readonly RowFile[]
  readonly position: ImportPosition
  /** Counts by day and event at the position. */
  readonly days: DayCounts
  readonly store: Pick<ImportStore, 'change'>
  readonly deliver: Deliver
  readonly onRefused: (row: RefusedRow) => void
  readonly onProgress: (position: ImportPosition) => void
  /** Maximum events per second, so that an import does not hurt what arrives meanwhile. */
  readonly rate: number
  readonly pause: (ms: number) => Promise<void>
  /** Whether somebody has stopped the import. */
  readonly isStopped: () => Promise<boolean>
}

const BATCH_EVENTS = 1_000
const BATCH_BYTES = 4_000_000
/** Number of recent rows that are compared to distinguish equal rows without an id. */
const KNOWN_KEYS = 100_000

const FAULTS: Readonly<Record<string, string>> = {
  ...REFUSALS,
  invalid_json: 'The row is not JSON.',
  row_too_long: 'The row has more than 4 MB.',
  wrong_cells: 'The row has another number of cells than the header.',
}

/** Numbers equal rows, so that each is a separate event, even if the file is imported again. */
const createOrdinals = () => {
  let [recent, before] = [new Map<string, number>(), new Map<string, number>()]
  return (key: string): number => {
    const ordinal = (recent.get(key) ?? before.get(key) ?? -1) + 1
    recent.set(key, ordinal)
    if (recent.size >= KNOWN_KEYS) [recent, before] = [new Map<string, number>(), recent]
    return ordinal
  }
}

interface Waiting {
  readonly line: number
  readonly event: DeliveredEvent
}

interface ReadEvent {
  readonly event: DeliveredEvent
  readonly day: string | undefined
}

/** Returns a function from a row to its event. A string: why it is not imported. */
const createRead = ({ id, source }: ImportRun) => {
  const ordinalOf = createOrdinals()
  return (value: FileRow['value']): ReadEvent | string => {
    if (typeof value === 'string') return value
    const read = source.read(value)
    if (typeof read === 'string') return read
    if (!isPossible(read.timestamp)) return 'impossible_time'
    const whole = () => {
      const key = derivedId(source.name, JSON.stringify(value), read.timestamp)
      return `${key} ${ordinalOf(key)}`
    }
    const event = {
      uuid: read.uuid ?? derivedId(source.name, read.key ?? whole(), read.timestamp),
      event: read.event,
      distinct_id: read.distinctId,
      timestamp: new Date(read.timestamp).toISOString(),
      properties: { ...read.properties, $import_id: id },
    }
    return { event, day: read.day }
  }
}

/** Imports files, starting at a position. Stores the position after each delivery. Rejects with `ImportError`. */
export const runImport = async (run: ImportRun): Promise<ImportPosition> => {
  const { id, source, files, store, deliver, onRefused, onProgress, rate, pause, isStopped } = run
  let { position } = run
  const days = createDayCounter(run.days)

  const note = async (next: ImportPosition) => {
    position = next
    await store.change(id, { position, days: days.counts() })
    onProgress(position)
  }

  const importFile = async (file: RowFile) => {
    const read = createRead(run)
    const first = position.line
    let batch: Waiting[] = []
    let refused: RefusedRow[] = []
    let [rows, bytes] = [0, 0]
    const refuse = (line: number, code: string, detail = own(FAULTS, code) ?? code) =>
      void refused.push({ file: file.name, line, code, detail })

    const flush = async (line: number) => {
      const startedAt = performance.now()
      const rejected = batch.length ? await deliver(batch.map(({ event }) => event)) : []
      for (const { index, code, detail } of rejected) {
        const { line: at, event } = batch[index]!
        refuse(at, code, detail)
        days.refused(event.timestamp, event.event)
      }
      const { counts } = position
      const byCode: Record<string, number> = { ...counts.refused }
      for (const row of refused) {
        setOwn(byCode, row.code, (own(byCode, row.code) ?? 0) + 1)
        onRefused(row)
      }
      await note({
        ...position,
        line,
        counts: {
          read: counts.read + rows,
          accepted: counts.accepted + batch.length - rejected.length,
          refused: byCode,
        },
      })
      const earliest = (batch.length / rate) * 1_000 - (performance.now() - startedAt)
      batch = []
      refused = []
      rows = bytes = 0
      if (earliest > 0) await pause(earliest)
    }

    const take = (at: number, { event, day }: ReadEvent) => {
      days.read(event.timestamp, event.event, day)
      batch.push({ line: at, event })
      bytes += JSON.stringify(event).length
    }
    const partsOf = (value: FileRow['value']): readonly FileRow['value'][] => {
      const parts = typeof value === 'string' ? value : source.parts ? source.parts(value) : [value]
      return typeof parts === 'string' ? [parts] : parts
    }

    let line = first
    const all = file.rows()
    for (;;) {
      const next = await all.next().catch(async (error: unknown) => {
        // Deliver the rows that precede the damage.
        if (rows) await flush(line)
        throw error
      })
      if (next.done) break
      const row = next.value
      const found = partsOf(row.value).map(read)
      // These rows were delivered already. They are read again only to number equal rows.
      if (row.line <= first) continue
      line = row.line
      rows += found.length
      for (const each of found) {
        if (typeof each === 'string') refuse(line, each)
        else take(line, each)
      }
      if (batch.length < BATCH_EVENTS && bytes < BATCH_BYTES && refused.length < BATCH_EVENTS) continue
      await flush(line)
      if (await isStopped()) throw new ImportError('it was stopped')
    }
    if (rows) await flush(line)
  }

  for (const file of files) {
    if (position.files.includes(file.name)) continue
    try {
      await importFile(file)
    } catch (error) {
      throw new ImportError(
        `${file.name}, after row ${position.line}: ${(error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'the file is cut off' : (error as Error).message}`,
        { cause: error },
      )
    }
    await note({ ...position, files: [...position.files, file.name], line: 0 })
  }
  return position
}
