import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withEvents } from '../backup/eventStore.ts'
import { readJournal } from '../retention/journalFile.ts'
import { createDeletionStore, createErasureStore, createRetentionStore } from '../retention/store.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { createExporter } from '../transfers/export.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../transfers/exportQueries.ts'
import { EXPORT_DATA, type ExportData, type ExportRequest, OtherExport, runExport } from '../transfers/exportRun.ts'
import { S3Refused, s3Options, s3Target } from '../transfers/s3.ts'
import { folderTarget, type Target } from '../transfers/targets.ts'
import { type Command, type CommandCall, CommandError, type CommandResult } from './command.ts'
import { PROJECT_OPTION, projectOf } from './projectOption.ts'
import { withMetadata } from './store.ts'

// Half of the memory of the smallest engine.
const MAX_MEMORY_BYTES = 400_000_000

const choicesIn = <Value extends string>(
  option: string,
  text: unknown,
  choices: readonly Value[],
  fallback: string,
) => {
  const given = (typeof text === 'string' ? text : fallback).split(',')
  const wrong = given.find((each) => !(choices as readonly string[]).includes(each))
  if (wrong !== undefined) throw new CommandError(`--${option} expects ${choices.join(', ')}, got "${wrong}".`)
  return given as Value[]
}

const timeOf = (option: string, text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined
  const at = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(at))
    throw new CommandError(`--${option} expects a time such as 2026-01-31 or 2026-01-31T12:00:00Z, got "${text}".`)
  return new Date(at).toISOString()
}

const requestOf = async (call: CommandCall, metadata: Metadata): Promise<ExportRequest> => {
  const { options } = call
  const [format] = choicesIn('format', options.format, EXPORT_FORMATS, 'parquet') as [ExportFormat]
  const isIncrement = options.new === true
  const [from, to] = [timeOf('from', options.from), timeOf('to', options.to)]
  return {
    projectId: await projectOf(call, metadata),
    format,
    data: choicesIn<ExportData>('only', options.only, EXPORT_DATA, EXPORT_DATA.join(',')),
    selection: {
      events: typeof options.event === 'string' ? options.event.split(',') : [],
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
    },
    isIncrement,
    now: Date.now(),
    signal: new AbortController().signal,
    progress: ({ path, events }) =>
      void process.stderr.write(`${path}${events === undefined ? '' : ` (${events} events)`}\n`),
  }
}

/** Returns the target for an argument: a folder or a bucket. */
const targetOf = (word: string): { readonly target: Target; readonly place: string } => {
  if (!word.startsWith('s3://')) return { target: folderTarget(resolve(word)), place: resolve(word) }
  const options = s3Options(word, process.env)
  if (typeof options === 'string') throw new CommandError(`the target ${word} ${options}.`)
  return { target: s3Target(options), place: word }
}

/** Writes events to the standard output. */
const toOutput = async (
  request: ExportRequest,
  exporter: ReturnType<typeof createExporter>,
): Promise<CommandResult> => {
  const { projectId, selection, format, signal, now } = request
  const body = await exporter.events(projectId, { ...selection, until: new Date(now).toISOString() }, format, signal)
  await pipeline(body, process.stdout, { end: false })
  return { lines: [], data: undefined }
}

const exportCommand = (call: CommandCall) =>
  withMetadata(call, {}, async (metadata) => {
    const request = await requestOf(call, metadata)
    const [word] = call.words as [string]
    const [erasures, deletions] = [metadata.store(createErasureStore), metadata.store(createDeletionStore)]
    const { seenRows } = metadata.store(createRetentionStore)
    return withEvents(call, { isExclusive: false, seenRows }, async (storage): Promise<CommandResult> => {
      const exporter = createExporter({
        storage,
        journal: () => readJournal(erasures, deletions),
        maxMemoryBytes: MAX_MEMORY_BYTES,
      })
      if (word === '-') {
        if (call.options.json) throw new CommandError('--json cannot be used with the target "-".')
        return toOutput(request, exporter)
      }
      const { target, place } = targetOf(word)
      try {
        const manifest = await runExport(exporter, target, request)
        return {
          lines: [
            `Exported ${manifest.events} events in ${manifest.files.length} files to ${place}, everything that was stored until ${manifest.until}.`,
          ],
          data: manifest,
        }
      } catch (error) {
        if (error instanceof OtherExport)
          throw new CommandError(
            `the increments in ${place} are of another export (${error.message}): choose another target, or repeat its options.`,
          )
        if (error instanceof S3Refused)
          throw new CommandError(
            `the store at ${place} refused a file (${error.message}). Nothing is lost: repeat the command when it accepts files.`,
          )
        if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
          throw new CommandError(`there is no disk space left for ${place}: free some, then repeat the command.`)
        throw error
      }
    })
  })

export const EXPORT_COMMANDS: readonly Command[] = [
  {
    name: 'export',
    words: ['folder|s3://bucket/prefix|-'],
    options: {
      project: PROJECT_OPTION,
      format: { value: EXPORT_FORMATS.join('|'), what: 'Default: parquet.' },
      only: { value: 'events,…', what: `Some of ${EXPORT_DATA.join(', ')}. Default: all.` },
      event: { value: 'name,…', what: 'Names of events. Default: all.' },
      from: { value: 'time', what: 'First timestamp of events.' },
      to: { value: 'time', what: 'The timestamp before which events are exported.' },
      new: { what: 'Exports what was stored since the last run with --new into this folder.' },
    },
    what: 'Exports a project to a folder or an S3-compatible store (credentials in the variables of AWS), or its events to the standard output (-). The service may be running.',
    run: exportCommand,
  },
]
