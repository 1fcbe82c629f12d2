import { PROJECT_TABLES } from '../projectTables.ts'

type ProjectTable = (typeof PROJECT_TABLES)[number]

/** How the tables of the schema are stored: on one server, or in shards. */
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

const PERSON_KEY = 'cityHash64(project_id, distinct_id)'

/**
 * Sharding keys. They only balance the load: every statement reads all shards, so rows may be on other shards, such as
 * after adding one. Rows about one person or group are on the same shard, where they are merged into one.
 */
const SHARDED_BY: Readonly<Record<ProjectTable, string>> = {
  events: PERSON_KEY,
  person_properties: PERSON_KEY,
  person_merges: PERSON_KEY,
  person_distinct_ids: PERSON_KEY,
  group_properties: 'cityHash64(project_id, group_type_index, group_key)',
  refused_events: 'cityHash64(project_id, id)',
  // Rows with the same uuid are on the same shard, where one replaces the other.
  heatmaps: PERSON_KEY,
  // A batch has the same rows for a shard each time it is inserted, so that the shard recognizes a repetition.
  endpoint_runs: 'cityHash64(project_id, endpoint_id)',
  recording_chunks: 'cityHash64(project_id, session_id)',
  recording_sessions: 'cityHash64(project_id, session_id)',
  source_maps: 'cityHash64(project_id, id)',
}

export interface NodeState {
  /** Name of the cluster in `remote_servers`. */
  readonly cluster: string
  /** Whether the node has a Keeper, which replication needs. */
  readonly isReplicated: boolean
  /** Tables with rows in `db`, from when this node was a single server. */
  readonly alone: readonly string[]
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
export const nodeLayout = ({ cluster, isReplicated, alone }: NodeState): Layout => ({
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
  complete: PROJECT_TABLES.map(
    (table) =>
      `CREATE OR REPLACE TABLE db.${table} AS ${SHARD}.${table} ENGINE = Distributed('${cluster}', '${SHARD}', '${table}', ${SHARDED_BY[table]})`,
  ),
  ledger: `${SHARD}.migrations`,
})
