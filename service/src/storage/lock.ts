import { join } from 'node:path'
import { createClient } from '@libsql/client'

// A command that only looks whether the folder is taken holds it for a moment.
const WAIT_MS = 500

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
  const client = createClient({ url: `file:${join(dataDir, 'service.lock')}`, timeout: WAIT_MS })
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

/** Whether a process has taken `dataDir`. */
export const isDataDirInUse = async (dataDir: string): Promise<boolean> => {
  try {
    const unlock = await lockDataDir(dataDir)
    unlock()
    return false
  } catch (error) {
    if (error instanceof DataDirInUse) return true
    throw error
  }
}
