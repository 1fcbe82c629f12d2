import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDataDirInUse } from '../storage/lock.ts'
import { openRecords, type Records } from '../storage/records.ts'
import { CommandError } from './command.ts'

/** Throws `CommandError` for another user than the service's: what that one writes would lock the service out of its own folder. */
export const assertOwner = (dataDir: string): void => {
  const owner = statSync(dataDir).uid
  if (process.getuid && owner !== process.getuid()) throw new CommandError(`the data folder ${dataDir} belongs to the user with the id ${owner}: run this command as that user, such as with sudo -u '#${owner}'.`)
}

/**
 * Gives `work` the definitions in `dataDir`, beside a running service or without one: SQLite lets several processes in,
 * each change is a transaction, and the service looks a key or a token up each time it is shown one.
 */
export const withRecords = async <Value>(dataDir: string, { mayCreate = false }: { mayCreate?: boolean }, work: (records: Records) => Promise<Value>): Promise<Value> => {
  const file = join(dataDir, 'definitions.db')
  if (!existsSync(file) && !mayCreate) throw new CommandError(`there are no definitions in ${dataDir}: name the service's data folder with --data or TRAILMARK_DATA, or make a first project with "trailmark project create".`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  assertOwner(dataDir)
  const records = await openRecords(file, { mayUpgrade: !(await isDataDirInUse(dataDir)) })
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
