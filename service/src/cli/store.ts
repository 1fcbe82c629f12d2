import { existsSync, mkdirSync, statSync } from 'node:fs'
import { isDataDirInUse } from '../storage/lock.ts'
import { definitionsOf, type Place } from '../storage/place.ts'
import { isPostgres, openRecords, type Records } from '../storage/records.ts'
import { CommandError } from './command.ts'

/** Throws `CommandError` for another user than the service's: what that one writes would lock the service out of its own folder. */
export const assertOwner = (dataDir: string): void => {
  const owner = statSync(dataDir).uid
  if (process.getuid && owner !== process.getuid())
    throw new CommandError(
      `the data folder ${dataDir} belongs to the user with the id ${owner}: run this command as that user, such as with sudo -u '#${owner}'.`,
    )
}

const openFile = async (file: string, dataDir: string, mayCreate: boolean): Promise<Records> => {
  if (!existsSync(file) && !mayCreate)
    throw new CommandError(
      `there are no definitions in ${dataDir}: name the service's data folder with --data or TRAILMARK_DATA, or make a first project with "trailmark project create".`,
    )
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  assertOwner(dataDir)
  return openRecords(file, { mayUpgrade: !(await isDataDirInUse(dataDir)) })
}

/**
 * Gives `work` the definitions, beside a running service or without one: several processes may have them open, each change
 * is a transaction, and the service looks a key or a token up each time it is shown one.
 */
export const withRecords = async <Value>(
  place: Place,
  { mayCreate = false }: { mayCreate?: boolean },
  work: (records: Records) => Promise<Value>,
): Promise<Value> => {
  const definitions = definitionsOf(place)
  // Which releases use a database cannot be seen from here: the start of a service brings it up to date.
  const records = await (isPostgres(definitions)
    ? openRecords(definitions, { mayUpgrade: false })
    : openFile(definitions, place.dataDir, mayCreate))
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
