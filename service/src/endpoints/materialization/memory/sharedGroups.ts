import { NO_CALLER, type Storage } from '../../../storage/storage.ts'
import { createBatches } from './batches.ts'
import type { CellRun, CellsAt } from './cells.ts'
import type { Row } from './finish.ts'
import { isTooLarge, MAX_CELLS } from './slices.ts'
import type { TimeRange } from '../timeRange.ts'

/** Maximum runs of one statement. */
const MAX_TOGETHER = 32

interface GroupsRequest {
  readonly places: readonly TimeRange[]
  readonly signal: AbortSignal
}

/** Reads the groups of a run's events in time ranges. One statement serves the runs that came during the last one. */
export type SharedGroups = (
  run: CellRun,
  options: CellsAt,
  places: readonly TimeRange[],
) => Promise<readonly Row[] | undefined>

export const createSharedGroups = (storage: Pick<Storage, 'run'>): SharedGroups => {
  const batches = createBatches<GroupsRequest, readonly Row[] | undefined>()
  return (run, { limits, signal }, places) => {
    const send = async (runs: readonly GroupsRequest[]): Promise<readonly (readonly Row[] | undefined)[]> => {
      const isAlone = runs.length === 1
      try {
        const { idPrefix: _, ...shared } = limits
        const { rows } = await storage.run(
          run.statements.groups(runs.map((each) => each.places)),
          { ...(isAlone ? limits : shared), maxRows: MAX_CELLS, tables: [run.stored.table] },
          // No caller can cancel what others wait for.
          isAlone ? runs[0]!.signal : NO_CALLER,
        )
        if (isAlone) return [rows]
        const found = runs.map((): Row[] => [])
        for (const [at, ...row] of rows) found[Number(at)]!.push(row)
        return found
      } catch (error) {
        // Each run may succeed alone, and its own statement may have fewer rows.
        if (isAlone && !isTooLarge(error)) throw error
        return runs.map(() => undefined)
      }
    }
    return batches.add(`${run.key} ${run.stored.isComplete}`, { places, signal }, async (runs) => {
      const found: (readonly Row[] | undefined)[] = []
      for (let from = 0; from < runs.length; from += MAX_TOGETHER)
        found.push(...(await send(runs.slice(from, from + MAX_TOGETHER))))
      return found
    })
  }
}
