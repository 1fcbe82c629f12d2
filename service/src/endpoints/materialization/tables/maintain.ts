import { randomBytes } from 'node:crypto'
import type { Log } from '../../../lib/log.ts'
import type { MaterializedVersion, Metadata } from '../../../storage/metadata/metadata.ts'
import { type Storage, StorageError } from '../../../storage/storage.ts'
import { lastChange } from './changes.ts'
import { newLayer } from '../layers.ts'
import { dueOf, type MaterializedTable, type State, withStaleDays } from './state.ts'
import type { Tables, Task } from './tables.ts'

export interface MaintenanceOptions {
  readonly metadata: Pick<Metadata, 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'rowsDatabase'>
  readonly tables: Tables
  readonly log: Log
  readonly now: () => number
}

/** Keeps the tables of versions current. Of several processes, one at a time claims a build. */
export interface Maintenance {
  /** Runs due work for a version in the background, unless this process is already doing so. */
  start(version: MaterializedVersion): void
  /** Aborts this process's work on a version, because the state that it began from has changed. */
  abort(versionId: string): void
  /**
   * Stores the days of a table again if their events have changed. Resolves with whether there are such days. If so, runs are live until it
   * is done.
   */
  repair(version: MaterializedVersion, table: MaterializedTable): Promise<boolean>
  /** Changes a version's state. Resolves with the new state, or `undefined` if the version is not materialized. */
  change(versionId: string, next: (state: State) => State): Promise<State | undefined>
  /** Resolves when this process has no work in progress. */
  settled(): Promise<void>
  close(): Promise<void>
}

// Time for which a claim blocks other processes after its holder was killed. A busy holder may miss a few heartbeats.
export const CLAIM_MS = 15_000
export const HEARTBEAT_MS = 4_000
// Counting reads a column or two of all events. An earlier change is noticed by what the engine says about its last one.
const COUNT_INTERVAL_MS = 3_600_000

const contentOf = ({ inUse, stale }: State): string => JSON.stringify([inUse, stale])

const newTableName = (versionId: string): string =>
  `rollup_${versionId.replaceAll('-', '')}_${randomBytes(4).toString('hex')}`

export const createMaintenance = ({ metadata, storage, tables, log, now }: MaintenanceOptions): Maintenance => {
  /** This process's work, by version. */
  const work = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  let isClosed = false

  const iso = (ms: number) => new Date(ms).toISOString()
  const claimOf = ({ table, layer }: Task) => ({ table, layer, until: iso(now() + CLAIM_MS) })
  const change = async (versionId: string, next: (state: State) => State) =>
    (await metadata.materializations.change(versionId, (state) => next(state as State))) as State | undefined

  /** Stores a layer under a claim and starts using it, unless another process has taken the claim in the meantime. */
  const storeAndUse = async (materialized: MaterializedVersion, task: Task, stop: AbortController) => {
    const { id } = materialized.version
    const whileClaimed = (next: (state: State) => State) =>
      change(id, (state) => (state.claim?.layer === task.layer ? next(state) : state))
    const heartbeat = setInterval(() => {
      whileClaimed((state) => ({ ...state, claim: claimOf(task) })).then(
        (state) => state?.claim?.layer !== task.layer && stop.abort(),
        () => {}, // The metadata store is unavailable. The claim is checked again at the end.
      )
    }, HEARTBEAT_MS)
    try {
      const stored = await tables.store(materialized, task, stop.signal)
      let isUsed = false
      await whileClaimed((state) => {
        isUsed = true
        return { ...state, inUse: stored, stale: undefined, claim: undefined, error: undefined }
      })
      if (!isUsed) await tables.drop(task.table, task.previous && task.layer)
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

  const lose = async ({ version }: MaterializedVersion, { table }: MaterializedTable) => {
    log(`materialization: the table of version ${version.id} is lost`)
    await change(version.id, (state) =>
      (state.inUse ?? state.stale?.table)?.table === table
        ? { ...state, inUse: undefined, stale: undefined, lookedAt: undefined }
        : state,
    )
  }

  const repair = async (materialized: MaterializedVersion, { table }: MaterializedTable) => {
    const { id } = materialized.version
    // Before counting: a later change is noticed later.
    const counted = { at: iso(now()), change: await lastChange(storage) }
    const { inUse } = (await change(id, (state) => state)) ?? {}
    const days = inUse?.table === table ? await tables.changedDays(materialized, inUse) : []
    if (days.length > 0) log(`materialization: ${days.length} days of the table of version ${id} are stored again`)
    await change(id, (state) => {
      const next = { ...state, counted }
      return days.length > 0 ? { ...withStaleDays(next, days), lookedAt: undefined } : next
    })
    return days.length > 0
  }

  const isCountDue = async ({ counted }: State): Promise<boolean> =>
    !counted || now() - Date.parse(counted.at) >= COUNT_INTERVAL_MS || (await lastChange(storage)) > counted.change

  const maintain = async (materialized: MaterializedVersion, stop: AbortController): Promise<void> => {
    const { id } = materialized.version
    const before = (await change(id, (state) => state)) ?? {}
    if (dueOf(before, now()) === 'nothing') return
    const known = before.inUse ?? before.stale?.table
    const isUsable = known && (await tables.isUsable(materialized, known, before.stale ? before.stale.days : []))
    if (known && !isUsable) {
      await lose(materialized, known)
      return maintain(materialized, stop)
    }
    if (before.inUse && (await isCountDue(before)) && (await repair(materialized, before.inUse)))
      return maintain(materialized, stop)
    let task: Task | undefined
    await change(id, (state) => {
      task = undefined
      const due = dueOf(state, now())
      // Another process, or a deletion, was quicker.
      if (due === 'nothing' || contentOf(state) !== contentOf(before)) return state
      const looked = { ...state, lookedAt: iso(now()) }
      if (due === 'check') return looked
      const previous = state.inUse ?? state.stale?.table
      task = {
        table: previous?.table ?? newTableName(id),
        layer: newLayer(),
        previous,
        days: state.stale?.days ?? [],
      }
      return { ...looked, claim: claimOf(task) }
    })
    if (task) await storeAndUse(materialized, task, stop)
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
    repair,
    change,
    settled,
    async close() {
      isClosed = true
      for (const { stop } of work.values()) stop.abort()
      await settled()
    },
  }
}
