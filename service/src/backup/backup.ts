import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { METADATA_FILE, metadataLocation } from '../storage/location.ts'
import { copyMetadata } from '../storage/metadata/metadata.ts'
import { migrate } from '../storage/schema/migrate.ts'
import { SMALL_READ } from '../storage/storage.ts'
import { copyEvents, fileDestination } from './engineCopy.ts'
import { writeManifest } from './manifest.ts'
import { type EventStoreOptions, withEvents } from './eventStore.ts'

/** The target folder of a backup is not empty. */
export class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/** Name of the events folder in a backup. */
export const EVENTS = 'events'

/** Deletes everything in a folder. */
const clear = (folder: string) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}

/**
 * Writes a backup into `folder`, which must be empty or absent. The service may be running. The backup has every event
 * that was acknowledged before. `destination`: where an external ClickHouse server writes the events, in ClickHouse
 * syntax.
 * Throws `NotEmpty`. A failure leaves no files behind.
 */
export const backup = async (
  location: EventStoreOptions,
  folder: string,
  destination: string | undefined,
): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length) throw new NotEmpty(folder)
  const startedAt = new Date().toISOString()
  try {
    // Events first: a project created during the backup may lack its events, but no event lacks its project.
    await withEvents(location, { isExclusive: false }, async (storage) => {
      // Before the first start of the service, there may be metadata but no event store.
      const [{ known }] = (await storage.rows<{ known: number }>(
        {
          text: "SELECT count() AS known FROM system.databases WHERE name = 'db'",
        },
        SMALL_READ,
      )) as [{ known: number }]
      if (!Number(known)) await migrate(storage, (await location.loadSchema()).migrations)
      await copyEvents(storage, 'BACKUP DATABASE db TO', destination ?? fileDestination(join(folder, EVENTS)))
    })
    await copyMetadata(metadataLocation(location), join(folder, METADATA_FILE))
    const { path } = keyFileIn(location.dataDir)
    if (existsSync(path)) copyFileSync(path, keyFileIn(folder).path)
    writeManifest(folder, {
      format: 1,
      startedAt,
      createdAt: new Date().toISOString(),
      ...(destination ? { events: destination } : {}),
    })
  } catch (error) {
    clear(folder)
    throw error
  }
}
