import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDataDirInUse } from '../storage/lock.ts'
import { openRecords, type Records } from '../storage/records.ts'
import { CommandError } from './command.ts'

/**
 * Gives `work` the definitions in `dataDir`, beside a running service or without one: SQLite lets several processes in,
 * each change is a transaction, and the service looks a key or a token up each time it is shown one.
 */
export const withRecords = async <Value>(dataDir: string, { mayCreate = false }: { mayCreate?: boolean }, work: (records: Records) => Promise<Value>): Promise<Value> => {
  const file = join(dataDir, 'definitions.db')
  if (!existsSync(file) && !mayCreate) throw new CommandError(`there are no definitions in ${dataDir}: name the service's data folder with --data or TRAILMARK_DATA, or make a first project with "trailmark project create".`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const owner = statSync(dataDir).uid
  // Files of another user than the service's would lock the service out of its own folder.
  if (process.getuid && owner !== process.getuid()) throw new CommandError(`the data folder ${dataDir} belongs to the user with the id ${owner}: run this command as that user, such as with sudo -u '#${owner}'.`)
  const records = await openRecords(file, { mayUpgrade: !(await isDataDirInUse(dataDir)) })
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
