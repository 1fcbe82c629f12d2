import { type Layout, SHARD } from '../schema/layout.ts'
import { SMALL_READ, type Storage, StorageError } from '../storage.ts'

type Rows = Pick<Storage, 'rows'>
type Target = Pick<Storage, 'rows' | 'insert' | 'command'>

interface Step {
  readonly id: number
  readonly name: string
}

const stepsOf = (storage: Rows, ledger: string) =>
  storage.rows<Step>({ text: `SELECT id, name FROM ${ledger}` }, SMALL_READ)

const tablesOf = (storage: Rows) =>
  storage.rows<{ statement: string }>(
    {
      text: "SELECT create_table_query AS statement FROM system.tables WHERE database = {database:String} AND engine LIKE 'Replicated%' ORDER BY name",
      params: { database: SHARD },
    },
    { ...SMALL_READ, maxBytes: 10_000_000 },
  )

const stillKnown = (error: StorageError): Error =>
  new Error(
    `The Keeper still has the replica that this node was before it lost its disk: once its session has ended, run SYSTEM DROP REPLICA with the node's macro "replica" on another node of its shard, then start again. ${error.message}`,
  )

/**
 * Creates the tables of a shard on a replica that lacks migrations which another replica of the shard has run. The
 * Keeper has the tables as they are after the last migration, and rejects a replica that creates them as they were
 * after the first. Statements on replicated tables reach all replicas, so the migrations are recorded, not run. Rejects
 * with what to do if the node has lost its disk.
 */
export const copyTables = async (storage: Target, replicas: readonly Rows[], layout: Layout): Promise<void> => {
  for (const statement of layout.prepare) await storage.command(statement)
  for (const replica of replicas) {
    const own = new Set((await stepsOf(storage, layout.ledger)).map(({ id }) => id))
    const missing = (await stepsOf(replica, layout.ledger)).filter(({ id }) => !own.has(id))
    if (!missing.length) continue
    for (const { statement } of await tablesOf(replica)) {
      try {
        await storage.command(statement.replace(/^CREATE TABLE (?!IF NOT EXISTS)/, 'CREATE TABLE IF NOT EXISTS '))
      } catch (error) {
        throw error instanceof StorageError && error.engineCode === 'REPLICA_ALREADY_EXISTS' ? stillKnown(error) : error
      }
    }
    await storage.insert(
      layout.ledger,
      missing.map((step) => JSON.stringify(step)),
    )
  }
}
