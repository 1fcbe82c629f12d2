import { createHash } from 'node:crypto'
import { pause } from '../../lib/wait.ts'
import { createClickhouse, type NodeOptions } from '../clickhouse.ts'
import type { Settings } from '../clickhouseHttp.ts'
import { SHARD } from '../schema/layout.ts'
import { type JsonLines, SMALL_READ, type Storage, StorageError } from '../storage.ts'
import { type Place, placeOf } from './place.ts'

export interface Node {
  /** Storage of this node only. Tables of `db` still cover the whole cluster. */
  readonly storage: Storage
  /** Host and port of the node. */
  readonly host: string
}

export interface Cluster extends Storage {
  readonly nodes: readonly Node[]
}

/**
 * Settings of every statement. They override the server's profile, because the correctness of results depends on them.
 */
const SETTINGS: Settings = {
  // A query fails if a shard is unavailable, because its result would be incomplete.
  skip_unavailable_shards: 0,
  // An insert succeeds only after the rows are in their shards.
  distributed_foreground_insert: 1,
  // Subqueries of conditions and joins read all shards, not only the local one.
  distributed_product_mode: 'global',
  // All nodes read the same replica of a shard.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // A replica that lacks rows of the others is not read. If a shard has no other replica, the query fails.
  max_replica_delay_for_distributed_queries: 1,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  // A replica that was away reads without the rows that were deleted meanwhile.
  apply_mutations_on_fly: 1,
  // A node that has just come back computes the columns of visits until its migrations have run. Without this setting, it
  // rejects their values.
  insert_allow_materialized_columns: 1,
}

// Long enough for a busy node, short enough to wait for once.
const PING_MS = 2_000
const AWAY_MS = 5_000
const POLL_MS = 50
const FEW_MS = 60_000

// Number of tries of an insert that some replicas have not confirmed. The token makes all tries one insert.
const QUORUM_TRIES = 3
const QUORUM_MS = 4_000

/** Returns the token of a batch, by which replicas recognize a batch that any of them has stored. */
const tokenOf = (rows: JsonLines): string =>
  createHash('sha256')
    .update(Buffer.isBuffer(rows) ? rows : rows.join('\n'))
    .digest('hex')

/** Returns the number of replicas that must have the rows of an insert. 0: no quorum. */
const quorumOf = ({ isReplicated, replicas }: Place): number =>
  isReplicated && replicas > 1 ? Math.floor(replicas / 2) + 1 : 0

const hasCode = (error: unknown, code: string) => error instanceof StorageError && error.engineCode === code

// The engine keeps the deletion for the replicas that are away, and runs it when they are back.
const isLeftToReplicas = (error: unknown) => hasCode(error, 'UNFINISHED')

const isAway = (error: unknown): error is StorageError => error instanceof StorageError && error.kind === 'unavailable'

export interface ClusterOptions extends Pick<NodeOptions, 'tables' | 'seenRows'> {
  /** Name of the cluster in the nodes' `remote_servers`. */
  readonly name: string
  /** Called when a shard has too few replicas for a quorum, at most once a minute. */
  readonly onFewReplicas?: () => void
  readonly now?: () => number
}

/**
 * Creates one storage for a cluster. Any node accepts any statement. Reads rotate through the nodes and skip nodes
 * that do not respond. `urls`: one per node. The error of a failed statement names the unavailable nodes.
 */
export const createCluster = (
  urls: readonly string[],
  { tables, seenRows, name, onFewReplicas = () => {}, now = Date.now }: ClusterOptions,
): Cluster => {
  const awayUntil = new Map<Node, number>()
  let turn = 0

  const isRunning = async ({ storage }: Node, id: string): Promise<boolean> => {
    try {
      return (
        (
          await storage.rows(
            { text: 'SELECT 1 FROM system.processes WHERE initial_query_id = {id:String}', params: { id } },
            SMALL_READ,
          )
        ).length > 0
      )
    } catch {
      return false // An unavailable node is checked before anything is stored again, because lookups fail without it.
    }
  }

  // A node may still be storing rows from one that went down. Waits for it, because killed inserts made nodes crash.
  const ended = async (queryId: string) => {
    await Promise.all(
      nodes.map(async (node) => {
        while (await isRunning(node, queryId)) await pause(POLL_MS)
      }),
    )
  }

  const nodes: readonly Node[] = urls.map((url) => ({
    storage: createClickhouse(() => ({ url }), {
      tables,
      settings: SETTINGS,
      databases: ['db', SHARD],
      ended,
      ...(seenRows ? { seenRows } : {}),
    }),
    host: new URL(url).host,
  }))

  const inTurn = (): readonly Node[] => {
    turn = (turn + 1) % nodes.length
    const round = [...nodes.slice(turn), ...nodes.slice(0, turn)]
    const isIn = (node: Node) => (awayUntil.get(node) ?? 0) <= now()
    return [...round.filter(isIn), ...round.filter((node) => !isIn(node))]
  }

  const responds = async (node: Node): Promise<boolean> => {
    const isIn = await node.storage.ready(PING_MS)
    if (isIn) awayUntil.delete(node)
    else awayUntil.set(node, now() + AWAY_MS)
    return isIn
  }

  const naming = async (error: StorageError): Promise<StorageError> => {
    const found = await Promise.all(nodes.map(responds))
    const missing = nodes.flatMap(({ host }, place) =>
      found[place] ? [] : [{ host, words: `node ${place + 1} of ${nodes.length}` }],
    )
    if (!missing.length) return error
    return new StorageError(
      'unavailable',
      `${missing.map(({ host, words }) => `${words} (${host})`).join(' and ')} ${missing.length > 1 ? 'do' : 'does'} not respond: ${error.message}`,
      error.engineCode,
      missing.map(({ words }) => words).join(' and '),
    )
  }

  /** Sends a statement to one node, and to the next if that one is unavailable. */
  const onAny = async <Value>(send: (storage: Storage) => Promise<Value>, signal?: AbortSignal): Promise<Value> => {
    let last: unknown
    for (const node of inTurn()) {
      try {
        return await send(node.storage)
      } catch (error) {
        if (!isAway(error) || signal?.aborted) throw error
        last = error
        // With an error code the node is available and another one is not. Without a code, only the connection failed.
        if ((await responds(node)) && error.engineCode) break
      }
    }
    throw await naming(last as StorageError)
  }

  let replication: Place | undefined
  let saidFewAt = -Infinity

  /**
   * Inserts with a quorum. Two replicas are no majority without each other, so rows of a shard whose other replica is
   * away are stored without a quorum.
   */
  const insertOn: Storage['insert'] = async (table, rows, options) => {
    const [{ storage }] = inTurn() as [Node]
    replication ??= await placeOf(storage, name)
    const quorum = quorumOf(replication)
    if (!quorum) return storage.insert(table, rows, options)
    const token = { insert_deduplication_token: tokenOf(rows) }
    const withQuorum = { ...token, insert_quorum: String(quorum), insert_quorum_timeout: QUORUM_MS }
    for (let tries = 1; ; tries += 1) {
      try {
        return await storage.insert(table, rows, { ...options, settings: withQuorum })
      } catch (error) {
        if (hasCode(error, 'TOO_FEW_LIVE_REPLICAS') && replication.replicas === 2) {
          if (now() - saidFewAt > FEW_MS) {
            saidFewAt = now()
            onFewReplicas()
          }
          return storage.insert(table, rows, { ...options, settings: token })
        }
        if (!hasCode(error, 'UNKNOWN_STATUS_OF_INSERT') || tries === QUORUM_TRIES) throw error
      }
    }
  }

  /** Returns one node per shard. Rejects if a shard has none. */
  const onePerShard = async (): Promise<readonly Node[]> => {
    const found = new Map<string, Node>()
    let shards = 0
    let last: unknown
    for (const node of nodes) {
      try {
        const place = await placeOf(node.storage, name)
        shards = place.shards
        if (!found.has(place.shard)) found.set(place.shard, node)
      } catch (error) {
        if (!isAway(error)) throw error
        last = error
      }
    }
    if (last && found.size < (shards || nodes.length)) throw await naming(last as StorageError)
    return [...found.values()]
  }

  const onEach = async (send: (storage: Storage) => Promise<void>) => {
    for (const { storage } of nodes) await send(storage)
  }

  return {
    nodes,
    rowsDatabase: SHARD,
    run: (statement, limits, signal) => onAny((storage) => storage.run(statement, limits, signal), signal),
    stream: (statement, limits, format, signal) =>
      onAny((storage) => storage.stream(statement, limits, format, signal), signal),
    // Any node may run the statement. The others need not be available.
    async progress(of, signal) {
      const found = await Promise.allSettled(nodes.map(({ storage }) => storage.progress(of, signal)))
      return found.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []))[0]
    },
    rows: (statement, bounds) => onAny((storage) => storage.rows(statement, bounds), bounds.signal),
    // No retries here: the caller checks what was stored before it inserts again.
    async insert(table, rows, options) {
      try {
        await insertOn(table, rows, options)
      } catch (error) {
        throw isAway(error) ? await naming(error) : error
      }
    },
    // Materialized tables are complete on every node, so that any node can read them.
    command: (statement) => onEach((storage) => storage.command(statement)),
    work: (statement, limits, signal) => onEach((storage) => storage.work(statement, limits, signal)),
    async remove(removal, limits) {
      for (const { storage } of await onePerShard()) {
        try {
          await storage.remove(removal, limits)
        } catch (error) {
          if (!isLeftToReplicas(error)) throw error
        }
      }
    },
    // One available node is enough. Its errors name the nodes it cannot reach.
    ready: (withinMs, onFailure) =>
      Promise.any(
        nodes.map(
          async ({ storage }) => (await storage.ready(withinMs, onFailure)) || Promise.reject(new Error('away')),
        ),
      ).catch(() => false),
    async close() {
      await Promise.all(nodes.map(({ storage }) => storage.close()))
    },
  }
}
