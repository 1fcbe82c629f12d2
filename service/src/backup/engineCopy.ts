import { pause } from '../lib/wait.ts'
import { type Storage, StorageError } from '../storage/storage.ts'

const POLL_MS = 100
const ENDED: Readonly<Record<string, boolean>> = {
  BACKUP_CREATED: true,
  RESTORED: true,
  BACKUP_FAILED: false,
  RESTORE_FAILED: false,
  BACKUP_CANCELLED: false,
  RESTORE_CANCELLED: false,
}

/** Words of ClickHouse for a folder. */
export const fileDestination = (folder: string): string => `File('${folder.replace(/[\\']/g, (sign) => `\\${sign}`)}')`

/**
 * Lets the engine copy all events to `destination`, in ClickHouse's words, or back from it. It may take hours, longer than
 * any request: so it is started, and looked after. Rejects with `StorageError`.
 */
export const copyEvents = async (
  storage: Pick<Storage, 'rows'>,
  way: 'BACKUP DATABASE db TO' | 'RESTORE DATABASE db FROM',
  destination: string,
): Promise<void> => {
  const [started] = await storage.rows<{ id: string }>({ text: `${way} ${destination} ASYNC` })
  for (;;) {
    const [now] = await storage.rows<{ status: string; error: string }>({
      text: 'SELECT status::String AS status, error FROM system.backups WHERE id = {id:String}',
      params: { id: started!.id },
    })
    // An engine that was started again has forgotten it.
    if (!now) throw new StorageError('unavailable', 'The engine ended while it copied the events')
    const isGood = ENDED[now.status]
    if (isGood) return
    if (isGood === false)
      throw new StorageError(/No space left on device/.test(now.error) ? 'full' : 'query', now.error)
    await pause(POLL_MS)
  }
}
