import type { Log } from '../../lib/log.ts'
import { SMALL_READ, type Storage } from '../../storage/storage.ts'
import type { MaterializedTable } from './tables/state.ts'

/** Knows which tables contain every event of their project. Runs read nothing besides such a table. */
export interface Arrivals {
  /**
   * Whether no event has arrived since the table's watermark, as of `epoch`. If this is unknown, returns false and finds it out
   * in the background.
   */
  isComplete(projectId: number, table: MaterializedTable, epoch: number): boolean
  /** Resolves when nothing is being found out. */
  settled(): Promise<void>
}

// A project has few materialized versions. If one is evicted, the next check costs one statement.
const MAX_KNOWN = 10_000

/**
 * Creates the knowledge about arrivals. Every delivery advances its project's epoch after its rows are visible. So if no row was
 * there after an epoch was read, none is there until the epoch changes.
 */
export const createArrivals = ({ storage, log }: { storage: Pick<Storage, 'rows'>; log: Log }): Arrivals => {
  /** By table and watermark: the epoch as of which no event had arrived. `undefined`: an event has arrived. */
  const known = new Map<string, number | undefined>()
  const looking = new Map<string, Promise<void>>()

  const look = async (projectId: number, name: string, watermark: string, epoch: number) => {
    const found = await storage.rows(
      {
        text: 'SELECT 1 FROM db.events WHERE project_id = {projectId:UInt32} AND inserted_at >= {watermark:DateTime64(3)} LIMIT 1',
        params: { projectId, watermark },
      },
      SMALL_READ,
    )
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(name, found.length === 0 ? epoch : undefined)
  }

  return {
    isComplete(projectId, table, epoch) {
      const name = `${table.table} ${table.watermark}`
      const quietAt = known.get(name)
      if (quietAt === epoch) return true
      if (!looking.has(name) && !(known.has(name) && quietAt === undefined))
        looking.set(
          name,
          look(projectId, name, table.watermark, epoch)
            .catch((error: Error) => log(`materialization: looking for new events failed: ${error.message}`))
            .finally(() => looking.delete(name)),
        )
      return false
    },
    async settled() {
      await Promise.all(looking.values())
    },
  }
}
