import { join } from 'node:path'
import { createClient } from '@libsql/client/sqlite3'

// A command that checks the lock also holds it briefly.
const WAIT_MS = 500

/** Another process has locked the data folder. */
export class DataDirInUse extends Error {
  override name = 'DataDirInUse'
}

/**
 * Locks `dataDir` for this process. Returns a function that releases the lock. The operating system releases it when
 * the process ends in any way, so no lock is ever left behind. Throws `DataDirInUse`.
 */
export const lockDataDir = async (dataDir: string): Promise<() => void> => {
  // SQLite provides file locks on every platform: a write transaction that stays open.
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

/** Returns whether a process has locked `dataDir`. */
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
