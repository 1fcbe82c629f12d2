import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup, NotEmpty } from '../backup/backup.ts'
import { DatabaseNotEmpty, NoBackup, restore } from '../backup/restore.ts'
import { type Journal, NoJournal, parseLines, readJournal, toLines } from '../retention/journalFile.ts'
import { createDeletionStore, createErasureStore } from '../retention/store.ts'
import { metadataLocation } from '../storage/location.ts'
import { isPostgres } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'
import { type Command, type CommandCall, CommandError } from './command.ts'
import { assertOwner, withMetadata } from './store.ts'

// The engine's message is between its code and its stack trace.
const messageOf = (message: string) =>
  message
    .split('\n')[0]!
    .replace(/^Code: \d+\. DB::Exception: /, '')
    .replace(/\.?,? (?:\([A-Z_]+\)|Stack trace|\(version|: While).*$/, '')

const toCommandError = (error: unknown, folder: string): unknown => {
  if (error instanceof StorageError) {
    return new CommandError(
      error.kind === 'full'
        ? `there is no disk space left: free some, or choose another folder than ${folder}.`
        : `the event store failed: ${messageOf(error.message)}.`,
    )
  }
  return error
}

// Each node can only copy its own rows, so those of the other nodes would be missing silently.
const assertNoCluster = ({ clickhouseCluster }: CommandCall) => {
  if (clickhouseCluster)
    throw new CommandError(
      `the events are in the cluster "${clickhouseCluster}", which is backed up node by node: see docs/operate/scaling.md.`,
    )
}

/** Throws `CommandError` if there is no metadata to back up. */
const assertDefined = async (call: CommandCall) => {
  const definitions = metadataLocation(call)
  if (isPostgres(definitions)) {
    const projects = await withMetadata(call, {}, (metadata) => metadata.projects.all())
    if (!projects.length)
      throw new CommandError(
        "there is nothing to back up in the database at DATABASE_URL: set it to the service's database.",
      )
  } else if (!existsSync(definitions))
    throw new CommandError(
      `there is nothing to back up in ${call.dataDir}: pass the service's data folder with --data or TRAILMARK_DATA.`,
    )
  if (existsSync(call.dataDir)) assertOwner(call.dataDir)
}

const backupCommand = async (call: CommandCall) => {
  const { clickhouseUrl, options } = call
  assertNoCluster(call)
  const folder = resolve(call.words[0]!)
  await assertDefined(call)
  const destination = typeof options.events === 'string' ? options.events : undefined
  if (clickhouseUrl && !destination)
    throw new CommandError(
      "the events are on the ClickHouse server at CLICKHOUSE_URL, which cannot write to this machine: pass --events with a destination it can write to, such as --events \"S3('https://bucket/backup', 'key', 'secret')\".",
    )
  if (!clickhouseUrl && destination)
    throw new CommandError(
      '--events requires a ClickHouse server at CLICKHOUSE_URL: the embedded engine writes into the folder.',
    )
  try {
    await backup(call, folder, destination)
  } catch (error) {
    if (error instanceof NotEmpty)
      throw new CommandError(`the folder ${folder} is not empty: choose another, or one that does not exist yet.`)
    throw toCommandError(error, folder)
  }
  return {
    lines: [
      `The backup is in ${folder}. It contains all data of the service, including secrets: protect it like the data itself.`,
    ],
    data: { folder },
  }
}

const journalIn = (file: unknown): Journal | undefined => {
  if (typeof file !== 'string') return undefined
  try {
    return parseLines(readFileSync(resolve(file), 'utf8'))
  } catch (error) {
    throw new CommandError(
      `cannot read the erasures in ${file}: ${error instanceof NoJournal ? error.message : ((error as NodeJS.ErrnoException).code ?? String(error))}. Pass a file that "trailmark erasures" wrote.`,
    )
  }
}

const erasuresCommand = (call: CommandCall) =>
  withMetadata(call, {}, async (metadata) => {
    const file = resolve(call.words[0]!)
    const journal = await readJournal(metadata.store(createErasureStore), metadata.store(createDeletionStore))
    // A crash leaves the previous file.
    writeFileSync(`${file}.part`, toLines(journal), { mode: 0o600 })
    renameSync(`${file}.part`, file)
    const entries = journal.erasures.length + journal.deletions.length
    return {
      lines: [`Wrote ${entries} erasures to ${file}. Pass it to "trailmark restore" with --erasures.`],
      data: { file, erasures: entries },
    }
  })

const restoreCommand = async (call: CommandCall) => {
  const folder = resolve(call.words[0]!)
  assertNoCluster(call)
  if (existsSync(call.dataDir)) assertOwner(call.dataDir)
  try {
    const { events, erased } = await restore(call, folder, journalIn(call.options.erasures))
    return {
      lines: [
        `Restored ${events} events and all definitions to ${call.databaseUrl ? `${call.dataDir} and the database at DATABASE_URL` : call.dataDir}: start the service there.`,
        ...(erased ? [`Deleted ${erased} rows again that had been deleted before.`] : []),
      ],
      data: { folder: call.dataDir, events, erased },
    }
  } catch (error) {
    if (error instanceof NoBackup)
      throw new CommandError(
        `${folder} has no complete backup of Trailmark: pass a folder that "trailmark backup" finished writing.`,
      )
    if (error instanceof NotEmpty)
      throw new CommandError(
        `the data folder ${call.dataDir} is not empty: restore into another with --data or TRAILMARK_DATA, or move its contents away.`,
      )
    if (error instanceof DatabaseNotEmpty)
      throw new CommandError('the database at DATABASE_URL already has definitions: use an empty one.')
    throw toCommandError(error, folder)
  }
}

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    words: ['folder'],
    options: {
      events: { value: 'S3(…)', what: 'Where a server at CLICKHOUSE_URL writes the events, in ClickHouse syntax.' },
    },
    what: 'Writes events and definitions to a new folder. The service may be running.',
    run: backupCommand,
  },
  {
    name: 'restore',
    words: ['folder'],
    options: {
      erasures: {
        value: 'file',
        what: 'What was erased since the backup, as "trailmark erasures" wrote it. It is erased again.',
      },
    },
    what: 'Restores a backup into an empty data folder. What was erased before it stays erased.',
    run: restoreCommand,
  },
  {
    name: 'erasures',
    words: ['file'],
    options: {},
    what: 'Writes what was erased to a file, for a later restore. It has hashes of ids.',
    run: erasuresCommand,
  },
]
