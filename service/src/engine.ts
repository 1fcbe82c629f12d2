import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Log } from './lib/log.ts'
import { createClickhouse } from './storage/clickhouse.ts'
import { createCluster } from './storage/cluster/cluster.ts'
import { migrateNodes } from './storage/cluster/migrateNodes.ts'
import { readerMemoryBytes } from './storage/embedded/config.ts'
import { type Engine, engineMemoryBytes, startEngine } from './storage/embedded/engine.ts'
import { createEngineGate, type EngineGate } from './storage/gate.ts'
import type { Metadata } from './storage/metadata/metadata.ts'
import { migrate } from './storage/schema/migrate.ts'
import type { Schema } from './storage/schema/schema.ts'
import type { SeenRowsOf, Storage } from './storage/storage.ts'

export interface EngineOptions {
  readonly config: Config
  readonly metadata: Pick<Metadata, 'withLock'>
  readonly schema: Schema
  readonly seenRows: SeenRowsOf
  /** Returns the path of the engine's library. Called only for the embedded engine. Throws if it is not installed. */
  readonly library: () => string
  /** Path of the engine's compiled child program. */
  readonly child: string
  /** Called with functions that stop the engine, before it has started completely. */
  readonly onStop: (stop: () => unknown) => void
  readonly onRestart: () => void
  readonly progress: (line: string) => void
  readonly log: Log
}

export interface OpenEngine {
  readonly gate: EngineGate
  /** Maximum memory of one run, in bytes. Infinite for an external server, which has its own limits. */
  readonly runMemoryBytes: number
}

const READY_WAIT_MS = 20_000

/** Waits for the engine. Logs the first failure immediately, so that a wrong URL does not look like a hang. */
const waitUntilReady = async (storage: Storage, url: string | undefined, log: Log) => {
  const place = url
    ? `The ClickHouse server at CLICKHOUSE_URL (${url
        .split(',')
        .map((each) => new URL(each).origin)
        .join(', ')})`
    : 'The embedded engine'
  let reason = 'no response'
  let isReported = false
  const isReady = await storage.ready(READY_WAIT_MS, (error) => {
    // Node combines the failures of several IPs in an error without a message. Messages of OpenSSL have several lines.
    reason = error.message.replace(/\s+/g, ' ').trim() || ((error as NodeJS.ErrnoException).code ?? reason)
    if (isReported) return
    isReported = true
    log(`${place} does not respond: ${reason}. Retrying for ${READY_WAIT_MS / 1_000} s, then exiting with code 1.`, {
      level: 'warn',
    })
  })
  if (!isReady) throw new Error(`${place} does not respond: ${reason}. Check the URL, and that the server is running.`)
}

/**
 * Starts the embedded engine or connects to the server, runs migrations and returns the gate to it. This is the only
 * connection of the service, so every statement takes a slot of its class.
 */
export const openEngine = async ({
  config,
  metadata,
  schema,
  seenRows,
  library,
  child,
  onStop,
  onRestart,
  progress,
  log,
}: EngineOptions): Promise<OpenEngine> => {
  const { clickhouseUrl: url, clickhouseCluster: clusterName } = config
  const tables = schema.tables.map(({ name }) => name)
  let engine: Engine | undefined
  if (url) progress('Connecting to the ClickHouse server …')
  else {
    progress('Starting the embedded engine …')
    engine = await startEngine({
      dataDir: join(config.dataDir, 'engine'),
      library: library(),
      child,
      memoryBytes: config.engineMemoryBytes,
      isSmall: config.isSmall,
      diskReserveBytes: config.diskReserveBytes,
      tables,
      onRestart,
      log,
    })
    onStop(engine.stop)
  }
  const runMemoryBytes = url ? Infinity : readerMemoryBytes(engineMemoryBytes(config.engineMemoryBytes))
  const cluster =
    url && clusterName
      ? createCluster(url.split(','), {
          tables,
          seenRows,
          name: clusterName,
          onFewReplicas: () =>
            log('A replica is unavailable. Until it is back, the events of its shard are stored on one disk.', {
              level: 'warn',
            }),
        })
      : undefined
  const storage =
    cluster ??
    createClickhouse(() => (url ? { url } : engine!.connection()), {
      tables,
      seenRows,
      maxRunMemoryBytes: runMemoryBytes,
    })
  onStop(() => storage.close())
  await waitUntilReady(storage, url, log)

  const nodes =
    cluster && (await metadata.withLock('start', () => migrateNodes({ cluster, name: clusterName!, schema, log })))
  onStop(() => nodes?.stop())
  const steps = nodes?.taken ?? (await metadata.withLock('start', () => migrate(storage, schema.migrations)))
  const isNew = steps.length === schema.migrations.length
  if (isNew) progress('Created the event store.')
  else progress(steps.length ? `Updated the event store (${steps.join(', ')}).` : 'The event store is up to date.')

  return {
    gate: createEngineGate(storage, config.engineRuns),
    runMemoryBytes,
  }
}
