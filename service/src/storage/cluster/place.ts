import { SMALL_READ, type Storage } from '../storage.ts'

/** Place of a node in its cluster. */
export interface Place {
  /** Name of the node's shard. */
  readonly shard: string
  /** Number of shards of the cluster. */
  readonly shards: number
  /** Number of nodes of the cluster. */
  readonly members: number
  /** Number of replicas of the shard with the fewest. */
  readonly replicas: number
  /** Number of replicas of the shard with the most. */
  readonly maxReplicas: number
  /** Whether the node has a Keeper, which replication needs. */
  readonly isReplicated: boolean
}

const SIZES = `SELECT shard_num AS shard, count() AS replicas FROM system.clusters WHERE cluster = {name:String} GROUP BY shard`

const OWN = `SELECT
  (SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper') > 0 AS isReplicated,
  (SELECT any(substitution) FROM system.macros WHERE macro = 'shard') AS macro,
  (SELECT any(shard_num) FROM system.clusters WHERE cluster = {name:String} AND is_local) AS number`

const unknownCluster = async (storage: Pick<Storage, 'rows'>, name: string): Promise<Error> => {
  const known = await storage.rows<{ cluster: string }>(
    { text: 'SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster' },
    SMALL_READ,
  )
  return new Error(
    known.length
      ? `The ClickHouse server has no cluster "${name}": set CLICKHOUSE_CLUSTER to one of ${known.map(({ cluster }) => cluster).join(', ')}.`
      : `The ClickHouse server has no cluster "${name}", or any other: define it in remote_servers.`,
  )
}

/**
 * Returns the place of a node. Replicas of a shard share the macro `shard`, which their tables' paths contain. Rejects
 * if the node does not know the cluster.
 */
export const placeOf = async (storage: Pick<Storage, 'rows'>, name: string): Promise<Place> => {
  const params = { name }
  const sizes = await storage.rows<{ replicas: number }>({ text: SIZES, params }, SMALL_READ)
  if (!sizes.length) throw await unknownCluster(storage, name)
  const [own] = await storage.rows<{ isReplicated: number; macro: string; number: number }>(
    { text: OWN, params },
    SMALL_READ,
  )
  const replicas = sizes.map((each) => Number(each.replicas))
  const isReplicated = Boolean(own!.isReplicated)
  return {
    shard: isReplicated ? own!.macro : String(own!.number),
    shards: sizes.length,
    members: replicas.reduce((sum, each) => sum + each, 0),
    replicas: Math.min(...replicas),
    maxReplicas: Math.max(...replicas),
    isReplicated,
  }
}
