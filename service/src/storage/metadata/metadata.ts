import { within } from '../../lib/wait.ts'
import type { MetadataContext } from './context.ts'
import { type ConsoleStore, createConsoleStore } from './console.ts'
import { createEndpointStore, type EndpointStore } from './endpoints.ts'
import { createEpochStore, type EpochStore } from './epochs.ts'
import { createFlagStore, type FlagStore } from './flags.ts'
import { createGroupTypeStore, type GroupTypeStore } from './groupTypes.ts'
import { createKeyStore, type KeyStore } from './keys.ts'
import { createMaterializationStore, type MaterializationStore } from './materializations.ts'
import { openDatabase } from './open.ts'
import { createProjectStore, type ProjectStore } from './projects.ts'
import { createReadCache } from './readCache.ts'
import { createRunTokenStore, type RunTokenStore } from './runTokens.ts'
import { createSettingStore, type SettingStore } from './settings.ts'
import type { LockName } from './store.ts'
import { createVariableStore, type VariableStore } from './variables.ts'

export type { ConsoleInstance, ConsoleSession } from './console.ts'
export { copyMetadata } from './copy.ts'
export type { Endpoint } from './endpoints.ts'
export type { EndpointVersion, NewVersion } from './endpointVersions.ts'
export { EventsElsewhere, MetadataMismatch, MetadataUnavailable, TokenTaken } from './errors.ts'
export { lockEvents } from './eventsLock.ts'
export type { FlagRecord } from './flags.ts'
export type { ApiKey, NewKey, Rotation } from './keys.ts'
export type { MaterializedVersion } from './materializations.ts'
export type { Project } from './projects.ts'
export { isPostgres } from './store.ts'
export type { Variable, VariableSchema } from './variables.ts'

/**
 * The metadata store: what operators define, as opposed to the events that browsers capture. Any call may reject with
 * `MetadataUnavailable`, after which the same call may succeed later.
 */
export interface Metadata {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly variables: VariableStore
  readonly endpoints: EndpointStore
  readonly flags: FlagStore
  readonly groupTypes: GroupTypeStore
  readonly materializations: MaterializationStore
  readonly runTokens: RunTokenStore
  readonly settings: SettingStore
  readonly epochs: EpochStore
  readonly console: ConsoleStore
  /** Returns the store of a module. */
  store<Store>(create: (context: MetadataContext) => Store): Store
  /** Whether other processes may use the same metadata store. */
  readonly isShared: boolean
  /** Runs `work` while no other process holds the lock `name`. Waits for the lock. */
  withLock<Value>(name: LockName, work: () => Promise<Value>): Promise<Value>
  /** Whether the store responds within `withinMs`. */
  ready(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

export interface OpenOptions {
  /** Whether to migrate a store of an older release. Default: true. */
  readonly mayUpgrade?: boolean
  /** Called when the lock 'start' is held by another process, and this one waits. */
  readonly onWait?: () => void
}

/**
 * Opens the metadata store at `location`, a SQLite file or the URL of a Postgres database, and creates it where needed.
 * Several processes may open it. Throws `MetadataMismatch` if it cannot be used, or if it belongs to another release and
 * may not be migrated to this one.
 */
export const openMetadata = async (
  location: string,
  { mayUpgrade = true, onWait }: OpenOptions = {},
): Promise<Metadata> => {
  const { store, db, transact } = await openDatabase(location, mayUpgrade, onWait)
  const { isShared, isUniqueViolation } = store
  const watch = store.watch?.()
  const context: MetadataContext = { db, transact, isUniqueViolation, cacheReads: createReadCache(watch?.version) }
  const responds = async () => {
    await db.selectFrom('steps').select('id').limit(1).execute()
    return true
  }

  return {
    projects: createProjectStore(context),
    keys: createKeyStore(context),
    variables: createVariableStore(context),
    endpoints: createEndpointStore(context),
    flags: createFlagStore(context),
    groupTypes: createGroupTypeStore(context),
    materializations: createMaterializationStore(context),
    runTokens: createRunTokenStore(context),
    settings: createSettingStore(context),
    epochs: createEpochStore(context),
    console: createConsoleStore(context),
    store: (create) => create(context),
    isShared,
    withLock: (name, work) => (isShared ? transact(work, name) : work()),
    ready: (withinMs) => within(responds(), withinMs, false).catch(() => false),
    async close() {
      watch?.close()
      await db.destroy()
    },
  }
}
