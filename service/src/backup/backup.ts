import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { DEFINITIONS, definitionsOf } from '../storage/place.ts'
import { copyRecords } from '../storage/records.ts'
import { migrate } from '../storage/schema/migrate.ts'
import { copyEvents, fileDestination } from './engineCopy.ts'
import { writeManifest } from './manifest.ts'
import { type PlaceOptions, withEvents } from './place.ts'

/** The folder for a backup holds something. */
export class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/** The name of the events in a backup. */
export const EVENTS = 'events'

/** Empties a folder that this command has filled. */
const clear = (folder: string) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}

/**
 * Writes everything that the service keeps into `folder`, which is empty or absent; the service may be running. Each event
 * that was acknowledged before is in it. `destination`, in ClickHouse's words, is where an external server writes the events.
 * Throws `NotEmpty`; what fails leaves nothing behind.
 */
export const backup = async (place: PlaceOptions, folder: string, destination: string | undefined): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length) throw new NotEmpty(folder)
  try {
    // The events first: a project that is made meanwhile is in the definitions without its events, and no event is without its project.
    await withEvents(place, { isAlone: false }, async (storage) => {
      // Before its first start there are definitions and no event store.
      const [{ known }] = (await storage.rows<{ known: number }>({
        text: "SELECT count() AS known FROM system.databases WHERE name = 'db'",
      })) as [{ known: number }]
      if (!Number(known)) await migrate(storage)
      await copyEvents(storage, 'BACKUP DATABASE db TO', destination ?? fileDestination(join(folder, EVENTS)))
    })
    await copyRecords(definitionsOf(place), join(folder, DEFINITIONS))
    const { path } = keyFileIn(place.dataDir)
    if (existsSync(path)) copyFileSync(path, keyFileIn(folder).path)
    writeManifest(folder, {
      format: 1,
      createdAt: new Date().toISOString(),
      ...(destination ? { events: destination } : {}),
    })
  } catch (error) {
    clear(folder)
    throw error
  }
}
