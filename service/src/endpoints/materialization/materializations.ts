import { randomUUID } from 'node:crypto'
import type { Log } from '../../lib/log.ts'
import type { EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { SMALL_READ, type Storage, type WorkLimits } from '../../storage/storage.ts'
import type { Materializer } from '../definitions/materializer.ts'
import { CLAIM_MS, createMaintenance, HEARTBEAT_MS } from './maintain.ts'
import { dueOf, type MaterializedTable, type State, stateOf, withStaleDays } from './state.ts'
import { createTables } from './tables.ts'
import { previewOf, viewOf } from './view.ts'
import { notMaterializable } from './violation.ts'

export interface MaterializationOptions {
  readonly metadata: Pick<Metadata, 'variables' | 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'run' | 'command' | 'work' | 'rowsDatabase'>
  readonly log: Log
  /** How long an insert may take until its rows are visible. Events of these last seconds are always read live. */
  readonly lagSeconds: number
  /** Resolves when no event of a project is being stored that could get an earlier time of arrival than now. */
  readonly settle?: (projectId: number) => Promise<unknown>
  /** Limits of a preview. */
  readonly previewLimits?: WorkLimits
  /** How long a table is kept after it was replaced, because runs may still be reading it. */
  readonly graceMs?: number
  readonly now?: () => number
}

export interface Materializations extends Materializer {
  /** Returns the table that runs of a version read. `undefined`: runs are live. */
  stored(version: EndpointVersion): MaterializedTable | undefined
  /** Stops using a table that returned wrong rows. Runs are live until materialization is enabled again. */
  turnOff(versionId: string, table: string, why: string): Promise<void>
  /**
   * Deletes events of a project with these ids: `work` does it. Runs are live from before until the days of these events are stored
   * again.
   */
  whileDeleting(projectId: number, ids: readonly string[], work: () => Promise<void>): Promise<void>
  /** Extends, checks and builds tables. */
  refresh(): Promise<void>
  /** Drops tables and layers that no process uses. */
  sweep(): Promise<void>
  /** Resolves when this process builds nothing. */
  settled(): Promise<void>
  close(): Promise<void>
}

const PREVIEW_LIMITS: WorkLimits = { maxSeconds: 20, maxMemoryBytes: 1_000_000_000 }
// A run may take a minute.
const GRACE_MS = 90_000

/**
 * Creates the maintenance of the tables of materialized endpoints: builds each table while the previous one is in use,
 * checks it and then switches to it. The state is stored with the endpoint's version.
 */
export const createMaterializations = ({
  metadata,
  storage,
  log,
  lagSeconds,
  settle = async () => {},
  previewLimits = PREVIEW_LIMITS,
  graceMs = GRACE_MS,
  now = Date.now,
}: MaterializationOptions): Materializations => {
  const { all, add, remove } = metadata.materializations
  const tables = createTables({ metadata, storage, log, lagSeconds, settle, now })
  const { start, abort, change, repair, settled, close } = createMaintenance({ metadata, tables, log, now })
  const { planFor } = tables
  /** Unused tables and layers, with the time they were first seen unused. */
  let unused: ReadonlyMap<string, number> = new Map()

  return {
    async check(projectId, query) {
      const plan = await planFor(projectId, query)
      return 'violations' in plan ? notMaterializable(plan.violations) : undefined
    },
    async enable(projectId, endpoint, version, takesDates) {
      const materialized = { projectId, endpointId: endpoint.id, version }
      await add(materialized, {})
      await change(version.id, (state) => ({
        ...state,
        ...(takesDates === undefined ? {} : { takesDates }),
        ...(state.inUse ? {} : { isTurnedOff: undefined, error: undefined, lookedAt: undefined }),
      }))
      start(materialized)
    },
    async disable(versionId) {
      await remove(versionId)
      abort(versionId)
    },
    isEnabled: (version) => stateOf(version) !== undefined,
    takesDates: (version) => stateOf(version)?.takesDates ?? stateOf(version) === undefined,
    view: async (projectId, endpoint, version) => viewOf(endpoint, version, await planFor(projectId, version.query)),
    async preview(projectId, endpoint, version) {
      const plan = await planFor(projectId, version.query)
      const view = viewOf(endpoint, version, plan)
      if ('violations' in plan) return view
      return {
        ...view,
        preview: await previewOf(plan.table, { storage, limits: previewLimits, projectId, now: now() }),
      }
    },
    stored: (version) => stateOf(version)?.inUse,
    async turnOff(versionId, table, why) {
      const materialized = (await all()).find(({ version }) => version.id === versionId)
      const current = materialized && stateOf(materialized.version)?.inUse
      if (current?.table !== table) return
      // If events were deleted, the table is stale rather than wrong.
      const isWhole = await tables.isUsable(materialized!, current, [])
      if (isWhole && (await repair(materialized!, current))) return start(materialized!)
      log(`materialization: version ${versionId} is turned off: ${why}`)
      await change(versionId, (state) =>
        state.inUse?.table === table
          ? { ...state, inUse: undefined, claim: undefined, error: why, isTurnedOff: true }
          : state,
      )
      abort(versionId)
    },
    async whileDeleting(projectId, ids, work) {
      const id = randomUUID()
      const changeAll = async (next: (state: State) => State) => {
        const own = (await all()).filter((each) => each.projectId === projectId)
        for (const { version } of own)
          await change(version.id, (state) => (state.isTurnedOff ? state : { ...next(state), lookedAt: undefined }))
        return own
      }
      let isOver = false
      const hold = (state: State): State =>
        isOver
          ? state
          : {
              ...state,
              claim: undefined,
              deletions: { ...state.deletions, [id]: new Date(now() + CLAIM_MS).toISOString() },
            }
      const release = (state: State): State => {
        const { [id]: _, ...deletions } = state.deletions ?? {}
        return { ...state, deletions }
      }
      // First nothing more is stored, then the stored days are known.
      for (const { version } of await changeAll((state) => hold(withStaleDays(state, [])))) abort(version.id)
      const days = await tables.daysOf(projectId, ids)
      await changeAll((state) => hold(withStaleDays(state, days)))
      const heartbeat = setInterval(() => void changeAll(hold).catch(() => {}), HEARTBEAT_MS)
      try {
        await work()
      } finally {
        clearInterval(heartbeat)
        isOver = true
        // A table that was created meanwhile may have some of the events.
        for (const materialized of await changeAll((state) => release(withStaleDays(state, days)))) start(materialized)
      }
    },
    async refresh() {
      for (const materialized of await all()) {
        if (dueOf(stateOf(materialized.version)!, now()) !== 'nothing') start(materialized)
      }
    },
    async sweep() {
      // First the tables, then what is used of them: a table's name is claimed before it is created.
      const existing = await storage.rows<{ table: string; layer: string | null }>(
        {
          text: "SELECT name AS table, NULL AS layer FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_') UNION ALL SELECT DISTINCT table, partition FROM system.parts WHERE database = 'db' AND startsWith(table, 'rollup_') AND active",
        },
        SMALL_READ,
      )
      const keyOf = (table: string, layer?: string | number | null) => JSON.stringify([table, Number(layer ?? 0)])
      const used = new Set(
        (await all()).flatMap(({ version }) => {
          const { inUse, stale, claim } = stateOf(version)!
          const tablesOf = [inUse, stale?.table].flatMap((each) => each ?? [])
          return [
            ...tablesOf.flatMap(({ table, layers }) => [keyOf(table), ...layers.map(({ id }) => keyOf(table, id))]),
            ...(claim ? [keyOf(claim.table), keyOf(claim.table, claim.layer)] : []),
          ]
        }),
      )
      const found = existing.filter(({ table, layer }) => !used.has(keyOf(table, layer)))
      unused = new Map(found.map(({ table, layer }) => [keyOf(table, layer), unused.get(keyOf(table, layer)) ?? now()]))
      for (const { table, layer } of found) {
        const isUsedTable = used.has(keyOf(table))
        if (now() - unused.get(keyOf(table, layer))! < graceMs || (layer !== null && !isUsedTable)) continue
        await tables.drop(table, layer === null ? undefined : Number(layer))
      }
    },
    settled,
    close,
  }
}
