import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { openRecords } from '../storage/records.ts'
import { DEFINITIONS, EVENTS, NotEmpty } from './backup.ts'
import { copyEvents, fileDestination } from './engineCopy.ts'
import { readManifest } from './manifest.ts'
import { type PlaceOptions, withEvents } from './place.ts'

/** The folder holds no whole backup. */
export class NoBackup extends Error {
  override name = 'NoBackup'
}

// What the lock leaves in a folder that nothing was ever kept in.
const isLock = (name: string) => name.startsWith('service.lock')

/**
 * Brings what `backup` wrote into `folder` into an empty data folder, of which nobody else may make use meanwhile.
 * Returns how many events there are. Throws `NoBackup`, `NotEmpty`, `DataDirInUse`; what fails leaves nothing behind.
 */
export const restore = async (place: PlaceOptions, folder: string): Promise<{ readonly events: number }> => {
  const manifest = readManifest(folder)
  if (!manifest) throw new NoBackup(folder)
  const { dataDir } = place
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (readdirSync(dataDir).some((name) => !isLock(name))) throw new NotEmpty(dataDir)
  try {
    const definitions = join(dataDir, DEFINITIONS)
    copyFileSync(join(folder, DEFINITIONS), definitions)
    await (await openRecords(definitions)).close() // says so if a newer release wrote them
    const key = keyFileIn(folder).path
    if (existsSync(key)) copyFileSync(key, keyFileIn(dataDir).path)
    return await withEvents(place, { isAlone: true }, async (storage) => {
      await copyEvents(storage, 'RESTORE DATABASE db FROM', manifest.events ?? fileDestination(join(folder, EVENTS)))
      const [counted] = await storage.rows<{ events: number }>({ text: 'SELECT count() AS events FROM db.events' })
      return { events: Number(counted!.events) }
    })
  } catch (error) {
    for (const name of readdirSync(dataDir).filter((each) => !isLock(each))) rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  }
}
