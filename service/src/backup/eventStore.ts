import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEngineConfig } from '../storage/embedded/config.ts'
import type { Engine } from '../storage/embedded/engine.ts'
import { DataDirInUse, lockDataDir } from '../storage/lock.ts'
import { isOneOfMany, type StorageLocation } from '../storage/location.ts'
import type { Schema } from '../storage/schema/schema.ts'
import type { SeenRowsOf, Storage } from '../storage/storage.ts'

export interface EventStoreOptions extends StorageLocation {
  readonly startEngine: (dataDir: string) => Promise<Engine>
  /** Loads the tables and migrations of the event store. */
  readonly loadSchema: () => Promise<Schema>
}

const READY_MS = 20_000

/**
 * Opens the event store for `work`: the engine of the running service, or one that is started for it.
 * `isExclusive`: throws `DataDirInUse` if the data folder is in use. `seenRows`: which rows queries of projects see. Default: all.
 */
export const withEvents = async <Value>(
  at: EventStoreOptions,
  { isExclusive, seenRows }: { isExclusive: boolean; seenRows?: SeenRowsOf },
  work: (storage: Storage) => Promise<Value>,
): Promise<Value> => {
  const { dataDir, clickhouseUrl, startEngine } = at
  const lock = () =>
    lockDataDir(dataDir).catch((error: unknown) => {
      if (error instanceof DataDirInUse && !isExclusive) return undefined
      throw error
    })
  const unlock = isOneOfMany(at) ? undefined : await lock()
  const engine = unlock && !clickhouseUrl ? await startEngine(dataDir) : undefined
  // A restarted engine has another URL, which its configuration file names.
  const running = () => readEngineConfig(readFileSync(join(dataDir, 'engine', 'config.xml'), 'utf8'))
  const connection = clickhouseUrl ? { url: clickhouseUrl } : engine ? undefined : running()
  // Loaded here so that commands without events start faster.
  const { createClickhouse } = await import('../storage/clickhouse.ts')
  const storage = createClickhouse(() => engine?.connection() ?? connection, {
    tables: (await at.loadSchema()).tables.map(({ name }) => name),
    ...(seenRows ? { seenRows } : {}),
  })
  try {
    if (!(await storage.ready(READY_MS)))
      throw new Error('the event store does not respond: wait until the service is ready, then retry')
    return await work(storage)
  } finally {
    await storage.close()
    await engine?.stop()
    unlock?.()
  }
}
