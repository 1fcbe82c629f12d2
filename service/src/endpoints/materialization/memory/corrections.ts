import { NO_CALLER, type Statement, type Storage } from '../../../storage/storage.ts'
import type { CellRun, CellsAt } from './cells.ts'
import type { Slice } from './slice.ts'
import { MAX_CELLS } from './slices.ts'
import { HOUR_MS, joined } from '../timeRange.ts'

/** Returns the ids that may belong to other persons since an epoch. `undefined`: it may be any. */
export type ChangedIds = (projectId: number, from: number, to: number) => readonly string[] | undefined

export interface CorrectionOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly changedIds: ChangedIds
}

/** Maximum time ranges that are computed again after merges. More are nearly all. */
const MAX_CORRECTED = 50

/** Returns a function that computes the groups with events of merged ids again. */
export const correctedFor =
  ({ storage, changedIds }: CorrectionOptions, run: CellRun, { owners, limits }: CellsAt) =>
  async (before: Slice, epoch: number): Promise<Slice | undefined> => {
    const ids = changedIds(run.projectId, epoch, owners)
    if (!ids || !run.isTimed) return undefined
    const { idPrefix: _, ...shared } = limits
    const read = (statement: Statement) =>
      storage.run(statement, { ...shared, maxRows: MAX_CELLS, tables: [run.stored.table] }, NO_CALLER)
    const changed = new Set((await read(run.statements.groupsOf(ids))).rows.map((row) => JSON.stringify(row)))
    if (changed.size === 0) return before
    const extents = before.groups.flatMap(({ key }, at) =>
      changed.has(key) ? { from: before.from[at]!, to: before.to[at]! + HOUR_MS } : [],
    )
    const places = joined(extents)
    if (places.length > MAX_CORRECTED) return undefined
    const { rows } = await read(run.statements.settled(places))
    const values = new Map(rows.map((row) => [JSON.stringify(row.slice(0, run.groupCount)), row.slice(run.groupCount)]))
    if (![...changed].every((key) => values.has(key))) return undefined
    return {
      ...before,
      values: before.groups.map(({ key }, at) => (changed.has(key) ? values.get(key)! : before.values[at]!)),
    }
  }
