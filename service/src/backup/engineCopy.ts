import { pause } from '../lib/wait.ts'
import { own } from '../lib/own.ts'
import { SMALL_READ, type Storage, StorageError, type WorkLimits } from '../storage/storage.ts'

const POLL_MS = 100
const ENDED: Readonly<Record<string, boolean>> = {
  BACKUP_CREATED: true,
  RESTORED: true,
  BACKUP_FAILED: false,
  RESTORE_FAILED: false,
  BACKUP_CANCELLED: false,
  RESTORE_CANCELLED: false,
}

/** Returns a folder in ClickHouse syntax. */
export const fileDestination = (folder: string): string => `File('${folder.replace(/[\\']/g, (sign) => `\\${sign}`)}')`

/**
 * Lets the engine back up all events to `destination` (in ClickHouse syntax), or restore them from it. This may take
 * hours, so it runs asynchronously and its status is polled. Rejects with `StorageError`.
 */
export const copyEvents = async (
  storage: Pick<Storage, 'rows'>,
  way: 'BACKUP DATABASE db TO' | 'RESTORE DATABASE db FROM',
  destination: string,
): Promise<void> => {
  const [started] = await storage.rows<{ id: string }>({ text: `${way} ${destination} ASYNC` }, SMALL_READ)
  for (;;) {
    const [now] = await storage.rows<{ status: string; error: string }>(
      {
        text: 'SELECT status::String AS status, error FROM system.backups WHERE id = {id:String}',
        params: { id: started!.id },
      },
      SMALL_READ,
    )
    // A restarted engine has no record of the copy.
    if (!now) throw new StorageError('unavailable', 'The engine restarted while copying events')
    const isGood = own(ENDED, now.status)
    if (isGood) return
    if (isGood === false)
      throw new StorageError(/No space left on device/.test(now.error) ? 'full' : 'query', now.error)
    await pause(POLL_MS)
  }
}

/**
 * Lets later deletions apply to restored rows. The engine numbers the deletions of a table, and applies to a part only those with
 * a higher number than the part. A restore resets the counter but keeps the numbers of parts. Loading a table again sets its
 * counter to the highest number of a part.
 */
export const reloadTables = async (storage: Pick<Storage, 'rows' | 'work'>, limits: WorkLimits): Promise<void> => {
  const text = "SELECT name FROM system.tables WHERE database = 'db' AND engine LIKE '%MergeTree'"
  const tables = await storage.rows<{ name: string }>({ text }, SMALL_READ)
  for (const { name } of tables)
    for (const way of ['DETACH', 'ATTACH']) await storage.work({ text: `${way} TABLE db.\`${name}\`` }, limits)
}
