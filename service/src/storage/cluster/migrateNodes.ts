import { pause } from '../../lib/wait.ts'
import { nodeLayout, SHARD } from '../schema/layout.ts'
import { migrate } from '../schema/migrate.ts'
import type { Schema } from '../schema/schema.ts'
import { SMALL_READ, type Storage, StorageError } from '../storage.ts'
import type { Cluster, Node } from './cluster.ts'
import { copyTables } from './copyTables.ts'
import { placeOf } from './place.ts'

export interface MigrateNodesOptions {
  readonly cluster: Pick<Cluster, 'nodes'>
  /** Name of the cluster in the nodes' `remote_servers`. */
  readonly name: string
  readonly schema: Schema
  readonly log: (line: string) => void
}

export interface NodeMigrations {
  /** Names of the migrations that ran, on any node. */
  readonly taken: readonly string[]
  /** Stops waiting for unavailable nodes. */
  stop(): Promise<void>
}

const RETRY_MS = 1_000

const isAway = (error: unknown) => error instanceof StorageError && error.kind === 'unavailable'

const standaloneTables = async (storage: Storage, { tables: known }: Schema): Promise<string[]> => {
  const tables = await storage.rows<{ name: string }>(
    {
      text: "SELECT name FROM system.tables WHERE database = 'db' AND engine LIKE '%MergeTree' AND name IN {names:Array(String)} ORDER BY name",
      params: { names: [...known.map(({ name }) => name), 'migrations'] },
    },
    SMALL_READ,
  )
  return tables.map(({ name }) => name)
}

const hasLedger = async (storage: Pick<Storage, 'rows'>): Promise<boolean> => {
  const found = await storage.rows(
    {
      text: "SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'migrations'",
      params: { database: SHARD },
    },
    SMALL_READ,
  )
  return found.length > 0
}

/** Returns the available replicas of a shard that have tables. */
const replicasOf = async (shard: string, nodes: readonly Node[], name: string): Promise<readonly Storage[]> => {
  const found: Storage[] = []
  for (const { storage } of nodes) {
    try {
      if ((await placeOf(storage, name)).shard === shard && (await hasLedger(storage))) found.push(storage)
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }
  return found
}

/** Runs the missing migrations on one node. `others`: the other nodes of the cluster. */
const migrateNode = async (
  { storage, host }: Node,
  others: readonly Node[],
  name: string,
  schema: Schema,
): Promise<string[]> => {
  const { isReplicated, shard, members, maxReplicas } = await placeOf(storage, name)
  if (members !== others.length + 1) {
    throw new Error(
      `The cluster "${name}" has ${members} nodes and CLICKHOUSE_URL names ${others.length + 1}: list each node once, http://user:password@one:8123,http://user:password@two:8123.`,
    )
  }
  if (!isReplicated && maxReplicas > 1) {
    throw new Error(
      `The cluster "${name}" has replicas, but ${host} has no Keeper to replicate rows: configure a Keeper on its nodes, or make each node a separate shard.`,
    )
  }
  const alone = await standaloneTables(storage, schema)
  if (isReplicated && alone.length) {
    throw new Error(
      `${host} has unreplicated tables from when it was a standalone server (${alone.map((table) => `db.${table}`).join(', ')}): copy their rows into a new, empty cluster with INSERT … SELECT FROM remote(…).`,
    )
  }
  const layout = nodeLayout({ cluster: name, isReplicated, alone, tables: schema.tables })
  if (isReplicated) await copyTables(storage, await replicasOf(shard, others, name), layout)
  return migrate(storage, schema.migrations, layout)
}

/**
 * Runs the missing migrations on every node of a cluster, on available nodes before it resolves and on the others when
 * they are back. Rejects if no node responds, or if the cluster does not match the configuration.
 */
export const migrateNodes = async ({
  cluster: { nodes },
  name,
  schema,
  log,
}: MigrateNodesOptions): Promise<NodeMigrations> => {
  let isStopped = false
  const taken = new Set<string>()

  const attempt = async (node: Node): Promise<boolean> => {
    try {
      const others = nodes.filter((each) => each !== node)
      for (const step of await migrateNode(node, others, name, schema)) taken.add(step)
      return true
    } catch (error) {
      if (isAway(error)) return false
      throw error
    }
  }

  const away: Node[] = []
  // One node at a time, because replicas of a shard share the path of their tables.
  for (const node of nodes) if (!(await attempt(node))) away.push(node)
  if (away.length === nodes.length)
    throw new Error('No node of CLICKHOUSE_URL responds: check the URLs, and that the servers are running.')

  const follow = async (node: Node) => {
    log(
      `The node ${node.host} is unavailable. Unless its shard has another replica, its events cannot be read or written until it is back. Its migrations will run then.`,
    )
    while (!isStopped) {
      try {
        if (await attempt(node)) return log(`The node ${node.host} is available again and up to date.`)
      } catch (error) {
        log(
          `Migrating the node ${node.host} failed and is retried in ${RETRY_MS / 1_000} s: ${(error as Error).message}`,
        )
      }
      await pause(RETRY_MS)
    }
  }
  const following = away.map(follow)

  return {
    taken: [...taken],
    async stop() {
      isStopped = true
      await Promise.all(following)
    },
  }
}
