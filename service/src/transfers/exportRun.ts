import type { Exporter, PeopleData } from './export.ts'
import type { EventSelection, ExportFormat } from './exportQueries.ts'
import type { Target } from './targets.ts'

/** Kinds of data in an export. */
export const EXPORT_DATA = ['events', 'persons', 'distinct_ids', 'deletions'] as const
export type ExportData = (typeof EXPORT_DATA)[number]

export interface ExportRequest {
  readonly projectId: number
  readonly format: ExportFormat
  readonly data: readonly ExportData[]
  readonly selection: Omit<EventSelection, 'since' | 'until'>
  /** Whether only what was stored since the last increment is exported. */
  readonly isIncrement: boolean
  /** ms since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
  /** Called after each file. */
  readonly progress: (file: ExportedFile) => void
}

export interface ExportedFile {
  readonly path: string
  /** Number of events. Absent: not a file of events. */
  readonly events?: number
}

/** Manifest of an export. It is also stored in the target. */
export interface Manifest {
  readonly format: 1
  readonly project: number
  readonly since: string | null
  readonly until: string
  readonly selection: Omit<EventSelection, 'since' | 'until'>
  readonly files: readonly ExportedFile[]
  readonly events: number
}

/** The target contains the increments of another export. */
export class OtherExport extends Error {
  override name = 'OtherExport'
}

// Rows of several processes become visible within this time, out of the order of their arrival.
const LAG_MS = 5 * 60_000

const LATEST = 'latest.json'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Returns until when the last increment has everything. Throws `OtherExport` if it has other events. */
const lastUntil = async (target: Target, { projectId, selection }: ExportRequest): Promise<string | undefined> => {
  const text = await target.read(LATEST)
  if (text === undefined) return undefined
  const latest = JSON.parse(text) as Manifest
  if (latest.project !== projectId || !isSame(latest.selection, JSON.parse(JSON.stringify(selection))))
    throw new OtherExport(`project ${latest.project}, ${JSON.stringify(latest.selection)}`)
  return latest.until
}

/**
 * Writes an export to a target: events by day, then the other files, then a manifest. A failed run leaves no manifest,
 * and the next one writes the same files again.
 */
export const runExport = async (exporter: Exporter, target: Target, request: ExportRequest): Promise<Manifest> => {
  const { projectId, format, data, selection, isIncrement, now, signal, progress } = request
  const since = isIncrement ? await lastUntil(target, request) : undefined
  const until = new Date(isIncrement ? now - LAG_MS : now).toISOString()
  // Names that sort by time. An increment that is repeated begins at the same watermark, so it replaces its files.
  const run = (since ?? (isIncrement ? 'first' : until)).replace(/[-:.]/g, '')
  const files: ExportedFile[] = []
  const add = async (file: ExportedFile, body: Parameters<Target['write']>[1]) => {
    await target.write(file.path, body)
    files.push(file)
    progress(file)
  }
  const all = { ...selection, since, until }
  if (data.includes('events'))
    for (const part of await exporter.parts(projectId, all, true, signal)) {
      const share = String(part.share).padStart(4, '0')
      await add(
        { path: `events/date=${part.firstDay}/${run}-${share}.${format}`, events: part.events },
        await exporter.part(projectId, all, part, format, signal),
      )
    }
  for (const each of ['persons', 'distinct_ids'] as const satisfies readonly PeopleData[])
    if (data.includes(each))
      await add({ path: `${each}/${run}.${format}` }, await exporter.people(projectId, each, format, signal))
  if (data.includes('deletions')) await add({ path: `deletions/${run}.jsonl` }, await exporter.deletions(projectId))
  const manifest: Manifest = {
    format: 1,
    project: projectId,
    since: since ?? null,
    until,
    selection,
    files,
    events: files.reduce((sum, { events = 0 }) => sum + events, 0),
  }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await target.write(`manifests/${run}.json`, text)
  // Last: the watermark moves only when everything before it is written.
  if (isIncrement) await target.write(LATEST, text)
  return manifest
}
