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
import type { Storage } from './storage/storage.ts'

export interface EngineOptions {
  readonly config: Config
  readonly metadata: Pick<Metadata, 'withLock'>
  /** Path of the engine's library. Called only for the embedded engine; throws if there is none. */
  readonly library: () => string
  /** Path of the engine's compiled child program. */
  readonly child: string
  /** Receives what stops the engine, as soon as there is something to stop. */
  readonly onStop: (stop: () => unknown) => void
  readonly onRestart: () => void
  readonly progress: (line: string) => void
  readonly log: Log
}

export interface OpenEngine {
  readonly gate: EngineGate
  /** Memory one run may take at most; infinite on a server of your own, which has its own limits. */
  readonly runMemoryBytes: number
}

const READY_WAIT_MS = 20_000

/** Waits for the engine. Reports the first failure at once, so that a wrong URL is no silence of 20 s. */
const waitUntilReady = async (storage: Storage, url: string | undefined, log: Log) => {
  const place = url
    ? `The ClickHouse server at CLICKHOUSE_URL (${url
        .split(',')
        .map((each) => new URL(each).origin)
        .join(', ')})`
    : 'The embedded engine'
  let reason = 'no answer'
  let isReported = false
  const isReady = await storage.ready(READY_WAIT_MS, (error) => {
    // Node gathers the failures of several addresses in an error without words; OpenSSL's words have several lines.
    reason = error.message.replace(/\s+/g, ' ').trim() || ((error as NodeJS.ErrnoException).code ?? reason)
    if (isReported) return
    isReported = true
    log(`${place} does not answer: ${reason}. Retrying for ${READY_WAIT_MS / 1_000} s, then exiting with code 1.`, {
      level: 'warn',
    })
  })
  if (!isReady) throw new Error(`${place} does not answer: ${reason}. Check the address, and that the server runs.`)
}

/**
 * Starts the embedded engine or connects to the server, brings its tables up to date and puts the gate before it. Nothing
 * else opens a connection for the service, so every statement of a room takes a place of its class.
 */
export const openEngine = async ({
  config,
  metadata,
  library,
  child,
  onStop,
  onRestart,
  progress,
  log,
}: EngineOptions): Promise<OpenEngine> => {
  const { clickhouseUrl: url, clickhouseCluster: clusterName } = config
  let engine: Engine | undefined
  if (url) progress('Connecting to the ClickHouse server …')
  else {
    progress('Starting the embedded engine …')
    engine = await startEngine({
      dataDir: join(config.dataDir, 'engine'),
      library: library(),
      child,
      memoryBytes: config.engineMemoryBytes,
      diskReserveBytes: config.diskReserveBytes,
      onRestart,
      log,
    })
    onStop(engine.stop)
  }
  const cluster = url && clusterName ? createCluster(url.split(',')) : undefined
  const storage = cluster ?? createClickhouse(() => (url ? { url } : engine!.connection()))
  onStop(() => storage.close())
  await waitUntilReady(storage, url, log)

  const nodes = cluster && (await metadata.withLock('start', () => migrateNodes({ cluster, name: clusterName!, log })))
  onStop(() => nodes?.stop())
  const steps = nodes?.taken ?? (await metadata.withLock('start', () => migrate(storage)))
  progress(steps.length ? `Created the event store (${steps.join(', ')}).` : 'The event store is up to date.')

  return {
    gate: createEngineGate(storage, config.engineRuns),
    runMemoryBytes: url ? Infinity : readerMemoryBytes(engineMemoryBytes(config.engineMemoryBytes)),
  }
}
