import type { Schema } from '../storage/schema/schema.ts'
import { openEngine } from '../engine.ts'
import { SCOPES } from '../http/auth.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { keyFileIn, sharedKeyFile } from '../projects/keyFile.ts'
import { createKeys, type Keys } from '../projects/keys.ts'
import { lockDataDir } from '../storage/lock.ts'
import { metadataLocation, isOneOfMany } from '../storage/location.ts'
import { lockEvents, type Metadata, openMetadata, type Project } from '../storage/metadata/metadata.ts'
import { createRetentionStore } from '../retention/store.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Config } from '../config.ts'
import { firstKey, firstProject } from './firstStart.ts'

export interface DataInputs {
  readonly config: Config
  readonly engineLibrary: () => string
  readonly engineChild: string
  readonly schema: Schema
  readonly metrics: Metrics
  readonly progress: (line: string) => void
  readonly log: Log
  /** Called with functions that close what was opened, in order. */
  readonly onStop: (step: () => unknown) => void
}

export interface OpenData {
  /** Whether other processes use the same metadata and events. */
  readonly isShared: boolean
  readonly metadata: Metadata
  readonly project: Project
  readonly keyPath: string | undefined
  readonly keys: Keys
  readonly gate: EngineGate
  /** Maximum memory of one run, in bytes. */
  readonly runMemoryBytes: number
}

/**
 * Locks the data folder and opens the metadata store and the engine. Creates the first project and key if there are
 * none. Throws if the folder is in use, or if a store cannot be opened.
 */
export const openData = async ({
  config,
  engineLibrary,
  engineChild,
  schema,
  metrics,
  progress,
  log,
  onStop,
}: DataInputs): Promise<OpenData> => {
  const isShared = isOneOfMany(config)
  if (!isShared) onStop(await lockDataDir(config.dataDir))
  if (config.databaseUrl) progress('Connecting to the Postgres server …')
  const metadata = await openMetadata(metadataLocation(config), {
    onWait: () => progress('Waiting for another replica that is starting …'),
  })
  onStop(() => metadata.close())
  // After the first connection, whose errors say what is wrong.
  if (config.databaseUrl) onStop(await lockEvents(config.databaseUrl, isShared))
  const keyFile = keyFileIn(config.dataDir)
  const { project, keyPath } = await metadata.withLock('start', async () => {
    const first = await firstProject(metadata, config.projectToken)
    return { project: first, keyPath: await firstKey(metadata, first.id, keyFile, config.personalApiKey) }
  })
  const { gate, runMemoryBytes } = await openEngine({
    config,
    metadata,
    schema,
    seenRows: metadata.store(createRetentionStore).seenRows,
    library: engineLibrary,
    child: engineChild,
    onStop,
    onRestart: () => metrics.count('trailmark_engine_restarts_total'),
    progress,
    log,
  })
  const keys = createKeys({ metadata, scopes: SCOPES, keyFile: metadata.isShared ? sharedKeyFile(keyFile) : keyFile })
  return { isShared, metadata, project, keyPath, keys, gate, runMemoryBytes }
}
