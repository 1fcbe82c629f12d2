import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClickhouse } from '../storage/clickhouse.ts'
import { readEngineConfig } from '../storage/embedded/config.ts'
import type { Engine } from '../storage/embedded/engine.ts'
import { DataDirInUse, lockDataDir } from '../storage/lock.ts'
import { isOneOfMany, type Place } from '../storage/place.ts'
import type { Storage } from '../storage/storage.ts'

export interface PlaceOptions extends Place {
  readonly startEngine: (dataDir: string) => Promise<Engine>
}

const READY_MS = 20_000

/**
 * Gives `work` the event store of a data folder: the running service's own engine, or one that is started for the while.
 * With `isAlone` the folder must not be in use. Throws `DataDirInUse`.
 */
export const withEvents = async <Value>(
  at: PlaceOptions,
  { isAlone }: { isAlone: boolean },
  work: (storage: Storage) => Promise<Value>,
): Promise<Value> => {
  const { dataDir, clickhouseUrl, startEngine } = at
  const lock = () =>
    lockDataDir(dataDir).catch((error: unknown) => {
      if (error instanceof DataDirInUse && !isAlone) return undefined
      throw error
    })
  const unlock = isOneOfMany(at) ? undefined : await lock()
  const engine = unlock && !clickhouseUrl ? await startEngine(dataDir) : undefined
  // A running engine that is started again has another address: the file says which.
  const running = () => readEngineConfig(readFileSync(join(dataDir, 'engine', 'config.xml'), 'utf8'))
  const place = clickhouseUrl ? { url: clickhouseUrl } : engine ? undefined : running()
  const storage = createClickhouse(() => engine?.connection() ?? place)
  try {
    if (!(await storage.ready(READY_MS)))
      throw new Error('the event store does not answer: wait until the service is ready, and try again')
    return await work(storage)
  } finally {
    await storage.close()
    await engine?.stop()
    unlock?.()
  }
}
