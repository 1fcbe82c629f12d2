import type { Log } from '../../lib/log.ts'
import type { EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import type { Storage, WorkLimits } from '../../storage/storage.ts'
import type { Materializer } from '../definitions/materializer.ts'
import { createWhileChanging, createWhileDeleting, type WhileChanging, type WhileDeleting } from './tables/deletions.ts'
import { createMaintenance } from './tables/maintain.ts'
import { dueOf, type MaterializedTable, stateOf } from './tables/state.ts'
import { createSweep } from './tables/sweep.ts'
import { createTables } from './tables/tables.ts'
import { previewOf, viewOf } from './tables/view.ts'
import { notMaterializable } from './violation.ts'

export interface MaterializationOptions {
  readonly metadata: Pick<Metadata, 'variables' | 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'run' | 'command' | 'work' | 'rowsDatabase'>
  readonly log: Log
  /** Maximum time until the rows of an insert are visible. Events of this period are always read live. */
  readonly lagSeconds: number
  /** Resolves when no event of a project is being stored that could get an earlier time of arrival than now. */
  readonly settle?: (projectId: number) => Promise<unknown>
  /** Limits of a preview. */
  readonly previewLimits?: WorkLimits
  /** Time that a replaced table is kept, because runs may still be reading it. */
  readonly graceMs?: number
  readonly now?: () => number
}

export interface Materializations extends Materializer {
  /** Returns the table that runs of a version read. `undefined`: runs are live. */
  stored(version: EndpointVersion): MaterializedTable | undefined
  /** Stops using a table that returned wrong rows. Runs are live until materialization is enabled again. */
  turnOff(versionId: string, table: string, why: string): Promise<void>
  readonly whileDeleting: WhileDeleting
  readonly whileChanging: WhileChanging
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
  const maintenance = createMaintenance({ metadata, storage, tables, log, now })
  const { start, abort, change, repair, settled, close } = maintenance
  const { planFor } = tables
  const whileChanging = createWhileChanging({ metadata, maintenance, now })

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
    async refresh() {
      for (const materialized of await all()) {
        if (dueOf(stateOf(materialized.version)!, now()) !== 'nothing') start(materialized)
      }
    },
    sweep: createSweep({ metadata, storage, tables, graceMs, now }),
    whileDeleting: createWhileDeleting({ storage }, whileChanging),
    whileChanging,
    settled,
    close,
  }
}
