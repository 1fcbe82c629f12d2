import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withEvents } from '../backup/eventStore.ts'
import { createDeletionStore } from '../retention/store.ts'
import { pause } from '../lib/wait.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'
import { createDeliver } from '../transfers/deliver.ts'
import { createImports } from '../transfers/imports.ts'
import { ImportError } from '../transfers/importError.ts'
import { type RefusedRow, runImport } from '../transfers/importRun.ts'
import { parquetFile } from '../transfers/parquetRows.ts'
import { reconcile, type Sheet, type SheetCounts } from '../transfers/reconcile.ts'
import { filesIn, type RowFile } from '../transfers/rows.ts'
import { SOURCES } from '../transfers/sources/all.ts'
import { mapped } from '../transfers/sources/mapped.ts'
import type { Source } from '../transfers/sources/source.ts'
import { createImportStore, type ImportRecord, type ImportStore } from '../transfers/store.ts'
import { type Command, type CommandCall, CommandError, type CommandResult } from './command.ts'
import { PROJECT_OPTION, projectOf } from './projectOption.ts'
import { withMetadata } from './store.ts'
import { toTable } from './table.ts'

const DEFAULT_RATE = 5_000
const MAX_LISTED = 20
const DATA_FILE = /\.(jsonl?|ndjson|csv|parquet|zip)(\.gz)?$/i

const sourceOf = ({ options: { source, map } }: CommandCall): Source => {
  if (typeof map === 'string') {
    if (!existsSync(map)) throw new CommandError(`there is no file ${map} for --map.`)
    return mapped(readFileSync(map, 'utf8'))
  }
  const found = SOURCES.find(({ name }) => name === source)
  if (found) return found
  throw new CommandError(
    `--source expects one of ${SOURCES.map(({ name }) => name).join(', ')}${typeof source === 'string' ? `, got "${source}"` : ''}, or pass --map with the columns of any JSON lines or CSV.`,
  )
}

/** Returns the files of a path in sorted order: the file itself, or all files in a folder. */
const pathsIn = (path: string): string[] => {
  if (!existsSync(path)) throw new CommandError(`there is no file or folder ${path}.`)
  if (!statSync(path).isDirectory()) return [path]
  // An export also contains files of persons and deletions, which are not imported.
  const root = existsSync(join(path, 'manifests')) && existsSync(join(path, 'events')) ? join(path, 'events') : path
  const found = readdirSync(root, { recursive: true })
    .map((name) => join(root, String(name)))
    .filter((name) => DATA_FILE.test(name))
    .sort()
  if (!found.length)
    throw new CommandError(`${path} has no files that end in .jsonl, .json, .csv, .parquet, .zip or .gz.`)
  return found
}

const rowFilesIn = async (path: string, storage: Storage, id: string): Promise<readonly RowFile[]> => {
  const files: RowFile[] = []
  for (const each of pathsIn(path))
    files.push(
      ...(/\.parquet$/i.test(each)
        ? [parquetFile(storage, each, `import_${id.replaceAll('-', '')}`)]
        : await filesIn(each)),
    )
  return files
}

const rateOf = ({ options: { rate } }: CommandCall): number => {
  if (rate === undefined) return DEFAULT_RATE
  const value = Number(rate)
  if (Number.isInteger(value) && value >= 1 && value <= 100_000) return value
  throw new CommandError(`--rate expects 1 to 100000 events per second, got "${String(rate)}".`)
}

const urlOf = async ({ options: { url } }: CommandCall, metadata: Metadata): Promise<string> => {
  if (typeof url === 'string') return url.replace(/\/$/, '')
  const { url: consoleUrl } = await metadata.console.instance()
  if (!consoleUrl)
    throw new CommandError('pass the URL of the running service with --url, such as http://127.0.0.1:8000.')
  return new URL('..', consoleUrl).href.replace(/\/$/, '')
}

const recordOf = async (call: CommandCall, store: ImportStore, projectId: number, source: Source) => {
  const { resume } = call.options
  if (typeof resume !== 'string') return store.add(projectId, source.name)
  const found = await store.get(projectId, resume)
  if (!found || found.state === 'undone')
    throw new CommandError(`there is no import ${resume} to resume: "trailmark import list" lists them.`)
  return found
}

const SHEET_HEAD = ['DAY', 'EVENT', 'READ', 'MOVED BY ZONE', 'REFUSED', 'REPEATED', 'STORED', 'UNEXPLAINED']

const countsOf = (of: SheetCounts) =>
  [of.read, of.moved, of.refused, of.repeated, of.stored, of.unexplained].map(String)

const sheetLines = ({ read, stored, repeated, refused, days, others }: Sheet): string[] => [
  `Rows read: ${read}`,
  `Stored: ${stored}`,
  `Repeated, because they were stored before: ${repeated}`,
  ...Object.entries(refused).map(([code, rows]) => `Refused, ${code}: ${rows}`),
  '',
  ...toTable(SHEET_HEAD, [
    ...days.map((each) => [each.day, each.event, ...countsOf(each)]),
    ...(others ? [['others', '', ...countsOf(others)]] : []),
  ]),
]

const importCommand = (call: CommandCall) =>
  withMetadata(call, {}, async (metadata) => {
    const source = sourceOf(call)
    const rate = rateOf(call)
    const projectId = await projectOf(call, metadata)
    const path = resolve(call.words[0]!)
    pathsIn(path)
    const [url, project] = [await urlOf(call, metadata), await metadata.projects.byId(projectId)]
    const store = metadata.store(createImportStore)
    const record = await recordOf(call, store, projectId, source)
    const { id } = record
    const report = typeof call.options.refused === 'string' ? resolve(call.options.refused) : undefined
    if (report && record.position.line === 0) writeFileSync(report, '', { mode: 0o600 })
    process.stderr.write(`Import ${id}\n`)
    return withEvents(call, { isExclusive: false }, async (storage): Promise<CommandResult> => {
      try {
        await store.change(id, { state: 'running', error: null })
        await runImport({
          id,
          source,
          files: await rowFilesIn(path, storage, id),
          position: record.position,
          days: await store.days(projectId, id),
          store,
          deliver: createDeliver(url, project!.token),
          onRefused: (row: RefusedRow) => report && appendFileSync(report, `${JSON.stringify(row)}\n`),
          onProgress: ({ counts }) => void process.stderr.write(`${counts.read} rows read\n`),
          rate,
          pause,
          isStopped: async () => (await store.get(projectId, id))?.state !== 'running',
        })
      } catch (error) {
        const why = (error as Error).message
        // Skipped if the import was undone in the meantime.
        if ((await store.get(projectId, id))?.state === 'running')
          await store.change(id, { state: 'stopped', error: why })
        if (!(error instanceof ImportError)) throw error
        throw new CommandError(
          `the import stopped: ${why}. What was delivered is stored. Continue with --resume ${id}.`,
        )
      }
      await store.change(id, { state: 'done' })
      const sheet = await reconcile(storage, (await store.get(projectId, id))!, await store.days(projectId, id))
      return {
        lines: [`Import ${id} is done.`, ...sheetLines(sheet)],
        data: { id, ...sheet },
      }
    })
  })

const rows = (records: readonly ImportRecord[]) =>
  toTable(
    ['ID', 'SOURCE', 'STATE', 'READ', 'ACCEPTED', 'BEGAN'],
    records.map(({ id, source, state, position: { counts }, createdAt }) => [
      id,
      source,
      state,
      String(counts.read),
      String(counts.accepted),
      createdAt.slice(0, 16),
    ]),
  )

const undoCommand = (call: CommandCall) =>
  withMetadata(call, {}, async (metadata) => {
    const projectId = await projectOf(call, metadata)
    const imports = createImports(metadata.store(createImportStore), metadata.store(createDeletionStore))
    const id = call.words[0]!
    const deletion = await imports.undo(projectId, id, 'trailmark import undo')
    return {
      lines: [`The running service deletes the events of import ${id} now. Deletion ${deletion} has the progress.`],
      data: { id, deletion },
    }
  })

const sheetCommand = (call: CommandCall) =>
  withMetadata(call, {}, async (metadata) => {
    const projectId = await projectOf(call, metadata)
    const imports = createImports(metadata.store(createImportStore), metadata.store(createDeletionStore))
    return withEvents(call, { isExclusive: false }, async (storage): Promise<CommandResult> => {
      const sheet = await imports.sheet(storage, projectId, call.words[0]!)
      return { lines: sheetLines(sheet), data: { id: call.words[0]!, ...sheet } }
    })
  })

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: 'import sheet',
    words: ['id'],
    options: { project: PROJECT_OPTION },
    what: 'Compares what an import has read with what it has stored.',
    run: sheetCommand,
  },
  {
    name: 'import list',
    words: [],
    options: { project: PROJECT_OPTION },
    what: 'Lists the last imports.',
    run: (call) =>
      withMetadata(call, {}, async (metadata) => {
        const found = await metadata.store(createImportStore).list(await projectOf(call, metadata), MAX_LISTED)
        return { lines: rows(found), data: found }
      }),
  },
  {
    name: 'import undo',
    words: ['id'],
    options: { project: PROJECT_OPTION },
    what: 'Deletes the events that an import has stored.',
    run: undoCommand,
  },
  {
    name: 'import',
    words: ['file|folder'],
    options: {
      source: { value: SOURCES.map(({ name }) => name).join('|'), what: 'The product that the files are from.' },
      map: { value: 'file', what: 'A JSON file with the columns of JSON lines or CSV of any product.' },
      project: PROJECT_OPTION,
      url: { value: 'url', what: 'The running service. Default: where its console is.' },
      rate: { value: 'events', what: `Maximum events per second. Default: ${DEFAULT_RATE}.` },
      refused: { value: 'file', what: 'Writes the rows that are not imported there, with the reason.' },
      resume: { value: 'id', what: 'Continues an import that stopped.' },
    },
    what: 'Imports events from files of another product, or of an export, into the running service.',
    run: importCommand,
  },
]
