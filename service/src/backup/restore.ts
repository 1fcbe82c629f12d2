import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileIn } from '../projects/keyFile.ts'
import { METADATA_FILE, metadataLocation } from '../storage/location.ts'
import { createPersonFacts } from '../persons/facts.ts'
import { createForgetPerson } from '../persons/forget.ts'
import { type Journal, readJournal } from '../retention/journalFile.ts'
import { replay } from '../retention/replay.ts'
import { createDeletionStore, createErasureStore } from '../retention/store.ts'
import { copyMetadata, isPostgres, type Metadata, openMetadata } from '../storage/metadata/metadata.ts'
import { SMALL_READ, type Storage } from '../storage/storage.ts'
import { EVENTS, NotEmpty } from './backup.ts'
import { copyEvents, fileDestination, reloadTables } from './engineCopy.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { type EventStoreOptions, withEvents } from './eventStore.ts'

/** The folder has no complete backup. */
export class NoBackup extends Error {
  override name = 'NoBackup'
}

/** The database for the metadata is not empty. */
export class DatabaseNotEmpty extends Error {
  override name = 'DatabaseNotEmpty'
}

const RELOAD_LIMITS = { maxSeconds: 600, maxMemoryBytes: 1_000_000_000 }

const startOf = ({ startedAt, createdAt }: Manifest): number => Date.parse(startedAt ?? createdAt)

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

/** Deletes again what was deleted, according to the backup's journal and a later one. Returns the number of rows. */
const eraseAgain = async (
  at: EventStoreOptions,
  storage: Storage,
  metadata: Metadata,
  { later, copiedAt }: { readonly later: Journal | undefined; readonly copiedAt: number },
): Promise<number> => {
  const erasures = metadata.store(createErasureStore)
  const deletions = metadata.store(createDeletionStore)
  if (later) {
    await erasures.add(later.erasures)
    await deletions.restore(later.deletions)
  }
  const { tables } = await at.loadSchema()
  const erased = await replay(
    {
      storage,
      forget: createForgetPerson(storage, createPersonFacts(storage)),
      tables: {
        all: tables.map(({ name }) => name),
        withEvents: tables.flatMap(({ name, hasEvents }) => (hasEvents ? [name] : [])),
      },
      copiedAt,
    },
    await readJournal(erasures, deletions),
  )
  // Materialized tables have what was deleted, so they are built again.
  if (erased)
    for (const { version } of await metadata.materializations.all())
      await metadata.materializations.change(version.id, (state) => ({
        ...(state as object),
        inUse: undefined,
        stale: undefined,
        lookedAt: undefined,
      }))
  return erased
}

/**
 * Restores the backup in `folder` into an empty data folder, and into an empty database if the metadata is in Postgres. No
 * other process may use them at the same time. What was erased before the backup or according to `later` is erased again.
 * Returns the number of events, and of rows that were erased again.
 * Throws `NoBackup`, `NotEmpty`, `DatabaseNotEmpty`, `DataDirInUse`. A failure leaves no files behind.
 */
export const restore = async (
  at: EventStoreOptions,
  folder: string,
  later?: Journal,
): Promise<{ readonly events: number; readonly erased: number }> => {
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
      await reloadTables(storage, RELOAD_LIMITS)
      const metadata = await openMetadata(file)
      let erased: number
      try {
        erased = await eraseAgain(at, storage, metadata, { later, copiedAt: startOf(manifest) })
      } finally {
        await metadata.close()
      }
      const [found] = await storage.rows<{ events: number }>(
        { text: 'SELECT count() AS events FROM db.events' },
        SMALL_READ,
      )
      return { events: Number(found!.events), erased }
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
