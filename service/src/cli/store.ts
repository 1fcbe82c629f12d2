import { existsSync, mkdirSync, statSync } from 'node:fs'
import { isDataDirInUse } from '../storage/lock.ts'
import { metadataLocation, type StorageLocation } from '../storage/location.ts'
import { isPostgres, openMetadata, type Metadata } from '../storage/metadata/metadata.ts'
import { CommandError } from './command.ts'

/** Throws `CommandError` if another user owns the data folder: files of this user would lock the service out of it. */
export const assertOwner = (dataDir: string): void => {
  const owner = statSync(dataDir).uid
  if (process.getuid && owner !== process.getuid())
    throw new CommandError(
      `the data folder ${dataDir} belongs to the user with the id ${owner}: run this command as that user, such as with sudo -u '#${owner}'.`,
    )
}

const openFile = async (file: string, dataDir: string, mayCreate: boolean): Promise<Metadata> => {
  if (!existsSync(file) && !mayCreate)
    throw new CommandError(
      `there is no metadata in ${dataDir}: pass the service's data folder with --data or TRAILMARK_DATA, or create a first project with "trailmark project create".`,
    )
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  assertOwner(dataDir)
  return openMetadata(file, { mayUpgrade: !(await isDataDirInUse(dataDir)) })
}

/**
 * Opens the metadata store for `work`. The service may be running: several processes may open the store, each change
 * is a transaction, and the service sees changes to keys and tokens immediately.
 */
export const withMetadata = async <Value>(
  location: StorageLocation,
  { mayCreate = false }: { mayCreate?: boolean },
  work: (metadata: Metadata) => Promise<Value>,
): Promise<Value> => {
  const definitions = metadataLocation(location)
  // A command cannot know which releases use a database, so only the start of a service migrates it.
  const metadata = await (isPostgres(definitions)
    ? openMetadata(definitions, { mayUpgrade: false })
    : openFile(definitions, location.dataDir, mayCreate))
  try {
    return await work(metadata)
  } finally {
    await metadata.close()
  }
}
