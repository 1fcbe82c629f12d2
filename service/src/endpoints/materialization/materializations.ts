import type { Log } from '../../lib/log.ts'
import type { EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { SMALL_READ, type Storage, type WorkLimits } from '../../storage/storage.ts'
import type { Materializer } from '../definitions/materializer.ts'
import { createTables } from './buildTable.ts'
import { createMaintenance } from './maintain.ts'
import { dueOf, type MaterializedTable, stateOf } from './state.ts'
import { previewOf, viewOf } from './view.ts'
import { notMaterializable } from './violation.ts'

export interface MaterializationOptions {
  readonly metadata: Pick<Metadata, 'variables' | 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'run' | 'command' | 'work'>
  readonly log: Log
  /** How long an insert may take until its rows are visible. Events of these last seconds are always read live. */
  readonly lagSeconds: number
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
  /** Call when events of a project may have been deleted or changed: its runs are live until its tables are rebuilt. */
  invalidate(projectId: number): Promise<void>
  /** Rebuilds tables that are stale, inconsistent or abandoned. */
  refresh(): Promise<void>
  /** Drops tables that no process uses. */
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
  previewLimits = PREVIEW_LIMITS,
  graceMs = GRACE_MS,
  now = Date.now,
}: MaterializationOptions): Materializations => {
  const { all, add, remove } = metadata.materializations
  const tables = createTables({ metadata, storage, log, lagSeconds, now })
  const { start, abort, change, retire, settled, close } = createMaintenance({ metadata, tables, log, now })
  const { planFor } = tables
  /** Unused tables, with the time they were first seen unused. */
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
        ...(state.build ? {} : { isTurnedOff: undefined, error: undefined, lookedAt: undefined }),
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
    stored: (version) => stateOf(version)?.build,
    async turnOff(versionId, table, why) {
      const materialized = (await all()).find(({ version }) => version.id === versionId)
      const current = materialized && stateOf(materialized.version)?.build
      if (current?.table !== table) return
      // If events were deleted, the table is stale rather than wrong.
      if (!(await tables.isUpToDate(materialized!, current))) {
        await retire(materialized!, current)
        return start(materialized!)
      }
      log(`materialization: version ${versionId} is turned off: ${why}`)
      await change(versionId, (state) =>
        state.build?.table === table
          ? { ...state, build: undefined, claim: undefined, error: why, isTurnedOff: true }
          : state,
      )
      abort(versionId)
    },
    async invalidate(projectId) {
      for (const materialized of await all()) {
        if (materialized.projectId !== projectId) continue
        const { id } = materialized.version
        await change(id, (state) =>
          state.isTurnedOff ? state : { ...state, build: undefined, claim: undefined, lookedAt: undefined },
        )
        abort(id)
        start(materialized)
      }
    },
    async refresh() {
      for (const materialized of await all()) {
        const { version } = materialized
        if (dueOf(stateOf(version)!, version.dataFreshnessSeconds, now()) !== 'nothing') start(materialized)
      }
    },
    async sweep() {
      // First the tables, then the names in use: a table's name is claimed before the table is created.
      const existing = await storage.rows<{ name: string }>(
        {
          text: "SELECT name FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_')",
        },
        SMALL_READ,
      )
      const used = new Set(
        (await all()).flatMap(({ version }) => [stateOf(version)!.build?.table, stateOf(version)!.claim?.table]),
      )
      unused = new Map(existing.flatMap(({ name }) => (used.has(name) ? [] : [[name, unused.get(name) ?? now()]])))
      for (const [name, since] of unused) if (now() - since >= graceMs) await tables.drop(name)
    },
    settled,
    close,
  }
}
