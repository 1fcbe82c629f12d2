import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { METADATA_FILE, metadataLocation } from '../storage/location.ts'
import { copyMetadata, isPostgres, openMetadata } from '../storage/metadata/metadata.ts'
import { SMALL_READ } from '../storage/storage.ts'
import { EVENTS, NotEmpty } from './backup.ts'
import { copyEvents, fileDestination } from './engineCopy.ts'
import { readManifest } from './manifest.ts'
import { type EventStoreOptions, withEvents } from './eventStore.ts'

/** The folder has no complete backup. */
export class NoBackup extends Error {
  override name = 'NoBackup'
}

/** The database for the metadata is not empty. */
export class DatabaseNotEmpty extends Error {
  override name = 'DatabaseNotEmpty'
}

// The lock leaves its file in a folder that is otherwise unused.
const isLock = (name: string) => name.startsWith('service.lock')

const assertUnused = async (location: string) => {
  if (!isPostgres(location)) return
  const metadata = await openMetadata(location)
  try {
    if ((await metadata.projects.all()).length) throw new DatabaseNotEmpty()
  } finally {
    await metadata.close()
  }
}

/**
 * Restores the backup in `folder` into an empty data folder, and into an empty database if the metadata is in Postgres. No
 * other process may use them at the same time. Returns the number of events.
 * Throws `NoBackup`, `NotEmpty`, `DatabaseNotEmpty`, `DataDirInUse`. A failure leaves no files behind.
 */
export const restore = async (at: EventStoreOptions, folder: string): Promise<{ readonly events: number }> => {
  const manifest = readManifest(folder)
  if (!manifest) throw new NoBackup(folder)
  const { dataDir } = at
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (readdirSync(dataDir).some((name) => !isLock(name))) throw new NotEmpty(dataDir)
  const location = metadataLocation(at)
  await assertUnused(location)
  try {
    const file = join(dataDir, METADATA_FILE)
    copyFileSync(join(folder, METADATA_FILE), file)
    await (await openMetadata(file)).close() // throws if a newer release wrote it
    const key = keyFileIn(folder).path
    if (existsSync(key)) copyFileSync(key, keyFileIn(dataDir).path)
    const counted = await withEvents(at, { isExclusive: true }, async (storage) => {
      await copyEvents(storage, 'RESTORE DATABASE db FROM', manifest.events ?? fileDestination(join(folder, EVENTS)))
      const [found] = await storage.rows<{ events: number }>(
        { text: 'SELECT count() AS events FROM db.events' },
        SMALL_READ,
      )
      return { events: Number(found!.events) }
    })
    // Last, in one transaction: an earlier failure leaves the database empty.
    if (isPostgres(location)) {
      await copyMetadata(file, location)
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    }
    return counted
  } catch (error) {
    for (const name of readdirSync(dataDir).filter((each) => !isLock(each)))
      rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  }
}
