import { join } from 'node:path'
import { createClient } from '@libsql/client'

/** Another process has the data folder open. */
export class DataDirInUse extends Error {
  override name = 'DataDirInUse'
}

/**
 * Takes `dataDir` for this process. The operating system gives it back when the process ends, however it ends, so no lock
 * is ever left behind. Throws `DataDirInUse`. Returns how to give it back earlier.
 */
export const lockDataDir = async (dataDir: string): Promise<() => void> => {
  // SQLite brings file locks that work on every platform: a write transaction that is never finished.
  const client = createClient({ url: `file:${join(dataDir, 'service.lock')}` })
  try {
    const held = await client.transaction('write')
    return () => {
      held.close()
      client.close()
    }
  } catch (error) {
    client.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw new DataDirInUse(dataDir)
    throw error
  }
}
