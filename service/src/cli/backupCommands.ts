import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup, NotEmpty } from '../backup/backup.ts'
import { DatabaseNotEmpty, NoBackup, restore } from '../backup/restore.ts'
import { metadataLocation } from '../storage/location.ts'
import { isPostgres } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'
import { type Command, type CommandCall, CommandError } from './command.ts'
import { assertOwner, withMetadata } from './store.ts'

// The engine's own words stand between its code and its stack.
const wordsOf = (message: string) =>
  message
    .split('\n')[0]!
    .replace(/^Code: \d+\. DB::Exception: /, '')
    .replace(/\.?,? (?:\([A-Z_]+\)|Stack trace|\(version|: While).*$/, '')

const toCommandError = (error: unknown, folder: string): unknown => {
  if (error instanceof StorageError) {
    return new CommandError(
      error.kind === 'full'
        ? `there is no space left for it on the disk: free some, or choose another folder than ${folder}.`
        : `the event store could not do it: ${wordsOf(error.message)}.`,
    )
  }
  return error
}

// Each node could copy its own part only, and what the others hold would be missing without a word.
const assertNoCluster = ({ clickhouseCluster }: CommandCall) => {
  if (clickhouseCluster)
    throw new CommandError(
      `the events are in the cluster "${clickhouseCluster}", which copies itself node by node: docs/operate/scaling.md says how.`,
    )
}

/** Throws `CommandError` if nothing is defined where the definitions should be. */
const assertDefined = async (call: CommandCall) => {
  const definitions = metadataLocation(call)
  if (isPostgres(definitions)) {
    const projects = await withMetadata(call, {}, (metadata) => metadata.projects.all())
    if (!projects.length)
      throw new CommandError(
        "there is nothing to back up in the database at DATABASE_URL: name the service's database.",
      )
  } else if (!existsSync(definitions))
    throw new CommandError(
      `there is nothing to back up in ${call.dataDir}: name the service's data folder with --data or TRAILMARK_DATA.`,
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
      "the events are on the ClickHouse server at CLICKHOUSE_URL, which cannot write to this machine: say with --events where it may, such as --events \"S3('https://bucket/backup', 'key', 'secret')\".",
    )
  if (!clickhouseUrl && destination)
    throw new CommandError(
      '--events is for a ClickHouse server at CLICKHOUSE_URL: the embedded engine writes into the folder.',
    )
  try {
    await backup(call, folder, destination)
  } catch (error) {
    if (error instanceof NotEmpty)
      throw new CommandError(`the folder ${folder} is not empty: choose another, or one that is not there yet.`)
    throw toCommandError(error, folder)
  }
  return {
    lines: [
      `Everything is in ${folder}. It holds what the service knows, keys included: keep it as you keep the data.`,
    ],
    data: { folder },
  }
}

const restoreCommand = async (call: CommandCall) => {
  const folder = resolve(call.words[0]!)
  assertNoCluster(call)
  if (existsSync(call.dataDir)) assertOwner(call.dataDir)
  try {
    const { events } = await restore(call, folder)
    return {
      lines: [
        `${events} events and all definitions are in ${call.databaseUrl ? `${call.dataDir} and the database at DATABASE_URL` : call.dataDir}: start the service there.`,
      ],
      data: { folder: call.dataDir, events },
    }
  } catch (error) {
    if (error instanceof NoBackup)
      throw new CommandError(
        `${folder} holds no whole backup of Trailmark: name the folder that "trailmark backup" wrote, and let it end by itself.`,
      )
    if (error instanceof NotEmpty)
      throw new CommandError(
        `the data folder ${call.dataDir} is not empty: restore into another with --data or TRAILMARK_DATA, or move what is there away.`,
      )
    if (error instanceof DatabaseNotEmpty)
      throw new CommandError('the database at DATABASE_URL holds definitions already: name an empty one.')
    throw toCommandError(error, folder)
  }
}

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    words: ['folder'],
    options: {
      events: { value: 'S3(…)', what: 'Where a server at CLICKHOUSE_URL writes the events, in its own words.' },
    },
    what: 'Writes events and definitions into a new folder, beside a running service or without one.',
    run: backupCommand,
  },
  {
    name: 'restore',
    words: ['folder'],
    options: {},
    what: 'Brings a backup into an empty data folder.',
    run: restoreCommand,
  },
]
