import { randomBytes } from 'node:crypto'
import type { Log } from '../../lib/log.ts'
import type { MaterializedVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { StorageError } from '../../storage/storage.ts'
import type { Tables } from './buildTable.ts'
import { type Due, dueOf, type MaterializedTable, type State } from './state.ts'

export interface MaintenanceOptions {
  readonly metadata: Pick<Metadata, 'materializations'>
  readonly tables: Tables
  readonly log: Log
  readonly now: () => number
}

/** Keeps the tables of versions current. Of several processes, one at a time claims a build. */
export interface Maintenance {
  /** Runs due work for a version in the background, unless this process is already doing so. */
  start(version: MaterializedVersion): void
  /** Aborts this process's build of a version, because the state that it began from has changed. */
  abort(versionId: string): void
  /** Stops using a table whose events have changed, so that the next build replaces it. */
  retire(version: MaterializedVersion, table: MaterializedTable): Promise<void>
  /** Changes a version's state. Resolves with the new state, or `undefined` if the version is not materialized. */
  change(versionId: string, next: (state: State) => State): Promise<State | undefined>
  /** Resolves when this process has no work in progress. */
  settled(): Promise<void>
  close(): Promise<void>
}

// How long a claim blocks other processes after its holder was killed. A busy holder may miss a few heartbeats.
const CLAIM_MS = 15_000
const HEARTBEAT_MS = 4_000

const newTableName = (versionId: string): string =>
  `rollup_${versionId.replaceAll('-', '')}_${randomBytes(4).toString('hex')}`

export const createMaintenance = ({ metadata, tables, log, now }: MaintenanceOptions): Maintenance => {
  /** This process's work, by version. */
  const work = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  let isClosed = false

  const iso = (ms: number) => new Date(ms).toISOString()
  const claimOf = (table: string) => ({ table, until: iso(now() + CLAIM_MS) })
  const change = async (versionId: string, next: (state: State) => State) =>
    (await metadata.materializations.change(versionId, (state) => next(state as State))) as State | undefined

  /** Builds a table under a claim and starts using it, unless another process has taken the claim in the meantime. */
  const buildAndSwap = async (materialized: MaterializedVersion, table: string, stop: AbortController) => {
    const { id } = materialized.version
    const whileClaimed = (next: (state: State) => State) =>
      change(id, (state) => (state.claim?.table === table ? next(state) : state))
    const heartbeat = setInterval(() => {
      whileClaimed((state) => ({ ...state, claim: claimOf(table) })).then(
        (state) => state?.claim?.table !== table && stop.abort(),
        () => {}, // The metadata store is unavailable: the claim is checked again at the end.
      )
    }, HEARTBEAT_MS)
    try {
      const built = await tables.build(materialized, table, stop.signal)
      const after = await whileClaimed((state) => ({ ...state, build: built, claim: undefined, error: undefined }))
      if (after?.build?.table !== table) await tables.drop(table)
    } catch (error) {
      // Gives up the claim, so that another process can begin immediately.
      if (stop.signal.aborted)
        return void (await whileClaimed((state) => ({ ...state, claim: undefined, lookedAt: undefined })))
      log(`materialization: building version ${id} failed: ${(error as Error).message}`)
      // The engine's own message contains the compiled SQL.
      const why =
        error instanceof StorageError
          ? `The engine rejected the build: ${error.engineCode ?? error.kind}.`
          : (error as Error).message
      await whileClaimed((state) => ({ ...state, claim: undefined, error: why, lookedAt: iso(now()) }))
    } finally {
      clearInterval(heartbeat)
    }
  }

  const retire = async ({ version }: MaterializedVersion, { table }: MaterializedTable) => {
    log(`materialization: the table of version ${version.id} no longer matches its events`)
    await change(version.id, (state) =>
      state.build?.table === table ? { ...state, build: undefined, lookedAt: undefined } : state,
    )
  }

  const maintain = async (materialized: MaterializedVersion, stop: AbortController): Promise<void> => {
    const { id, dataFreshnessSeconds } = materialized.version
    const table = newTableName(id)
    let due = 'nothing' as Due
    const state = await change(id, (before) => {
      due = dueOf(before, dataFreshnessSeconds, now())
      if (due === 'nothing') return before
      return { ...before, lookedAt: iso(now()), ...(due === 'build' ? { claim: claimOf(table) } : {}) }
    })
    if (due === 'build') return buildAndSwap(materialized, table, stop)
    if (due === 'nothing' || (await tables.isIntact(materialized, state!.build!))) return
    await retire(materialized, state!.build!)
    return maintain(materialized, stop)
  }

  const start = (materialized: MaterializedVersion) => {
    const { id } = materialized.version
    if (isClosed || work.has(id)) return
    const stop = new AbortController()
    const done = maintain(materialized, stop)
      .catch((error: unknown) => log(`materialization: ${(error as Error).message}`))
      .finally(() => {
        work.delete(id)
        // The state has changed, so other work may be due.
        if (stop.signal.aborted) start(materialized)
      })
    work.set(id, { stop, done })
  }

  const settled = async () => {
    while (work.size > 0) await Promise.allSettled([...work.values()].map(({ done }) => done))
  }

  return {
    start,
    abort: (versionId) => work.get(versionId)?.stop.abort(),
    retire,
    change,
    settled,
    async close() {
      isClosed = true
      for (const { stop } of work.values()) stop.abort()
      await settled()
    },
  }
}
