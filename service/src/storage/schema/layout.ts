import type { ProjectTable } from './schema.ts'

/** Layout of the schema's tables: on one server, or in shards. */
export interface Layout {
  /** Statements that run before the first migration, each time. */
  readonly prepare: readonly string[]
  /** Translates a statement of a migration. */
  readonly toStatement: (statement: string) => string
  /** Statements that run after the last migration, each time. */
  readonly complete: readonly string[]
  /** The table of completed migrations. */
  readonly ledger: string
}

const createDatabase = (name: string) => `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic`
const createLedger = (table: string) =>
  `CREATE TABLE IF NOT EXISTS ${table} (id UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')) ENGINE = MergeTree ORDER BY id`

export const ONE_SERVER: Layout = {
  prepare: [createDatabase('db'), createLedger('db.migrations')],
  toStatement: (statement) => statement,
  complete: [],
  ledger: 'db.migrations',
}

/** Database of each node's local tables. `db` has the distributed tables, which all queries use. */
export const SHARD = 'db_shard'

export interface NodeState {
  /** Name of the cluster in `remote_servers`. */
  readonly cluster: string
  /** Whether the node has a Keeper, which replication needs. */
  readonly isReplicated: boolean
  /** Tables with rows in `db`, from when this node was a single server. */
  readonly alone: readonly string[]
  readonly tables: readonly ProjectTable[]
}

// The path is explicit, because {uuid} would differ between replicas whose tables are created node by node.
const replicated = (statement: string): string =>
  statement.replace(/ENGINE = (\w*MergeTree)(?:\((\w+)\))?/, (_, engine: string, column?: string) => {
    const table = /CREATE TABLE IF NOT EXISTS (\S+)/.exec(statement)![1]!
    return `ENGINE = Replicated${engine}('/trailmark/{shard}/${table}', '{replica}'${column ? `, ${column}` : ''})`
  })

/**
 * Returns the layout of one node of a cluster. Each node records its own migrations, so an unavailable node runs them
 * when it is back. This works without a Keeper, unlike `ON CLUSTER`.
 */
export const nodeLayout = ({ cluster, isReplicated, alone, tables }: NodeState): Layout => ({
  prepare: [
    createDatabase('db'),
    createDatabase(SHARD),
    ...alone.map((table) => `RENAME TABLE db.${table} TO ${SHARD}.${table}`),
    createLedger(`${SHARD}.migrations`),
  ],
  toStatement(statement) {
    const local = statement.replace(/\bdb\.(?=\w)/g, `${SHARD}.`)
    return isReplicated ? replicated(local) : local
  },
  complete: tables.map(
    ({ name, shardedBy }) =>
      `CREATE OR REPLACE TABLE db.${name} AS ${SHARD}.${name} ENGINE = Distributed('${cluster}', '${SHARD}', '${name}', ${shardedBy})`,
  ),
  ledger: `${SHARD}.migrations`,
})
