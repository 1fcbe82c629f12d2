import { pause } from '../../lib/wait.ts'
import { createClickhouse } from '../clickhouse.ts'
import type { Settings } from '../clickhouseHttp.ts'
import { SHARD } from '../schema/layout.ts'
import { type Storage, StorageError } from '../storage.ts'

export interface Node {
  /** The node alone: what it runs says nothing of the others, except of `db`, whose tables are the cluster's. */
  readonly storage: Storage
  /** Its host and port. */
  readonly host: string
}

export interface Cluster extends Storage {
  readonly nodes: readonly Node[]
}

/** Of every statement. None of them is left to the server's profile: on each rests what the service says of its answers. */
const SETTINGS: Settings = {
  // A smaller number would be a lie: without a shard there is no answer.
  skip_unavailable_shards: 0,
  // Rows are in their shards when the insert is answered, not on their way.
  distributed_foreground_insert: 1,
  // What a condition or a join looks up is looked up on all shards, not on the one that asks.
  distributed_product_mode: 'global',
  // A lookup goes to the replica that took the row, from any node: replicas may lag behind each other.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
}

// Long enough for a busy node, short enough to be waited for once.
const PING_MS = 2_000
const AWAY_MS = 5_000
const POLL_MS = 50

const isAway = (error: unknown): error is StorageError => error instanceof StorageError && error.kind === 'unavailable'

/**
 * A cluster as one store. Any node takes any statement: reads go round, and on to the next where a node does not answer.
 * `urls`: one of every node. What is missing when a statement fails is named in its error.
 */
export const createCluster = (urls: readonly string[], now: () => number = Date.now): Cluster => {
  const awayUntil = new Map<Node, number>()
  let turn = 0

  const isRunning = async ({ storage }: Node, id: string): Promise<boolean> => {
    try {
      return (
        (
          await storage.rows({
            text: 'SELECT 1 FROM system.processes WHERE initial_query_id = {id:String}',
            params: { id },
          })
        ).length > 0
      )
    } catch {
      return false // a node that is away is looked at before anything is stored again: no look-up is answered without it
    }
  }

  // A node may still be storing what it was given by one that has gone. It is waited for: inserts that were killed brought nodes down.
  const ended = async (queryId: string) => {
    await Promise.all(
      nodes.map(async (node) => {
        while (await isRunning(node, queryId)) await pause(POLL_MS)
      }),
    )
  }

  const nodes: readonly Node[] = urls.map((url) => ({
    storage: createClickhouse(() => ({ url }), { settings: SETTINGS, databases: ['db', SHARD], ended }),
    host: new URL(url).host,
  }))

  const inTurn = (): readonly Node[] => {
    turn = (turn + 1) % nodes.length
    const round = [...nodes.slice(turn), ...nodes.slice(0, turn)]
    const isIn = (node: Node) => (awayUntil.get(node) ?? 0) <= now()
    return [...round.filter(isIn), ...round.filter((node) => !isIn(node))]
  }

  const answers = async (node: Node): Promise<boolean> => {
    const isIn = await node.storage.ready(PING_MS)
    if (isIn) awayUntil.delete(node)
    else awayUntil.set(node, now() + AWAY_MS)
    return isIn
  }

  const naming = async (error: StorageError): Promise<StorageError> => {
    const found = await Promise.all(nodes.map(answers))
    const missing = nodes.flatMap(({ host }, place) =>
      found[place] ? [] : [{ host, words: `node ${place + 1} of ${nodes.length}` }],
    )
    if (!missing.length) return error
    return new StorageError(
      'unavailable',
      `${missing.map(({ host, words }) => `${words} (${host})`).join(' and ')} does not answer: ${error.message}`,
      error.engineCode,
      missing.map(({ words }) => words).join(' and '),
    )
  }

  /** Asks one node, and the next if that one is away. */
  const onAny = async <Answer>(ask: (storage: Storage) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> => {
    let last: unknown
    for (const node of inTurn()) {
      try {
        return await ask(node.storage)
      } catch (error) {
        if (!isAway(error) || signal?.aborted) throw error
        last = error
        // The node is there and has said that what it reached for is not; without its word the connection alone has gone.
        if ((await answers(node)) && error.engineCode) break
      }
    }
    throw await naming(last as StorageError)
  }

  const onEach = async (ask: (storage: Storage) => Promise<void>) => {
    for (const { storage } of nodes) await ask(storage)
  }

  return {
    nodes,
    rowsDatabase: SHARD,
    run: (statement, limits, signal) => onAny((storage) => storage.run(statement, limits, signal), signal),
    stream: (statement, limits, format, signal) =>
      onAny((storage) => storage.stream(statement, limits, format, signal), signal),
    rows: (statement) => onAny((storage) => storage.rows(statement)),
    // No retries here: the caller checks what was stored before it inserts again.
    async insert(table, rows, options) {
      const [node] = inTurn() as [Node]
      try {
        await node.storage.insert(table, rows, options)
      } catch (error) {
        throw isAway(error) ? await naming(error) : error
      }
    },
    // Tables that are made of stored ones stand whole on every node, so that any of them can answer.
    command: (statement) => onEach((storage) => storage.command(statement)),
    work: (statement, limits, signal) => onEach((storage) => storage.work(statement, limits, signal)),
    // One node is enough to be asked; what it cannot reach its answers say.
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
