import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { DEFINITIONS, definitionsOf } from '../storage/place.ts'
import { copyRecords, isPostgres, openRecords } from '../storage/records.ts'
import { EVENTS, NotEmpty } from './backup.ts'
import { copyEvents, fileDestination } from './engineCopy.ts'
import { readManifest } from './manifest.ts'
import { type PlaceOptions, withEvents } from './place.ts'

/** The folder holds no whole backup. */
export class NoBackup extends Error {
  override name = 'NoBackup'
}

/** The database for the definitions holds some. */
export class DatabaseNotEmpty extends Error {
  override name = 'DatabaseNotEmpty'
}

// What the lock leaves in a folder that nothing was ever kept in.
const isLock = (name: string) => name.startsWith('service.lock')

const assertUnused = async (definitions: string) => {
  if (!isPostgres(definitions)) return
  const records = await openRecords(definitions)
  const projects = await records.projects.all().finally(() => records.close())
  if (projects.length) throw new DatabaseNotEmpty()
}

/**
 * Brings what `backup` wrote into `folder` into an empty data folder, and an empty database if definitions are in one; nobody
 * else may make use of them meanwhile.
 * Returns how many events there are. Throws `NoBackup`, `NotEmpty`, `DatabaseNotEmpty`, `DataDirInUse`; what fails leaves nothing behind.
 */
export const restore = async (at: PlaceOptions, folder: string): Promise<{ readonly events: number }> => {
  const manifest = readManifest(folder)
  if (!manifest) throw new NoBackup(folder)
  const { dataDir } = at
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (readdirSync(dataDir).some((name) => !isLock(name))) throw new NotEmpty(dataDir)
  const place = definitionsOf(at)
  await assertUnused(place)
  try {
    const definitions = join(dataDir, DEFINITIONS)
    copyFileSync(join(folder, DEFINITIONS), definitions)
    await (await openRecords(definitions)).close() // says so if a newer release wrote them
    const key = keyFileIn(folder).path
    if (existsSync(key)) copyFileSync(key, keyFileIn(dataDir).path)
    const counted = await withEvents(at, { isAlone: true }, async (storage) => {
      await copyEvents(storage, 'RESTORE DATABASE db FROM', manifest.events ?? fileDestination(join(folder, EVENTS)))
      const [found] = await storage.rows<{ events: number }>({ text: 'SELECT count() AS events FROM db.events' })
      return { events: Number(found!.events) }
    })
    // Last, and all or nothing: what fails before leaves nothing in the database.
    if (isPostgres(place)) {
      await copyRecords(definitions, place)
      for (const end of ['', '-wal', '-shm']) rmSync(definitions + end, { force: true })
    }
    return counted
  } catch (error) {
    for (const name of readdirSync(dataDir).filter((each) => !isLock(each)))
      rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  }
}
