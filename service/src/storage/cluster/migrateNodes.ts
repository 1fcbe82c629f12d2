import { pause } from '../../lib/wait.ts'
import { nodeLayout } from '../schema/layout.ts'
import { migrate } from '../schema/migrate.ts'
import type { Schema } from '../schema/schema.ts'
import { SMALL_READ, type Storage, StorageError } from '../storage.ts'
import type { Cluster, Node } from './cluster.ts'

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

interface Member {
  readonly shard: number
  readonly replica: number
}

const membersOf = async (storage: Storage, name: string): Promise<Member[]> => {
  const members = await storage.rows<Member>(
    {
      text: 'SELECT shard_num AS shard, replica_num AS replica FROM system.clusters WHERE cluster = {name:String}',
      params: { name },
    },
    SMALL_READ,
  )
  if (members.length) return members
  const known = await storage.rows<{ cluster: string }>(
    {
      text: 'SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster',
    },
    SMALL_READ,
  )
  throw new Error(
    known.length
      ? `The ClickHouse server has no cluster "${name}": set CLICKHOUSE_CLUSTER to one of ${known.map(({ cluster }) => cluster).join(', ')}.`
      : `The ClickHouse server has no cluster "${name}", or any other: define it in remote_servers.`,
  )
}

const hasKeeper = async (storage: Storage): Promise<boolean> => {
  const [found] = await storage.rows<{ tables: number }>(
    {
      text: "SELECT count() AS tables FROM system.tables WHERE database = 'system' AND name = 'zookeeper'",
    },
    SMALL_READ,
  )
  return Number(found!.tables) > 0
}

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

/** Runs the missing migrations on one node. */
const migrateNode = async (
  { storage, host }: Node,
  name: string,
  nodeCount: number,
  schema: Schema,
): Promise<string[]> => {
  const members = await membersOf(storage, name)
  if (members.length !== nodeCount) {
    throw new Error(
      `The cluster "${name}" has ${members.length} nodes and CLICKHOUSE_URL names ${nodeCount}: list each node once, http://user:password@one:8123,http://user:password@two:8123.`,
    )
  }
  const isReplicated = await hasKeeper(storage)
  if (!isReplicated && members.some(({ replica }) => replica > 1)) {
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
  return migrate(storage, schema.migrations, nodeLayout({ cluster: name, isReplicated, alone, tables: schema.tables }))
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
      for (const step of await migrateNode(node, name, nodes.length, schema)) taken.add(step)
      return true
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'unavailable') return false
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
      `The node ${node.host} is unavailable. Its events cannot be read or written until it is back. Its migrations will run then.`,
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
